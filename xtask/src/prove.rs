//! `cargo xtask prove`: everything that is known to check the ring buffer, the changing of code, what reads
//! bytes of others, and that programs are unharmed, for as long as it takes.

use crate::{Error, workspace};
use clap::Args;
use std::process::{Command, Stdio};

/// How the ring buffer is to be checked.
#[derive(Debug, Args)]
pub struct ProveOptions {
    /// Rounds of the chaos test
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Writers that are killed in each scenario of such a round
    #[arg(long, default_value_t = 10_000)]
    kills: u32,
    /// Orders of atomic instructions in which each scenario of the slow path and of call slots is run, twice
    #[arg(long, default_value_t = 20_000)]
    orders: u32,
    /// Sites that are switched while threads run through them
    #[arg(long, default_value_t = 1_000_000)]
    switches: u32,
    /// Moved instructions that run next to the originals
    #[arg(long, default_value_t = 1_000_000)]
    moved: u32,
    /// How often a busy program is attached or detached, while either side is killed at random
    #[arg(long, default_value_t = 10_000)]
    turns: u32,
    /// Cases of damaged files
    #[arg(long, default_value_t = 50_000)]
    cases: u32,
    /// How often what copies a session to disk is killed, once on a disk with space and once on a full one
    #[arg(long, default_value_t = 1000)]
    persist_kills: u32,
    /// Snapshots that are taken one after the other while all CPUs write
    #[arg(long, default_value_t = 1000)]
    snapshots: u32,
    /// Inputs that are read by everything that reads what others wrote
    #[arg(long, default_value_t = 10_000_000)]
    executions: u64,
}

/// Goes through every scenario of the model, the long ones too; runs the slow path and call slots in many
/// orders, and what Miri can run; kills at each instruction; damages files, lets chaos loose, switches sites
/// of functions, moves instructions, attaches and detaches, kills what copies to disk, takes snapshots under
/// load, fuzzes, and runs all programs that must not be harmed. Whether all of it holds.
pub fn run(options: &ProveOptions) -> Result<bool, Error> {
    let model = test("model", &["--include-ignored", "--nocapture", "--test-threads=1"], &[])?;
    let damage = test("interface", &["damage"], &[("PROPTEST_CASES", options.cases)])?;
    let kills = test("kills", &["--sections"], &[])?;
    let mut holds = model && shuttle(options.orders)? && miri()? && kills && damage;
    for round in 1..=options.rounds {
        eprintln!("chaos, round {round} of {}", options.rounds);
        holds &= test("chaos", &[], &[("LOOKBACK_CHAOS_KILLS", options.kills)])?;
    }
    holds &= code("stress", ("LOOKBACK_SWITCHES", options.switches))?;
    holds &= code("moved", ("LOOKBACK_MOVED_RUNS", options.moved))?;
    holds &= command("attached_and_detached_in_turns", ("LOOKBACK_ATTACH_ROUNDS", options.turns))?;
    holds &= command("journal_kills", ("LOOKBACK_PERSIST_KILLS", options.persist_kills))?;
    holds &= command("snapshots_under_load", ("LOOKBACK_SNAPSHOTS", options.snapshots))?;
    Ok(holds & fuzz(options.executions)? & harm()?)
}

/// Runs a test of changed code, which does something so often.
fn code(name: &str, (variable, number): (&str, u32)) -> Result<bool, Error> {
    let mut test = workspace::cargo();
    test.args(["test", "--quiet", "--release", "--package", "lookback-text-poke", "--test", name]);
    test.args(["--", "--nocapture"]).env(variable, number.to_string());
    succeeds(test)
}

/// Runs tests of the command that do something so often.
fn command(tests: &str, (name, number): (&str, u32)) -> Result<bool, Error> {
    /// The longest that one of their programs may run.
    const LONGEST: &str = "36000";
    let mut test = workspace::cargo();
    test.args([
        "test",
        "--quiet",
        "--package",
        "lookback-cli",
        "--test",
        "command",
        "--",
        "--nocapture",
        tests,
    ]);
    test.env(name, number.to_string()).env("LOOKBACK_LONGEST_SECONDS", LONGEST);
    succeeds(test)
}

/// Reads damaged inputs, so many.
fn fuzz(executions: u64) -> Result<bool, Error> {
    let mut fuzz = workspace::cargo();
    fuzz.args(["run", "--quiet", "--release", "--package", "xtask", "--", "fuzz", "--executions"]);
    fuzz.arg(executions.to_string());
    succeeds(fuzz)
}

/// Runs programs in all ways, browsers too: `./setup --prove` installs them.
fn harm() -> Result<bool, Error> {
    let mut test = workspace::cargo();
    test.args(["test", "--quiet", "--package", "lookback-cli", "--test", "harm", "--", "--include-ignored"]);
    succeeds(test)
}

/// Runs one of the ring buffer's tests, with numbers in its environment.
fn test(name: &str, arguments: &[&str], numbers: &[(&str, u32)]) -> Result<bool, Error> {
    let mut test = workspace::cargo();
    test.args(["test", "--quiet", "--release", "--package", "lookback-ring-buffer", "--test", name, "--"]);
    test.args(arguments);
    test.envs(numbers.iter().map(|(name, number)| (name, number.to_string())));
    succeeds(test)
}

/// Runs the slow path and call slots in many orders of their atomic instructions. That takes a build of its
/// own.
fn shuttle(orders: u32) -> Result<bool, Error> {
    let mut test = workspace::cargo();
    test.args(["test", "--quiet", "--release", "--target-dir", "target/shuttle"]);
    test.args(["--package", "lookback-ring-buffer", "--package", "lookback-call-slots", "--test", "shuttle"]);
    test.env("RUSTFLAGS", "--cfg shuttle").env("LOOKBACK_SHUTTLE_ORDERS", orders.to_string());
    succeeds(test)
}

/// Runs the unit tests of what is plain Rust under Miri, where the nightly toolchain has it. Files and
/// sections it doesn't know.
fn miri() -> Result<bool, Error> {
    let mut version = Command::new("rustup");
    version.args(["run", "nightly", "cargo", "miri", "--version"]).current_dir(workspace::root());
    let found = version.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        eprintln!(
            "miri: skipped: the nightly toolchain has no such component (`rustup +nightly component add miri`)"
        );
        return Ok(true);
    }
    let mut miri = Command::new("rustup");
    miri.args(["run", "nightly", "cargo", "miri", "test", "--lib"]).current_dir(workspace::root());
    miri.args(["--package", "lookback-abi", "--package", "lookback-ring-buffer"]);
    succeeds(miri)
}

/// Runs a command to its end.
fn succeeds(mut command: Command) -> Result<bool, Error> {
    let program = command.get_program().display().to_string();
    let status = command.status().map_err(|error| format!("{program}: {error}"))?;
    Ok(status.success())
}
