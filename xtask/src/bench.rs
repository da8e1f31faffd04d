//! `cargo xtask bench`: builds what is measured, and what measures.

use crate::{Error, workspace};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::Stdio;

/// What is to be measured.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// The cost of single operations, beside other tracers
    Micro(Micro),
    /// The ring buffer by itself
    Ring(Ring),
    /// What recording costs whole programs
    Programs(Programs),
}

/// How single operations are measured.
#[derive(Debug, Args)]
pub struct Micro {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Only this part: events, calls, threads or starts; may be given several times
    #[arg(long, value_name = "PART")]
    part: Vec<String>,
}

/// How the ring buffer is measured.
#[derive(Debug, Args)]
pub struct Ring {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// How whole programs are measured.
#[derive(Debug, Args)]
pub struct Programs {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Measures. Whether all limits are kept.
pub fn run(bench: &Bench) -> Result<bool, Error> {
    let mut measure = workspace::cargo();
    measure.args(["run", "--quiet", "--release", "--package", "lookback-benches", "--"]);
    let json = match bench {
        Bench::Micro(micro) => {
            measure.arg("micro");
            for part in &micro.part {
                measure.arg("--part").arg(part);
            }
            micro.json
        }
        Bench::Ring(ring) => {
            measure.arg("ring");
            ring.json
        }
        Bench::Programs(programs) => {
            measure.arg("programs");
            programs.json
        }
    };
    if json {
        measure.arg("--json");
    }
    if !matches!(bench, Bench::Ring(_)) {
        match agent() {
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
