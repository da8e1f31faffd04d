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
use super::called::event;
use super::common_case::{CommonCase, common_case};
use super::graph::{self, CallSlot, ReturnStep, ReturnedValues};
use super::probed;
use super::saved_probe::SavedProbe;
use super::system_called::{self, SavedSystemCall};

/// Where a function goes on that was not recorded, by these functions: no code is there.
pub(crate) const NOT_RECORDED: u64 = 1;

/// As [`record`](super::called::record), or [`NOT_RECORDED`].
#[unsafe(export_name = "lookback_quick_record")]
pub(crate) extern "C" fn record(saved: &SavedCall) -> u64 {
    record_once(saved)
}

/// As [`record_moved`](super::called::record_moved), or [`NOT_RECORDED`].
#[unsafe(export_name = "lookback_quick_record_moved")]
pub(crate) extern "C" fn record_moved(saved: &SavedMovedCall) -> u64 {
    record_once(saved)
}

/// As [`record_moved_in_body`](super::called::record_moved_in_body), or [`NOT_RECORDED`].
#[unsafe(export_name = "lookback_quick_record_moved_in_body")]
pub(crate) extern "C" fn record_moved_in_body(saved: &SavedMovedCall) -> u64 {
    record_once(&BegunCall(saved))
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

#[inline(always)]
fn record_once(saved: &impl OnceCalled) -> u64 {
    try_record(saved).unwrap_or(NOT_RECORDED)
}

#[inline(always)]
fn try_record(saved: &impl OnceCalled) -> Option<u64> {
    // Each case makes its own of the call: what all share would be put together in memory, and waited for.
    match common_case() {
        CommonCase::Calls => {
            let entered = saved.enter_known()?;
            entered.try_write_plain(event(entered, saved.call()).event()).then_some(0)
        }
        CommonCase::Graph => graph::try_enter(saved.enter_known()?, saved.call()),
        CommonCase::Probes => probed::try_record_call(saved.enter_known()?, saved.call()).map(|()| 0),
        CommonCase::Profile | CommonCase::None => None,
    }
}
