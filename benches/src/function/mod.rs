//! What sites of functions cost while they are off, and how long it takes to switch many of them.

mod switching;
mod traced;
mod unpatched;
mod written;

use crate::clock::{cpus, pinned};
use crate::progress::BenchProgress;
use crate::report::Report;

/// Measures everything.
pub fn measure() -> Result<Report, String> {
    let progress = BenchProgress::new();
    let mut report = Report::default();
    progress.say("sites that are off");
    pinned(&cpus(1), || unpatched::measure(&mut report))?;
    pinned(&cpus(1), || traced::measure(&mut report));
    progress.say("switching");
    switching::measure(&mut report)?;
    Ok(report)
}
