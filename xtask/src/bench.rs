//! `cargo xtask bench`: builds what is measured, and what measures.

use crate::{Error, workspace};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::Stdio;

/// How is to be measured.
#[derive(Debug, Args)]
pub struct Bench {
    /// Print JSON instead of a table
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    what: What,
}

/// What is to be measured.
#[derive(Debug, Subcommand)]
enum What {
    /// The cost of single operations, next to other tracers
    Micro {
        /// Only this part: events, calls, threads, starts or sessions; may be given several times
        #[arg(long, value_name = "PART")]
        part: Vec<String>,
    },
    /// The ring buffer by itself
    Ring,
    /// The control tree: filters, instances, switching, and reading the text
    Control,
    /// Functions: what sites cost that are off, and calls that are traced, next to other tracers
    Function,
    /// Probes: what a thread that comes to one takes longer, next to the kernel's uprobes
    Probe,
    /// A flight recorder that always records: calls, and the loads of the first tracers
    Flight {
        /// Only this load: dbench, tbench or kernbench; may be given several times
        #[arg(long, value_name = "LOAD")]
        load: Vec<String>,
        /// Rounds of each load
        #[arg(long, default_value_t = 9)]
        rounds: usize,
    },
    /// What recording costs whole programs
    Programs,
    /// Events of a program's own: typed events, messages, spans
    Author,
    /// Tracepoints with formats, next to LTTng's, their consumers, and the Python package
    Ktrace,
    /// The control tree over a mount, next to the kernel's own
    Tracefs,
    /// Files for other viewers: how quickly they are written, and how large they are; and SQL, next to
    /// DuckDB's
    Views,
}

/// Measures. Whether all limits are kept.
pub fn run(bench: &Bench) -> Result<bool, Error> {
    let mut measure = workspace::cargo();
    measure.args(["run", "--quiet", "--release", "--package", "lookback-benches", "--"]);
    match &bench.what {
        What::Micro { part } => {
            measure.arg("micro").args(part.iter().flat_map(|part| ["--part", part]));
        }
        What::Ring => {
            measure.arg("ring");
        }
        What::Control => {
            measure.arg("control");
        }
        What::Function => {
            measure.arg("function");
        }
        What::Probe => {
            measure.arg("probe");
        }
        What::Flight { load, rounds } => {
            measure.args(["flight", "--rounds", &rounds.to_string()]);
            measure.args(load.iter().flat_map(|load| ["--load", load]));
        }
        What::Programs => {
            measure.arg("programs");
        }
        What::Author => {
            measure.arg("author");
        }
        What::Ktrace => {
            build_c_library()?;
            measure.arg("ktrace");
        }
        What::Tracefs => {
            measure.arg("tracefs");
        }
        What::Views => {
            build_sql()?;
            measure.arg("views");
        }
    }
    if bench.json {
        measure.arg("--json");
    }
    if !matches!(bench.what, What::Ring | What::Control | What::Tracefs) {
        match agent() {
            // It runs the command, which was built for this.
            Ok(_) if matches!(bench.what, What::Views) => {}
            Ok(agent) => {
                measure.arg("--agent").arg(agent);
            }
            Err(error) => eprintln!("xtask: no agent: {error}"),
        }
    }
    let status = measure.status().map_err(|error| format!("cargo: {error}"))?;
    match status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(format!("lookback-benches ended with {status}")),
    }
}

/// Builds the library that the Python package calls, next to what measures.
fn build_c_library() -> Result<(), Error> {
    let mut cargo = workspace::cargo();
    let status = cargo.args(["build", "--quiet", "--release", "--package", "lookback-c-api"]).status();
    match status.map_err(|error| format!("cargo: {error}"))?.success() {
        true => Ok(()),
        false => Err("the C library can't be built".to_string()),
    }
}

/// Builds the program that has the engine of SQL, which takes long the first time.
fn build_sql() -> Result<(), Error> {
    let mut cargo = workspace::cargo();
    cargo.args(["build", "--quiet", "--release", "--locked", "--manifest-path", "crates/sql/Cargo.toml"]);
    let status = cargo.args(["--target-dir", "target/sql"]).status();
    match status.map_err(|error| format!("cargo: {error}"))?.success() {
        true => Ok(()),
        false => Err("lookback-sql can't be built".to_string()),
    }
}

/// The object to preload: what the environment names, or what the command installs.
fn agent() -> Result<PathBuf, Error> {
    if let Some(agent) = std::env::var_os("LOOKBACK_AGENT") {
        return Ok(PathBuf::from(agent));
    }
    let mut lookback = workspace::cargo();
    lookback.args(["run", "--quiet", "--release", "--package", "lookback-cli", "--", "preload"]);
    let output = lookback.stderr(Stdio::inherit()).output().map_err(|error| format!("cargo: {error}"))?;
    let path = String::from_utf8_lossy(&output.stdout);
    match path.trim() {
        path if output.status.success() && !path.is_empty() => Ok(PathBuf::from(path)),
        _ => Err("`lookback preload` names none".to_string()),
    }
}
