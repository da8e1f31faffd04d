//! What sites call first: the common cases, which are recorded without any vector register but xmm0 and xmm1.
//!
//! Whoever calls a function that was compiled with it may have anything in any register. To save all vector
//! registers takes as long as to read the clock, and what records in the usual case needs none of them. So it
//! is tried by these functions first: each does the whole of it or nothing, and calls nothing. What none of
//! them does is done after them, with all registers saved: see [`called`](super::called).
//!
//! That the compiler uses no others is asked for where the object is built (`noimplicitfloat`, by the names
//! that the functions have here), and a test reads what has come of it.

use super::call::{BegunCall, OnceCalled, SavedCall, SavedMovedCall};
use super::called::words;
use super::common_case::{CommonCase, common_case};
use super::graph::{self, CallSlot, ReturnStep, ReturnedValues};
use super::probed;
use super::saved_probe::SavedProbe;
use super::system_called::{self, SavedSystemCall};
use events::ftrace::FUNCTION_ID;
use ring_buffer::ShortEvent;

/// Where a function goes on that was not recorded, by these functions: no code is there.
pub(crate) const NOT_RECORDED: u64 = 1;

/// Defines what a form of entry calls first, and what that goes on in: a function for each case, which saves
/// no more registers than that case needs.
macro_rules! quick_entry {
    (
        $(#[$documentation:meta])*
        $record:ident: $name:literal, |$saved:ident: $type:ty| $call:expr,
        $calls:ident: $calls_name:literal, $graph:ident: $graph_name:literal,
        $probes:ident: $probes_name:literal
    ) => {
        $(#[$documentation])*
        #[unsafe(export_name = $name)]
        pub(crate) extern "C" fn $record($saved: &$type) -> u64 {
            match common_case() {
                CommonCase::Calls => $calls($saved),
                CommonCase::Graph => $graph($saved),
                CommonCase::Probes => $probes($saved),
                CommonCase::Profile | CommonCase::None => NOT_RECORDED,
            }
        }

        #[unsafe(export_name = $calls_name)]
        extern "C" fn $calls($saved: &$type) -> u64 {
            try_record_call($call).unwrap_or(NOT_RECORDED)
        }

        #[unsafe(export_name = $graph_name)]
        extern "C" fn $graph($saved: &$type) -> u64 {
            try_enter($call).unwrap_or(NOT_RECORDED)
        }

        #[unsafe(export_name = $probes_name)]
        extern "C" fn $probes($saved: &$type) -> u64 {
            try_record_probes($call).unwrap_or(NOT_RECORDED)
        }
    };
}

quick_entry! {
    /// As [`record`](super::called::record), or [`NOT_RECORDED`].
    record: "lookback_quick_record", |saved: SavedCall| saved,
    record_call: "lookback_quick_record_call", record_graph: "lookback_quick_record_graph",
    record_probes: "lookback_quick_record_probes"
}

quick_entry! {
    /// As [`record_moved`](super::called::record_moved), or [`NOT_RECORDED`].
    record_moved: "lookback_quick_record_moved", |saved: SavedMovedCall| saved,
    record_moved_call: "lookback_quick_record_moved_call",
    record_moved_graph: "lookback_quick_record_moved_graph",
    record_moved_probes: "lookback_quick_record_moved_probes"
}

quick_entry! {
    /// As [`record_moved_in_body`](super::called::record_moved_in_body), or [`NOT_RECORDED`].
    record_moved_in_body: "lookback_quick_record_moved_in_body", |saved: SavedMovedCall| &BegunCall(saved),
    record_begun_call: "lookback_quick_record_begun_call",
    record_begun_graph: "lookback_quick_record_begun_graph",
    record_begun_probes: "lookback_quick_record_begun_probes"
}

/// Of a function that has returned to its slot's code. How far it has come.
#[unsafe(export_name = "lookback_quick_returned")]
pub(crate) extern "C" fn returned(slot: &'static CallSlot, values: &ReturnedValues) -> ReturnStep {
    graph::try_return(slot, values)
}

/// As [`record_system_call`](super::system_called::record_system_call). Whether it has gone on, or
/// [`NOT_RECORDED`].
#[unsafe(export_name = "lookback_quick_record_system_call")]
pub(crate) extern "C" fn record_system_call(saved: &SavedSystemCall) -> u64 {
    system_called::try_record(saved).map_or(NOT_RECORDED, |()| 0)
}

/// As [`record_anywhere`](super::probed::record_anywhere), or [`NOT_RECORDED`].
#[unsafe(export_name = "lookback_quick_record_anywhere")]
pub(crate) extern "C" fn record_anywhere(saved: &SavedProbe) -> u64 {
    probed::try_record_anywhere(saved).map_or(NOT_RECORDED, |()| 0)
}

// Each case makes its own of the call: what all share would be put together in memory, and waited for.

#[inline(always)]
fn try_record_call(saved: &impl OnceCalled) -> Option<u64> {
    let known = saved.enter_known()?;
    let writer = known.plain_writer(FUNCTION_ID)?;
    writer.try_write_short(ShortEvent::<24>::of(words(known.entered(), saved.call())), None).then_some(0)
}

#[inline(always)]
fn try_enter(saved: &impl OnceCalled) -> Option<u64> {
    graph::try_enter(saved.enter_known()?, saved.call())
}

#[inline(always)]
fn try_record_probes(saved: &impl OnceCalled) -> Option<u64> {
    probed::try_record_call(saved.enter_known()?, saved.call()).map(|()| 0)
}
