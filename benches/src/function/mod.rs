//! What sites of functions cost while they are off and while they are traced, and how long it takes to switch
//! many of them.

mod many;
mod peers;
mod recorded;
mod switching;
mod traced;
mod unpatched;
mod written;

use crate::clock::{cpus, pinned};
use crate::program::ProgramDirectory;
use crate::progress::BenchProgress;
use crate::report::Report;
use clap::Args;
use std::path::PathBuf;

/// What is wanted.
#[derive(Debug, Args)]
pub struct FunctionOptions {
    /// The agent, as `lookback preload` prints it; rows that need it are skipped without
    #[arg(long, value_name = "PATH")]
    agent: Option<PathBuf>,
}

/// Measures everything.
pub fn measure(options: &FunctionOptions) -> Result<Report, String> {
    let progress = BenchProgress::new();
    let mut report = Report::default();
    progress.say("sites that are off");
    pinned(&cpus(1), || unpatched::measure(&mut report))?;
    pinned(&cpus(1), || traced::measure(&mut report));
    progress.say("switching");
    switching::measure(&mut report)?;
    let Some(agent) = options.agent.as_deref() else {
        report.add("entry_vs_rdtsc", Err("no agent was given".to_string()));
        return Ok(report);
    };
    let programs = ProgramDirectory::new()?;
    progress.say("functions that are traced");
    pinned(&cpus(1), || recorded::measure(&mut report, &programs, agent));
    progress.say("other tracers");
    pinned(&cpus(1), || peers::measure(&mut report, &programs, agent));
    progress.say("many functions");
    many::measure(&mut report, &programs, agent);
    Ok(report)
}
