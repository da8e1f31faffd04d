//! A traced call in terms of events.

use crate::attach::Live;
use crate::calls::preloaded;
use crate::clock::cpu_ns_each;
use crate::events;
use crate::program::ProgramDirectory;
use crate::samples::Samples;
use std::path::Path;

/// Calls, and events, in a round.
const CALLS: u64 = 20_000;
const ROUNDS: usize = 51;

/// How many times as long both events of a call of libc take as two events of a program's own.
pub(super) fn vs_two_events(programs: &ProgramDirectory, agent: &Path) -> Result<f64, String> {
    let program = programs.compile("calls", &["-Wl,-z,lazy"])?;
    let on = Live::new(&["@default"])?;
    on.enable(&["bench:*"])?;
    on.attach()?;
    events::register()?;
    let mut alone = preloaded(&program, &programs.empty_object()?, None)?;
    let mut traced = preloaded(&program, agent, Some(&on))?;
    let (mut calls, mut both, mut two) = (Samples::new(), Samples::new(), Samples::new());
    for _ in 0..ROUNDS {
        calls.push(alone.repeat("read", CALLS)?.cpu);
        both.push(traced.repeat("read", CALLS)?.cpu);
        two.push(2.0 * cpu_ns_each(CALLS, events::record_numbers));
    }
    Ok(both.added_to(&calls).ratio_to(&two))
}
