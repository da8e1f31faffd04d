//! What recording the default events costs whole programs, in a session that overwrites its oldest ones.

use crate::attach::Live;
use crate::clock::wall_ns;
use crate::progress::BenchProgress;
use crate::report::Report;
use crate::samples::Samples;
use crate::workload::{self, Workload, run};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is wanted.
#[derive(Debug, Args)]
pub struct ProgramOptions {
    /// The agent, as `lookback preload` prints it
    #[arg(long, value_name = "PATH")]
    agent: Option<PathBuf>,
}

/// Rounds of each program, untraced and traced.
const ROUNDS: usize = 15;

/// Measures all programs.
pub fn measure(options: &ProgramOptions) -> Result<Report, String> {
    let progress = BenchProgress::new();
    let session = Live::new(&["@default"])?;
    let agent = options.agent.as_deref().ok_or("no agent was given")?;
    let mut report = Report::default();
    for workload in &workload::ALL {
        progress.say(workload.name);
        report.add(workload.name, factor(workload, agent, &session.path()));
    }
    Ok(report)
}

/// How many times longer a program takes when it is recorded.
fn factor(workload: &Workload, agent: &Path, session: &Path) -> Result<f64, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    workload.prepare(directory.path())?;
    let alone = || workload.command(directory.path());
    let traced = || {
        let mut command = workload.command(directory.path());
        command.env("LD_PRELOAD", agent).env("LOOKBACK_SESSION", session);
        command
    };
    run(&mut alone())?;
    let (mut without, mut with) = (Samples::new(), Samples::new());
    for _ in 0..ROUNDS {
        without.push(time(&mut alone())?);
        with.push(time(&mut traced())?);
    }
    Ok(with.ratio_to(&without))
}

fn time(command: &mut Command) -> Result<f64, String> {
    let start = wall_ns();
    run(command)?;
    Ok(wall_ns() - start)
}
