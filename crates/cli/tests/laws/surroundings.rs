//! Programs whose rights and surroundings change, by themselves or by others.

use crate::support::{Program, Trace, available, command, run, scratch, skip};

fn program(way: &str) -> Program {
    Program::c("surroundings", &[]).arg(way)
}

fn marks(trace: &Trace) -> usize {
    trace.named("access_exit").filter(|event| event.field("pathname") == Some("/marked")).count()
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn recording_makes_no_system_calls() {
    let trace = program("sandbox").keeps_the_law();
    assert_eq!(trace.count("read_exit"), 25_000);
    assert_eq!(trace.threads("read").len(), 2);
    assert_eq!(marks(&trace), 2);
}

#[test]
fn without_a_clock_programs_go_on_untraced() {
    // The strictest filter also takes the time stamp counter away.
    assert_eq!(program("strict").keeps_the_law().count("read_exit"), 0);
    assert_eq!(program("no-clock").keeps_the_law().count("read_exit"), 0);
}

#[test]
fn another_root_is_no_end() {
    if !is_root() {
        return skip("only root may change its root");
    }
    assert_eq!(marks(&program("root").keeps_the_law()), 3);
}

#[test]
fn another_user_is_no_end() {
    if !is_root() {
        return skip("only root may become somebody else");
    }
    assert_eq!(marks(&program("user").keeps_the_law()), 2);
}

#[test]
fn what_is_executed_in_another_root_says_nothing() {
    if !is_root() {
        return skip("only root may change its root");
    }
    program("in-root").keeps_the_law();
}

#[test]
fn a_directory_that_is_gone_is_no_harm() {
    assert_eq!(marks(&program("deleted").keeps_the_law()), 1);
}

#[test]
fn programs_outlive_their_session() {
    let program = program("removed");
    let untraced = program.untraced();
    assert!(untraced.is_ok(), "{untraced}");
    let mut recorded = command(env!("CARGO_BIN_EXE_lookback"));
    recorded.args(["record", "-q", "-o"]).arg(scratch().join("removed.dat"));
    recorded.args(["--", program.path(), "removed"]);
    let traced = run(recorded);
    assert!(traced.is_ok(), "{traced}");
    assert_eq!(untraced.errors, traced.errors);
}

#[test]
fn who_has_more_rights_than_its_user_is_left_alone() {
    if !is_root() || !available("setpriv") {
        return skip("needs root and setpriv");
    }
    let program = program("identity");
    let mut mode = command("chmod");
    mode.args(["4755", program.path()]);
    assert!(run(mode).status.success());
    let setpriv = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let as_somebody = program.under(&setpriv);
    let untraced = as_somebody.untraced();
    assert_eq!(untraced.output, "65534 0\nok\n");
    let (traced, trace) = as_somebody.traced();
    assert_eq!(untraced, traced);
    assert_eq!(marks(&trace), 0, "it was traced");
}

#[test]
fn a_stopped_and_watched_program_runs() {
    if !available("strace") {
        return skip("strace is not installed");
    }
    let threads = Program::c("threads", &[]).arg("c11");
    let watched = threads.under(&["/usr/bin/strace", "-f", "-o", "/dev/null"]);
    assert!(watched.keeps_the_law().count("access") > 2);
}
