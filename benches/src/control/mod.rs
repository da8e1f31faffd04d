//! What the control tree promises: what filters and instances add to an event, switching, reading the text.

mod recording;
mod switching;
mod text;

pub use recording::measure_snapshots;

use crate::clock::{cpus, pinned};
use crate::progress::BenchProgress;
use crate::report::Report;

/// Measures everything.
pub fn measure() -> Result<Report, String> {
    let progress = BenchProgress::new();
    let mut report = Report::default();
    progress.say("events");
    pinned(&cpus(1), || recording::measure(&mut report))?;
    progress.say("switching");
    pinned(&cpus(1), || switching::measure(&mut report))?;
    progress.say("text");
    pinned(&cpus(1), || text::measure(&mut report))?;
    Ok(report)
}
