//! Whether a budget for recording is held.

use super::load::BenchLoad;
use super::samples;
use super::way::Way;
use crate::attach::Live;
use std::path::Path;

/// Percent of each CPU's time.
const BUDGET: f64 = 1.0;

/// The CPU time that recording adds to a load in a session with a budget, as a part of that.
pub(super) fn held(load: &BenchLoad, agent: &Path, rounds: usize) -> Result<f64, String> {
    let live = Live::new(&["@default"])?;
    live.session.set_budget(Some(BUDGET)).map_err(|error| error.to_string())?;
    let [alone, governed] = samples(load, &[Way::Untraced, Way::traced(agent, &live.path())], rounds)?;
    Ok(100.0 * (governed.ratio_to(&alone) - 1.0) / BUDGET)
}
