//! Converts calls of `mcount` and `__fentry__` to nops: in batches, at most once a second.
//!
//! gprof's counts in `gmon.out` lack what was converted. So nothing is, as long as nobody has traced
//! functions in the session, or has asked for it.

use super::{callers, objects};
use abi::control::CallConversion;
use control::ControlArea;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use trace_event::{call_time, nanoseconds};

/// Between two batches, in nanoseconds.
const PAUSE: u64 = 1_000_000_000;

/// When the last one began; 0 before the first.
static LAST: AtomicU64 = AtomicU64::new(0);

/// How many requests there had been when the code was last brought up to date.
static SEEN: AtomicU32 = AtomicU32::new(0);

/// Takes requests for done that were made before the process was there.
// Relaxed: one turn at a time, here and below.
pub(super) fn start(control: &ControlArea) {
    SEEN.store(control.conversion().requests, Relaxed);
}

/// Whether it is time for a batch, as callers are waiting. Cost: a load where none is.
#[inline(always)]
pub(super) fn is_due(control: &ControlArea) -> bool {
    callers::are_waiting() && is_time(control)
}

#[cold]
#[inline(never)]
fn is_time(control: &ControlArea) -> bool {
    let last = LAST.load(Relaxed);
    control.conversion().is_enabled
        && control.functions_wanted() != 0
        && (last == 0 || nanoseconds(last, call_time()) >= PAUSE)
}

/// Begins a batch, if it is time for one, or somebody has asked for one: the sites of all callers that were
/// noted may be converted from now on. Whether there is one.
pub(super) fn begin(control: &ControlArea) -> bool {
    let requests = control.conversion().requests;
    if SEEN.swap(requests, Relaxed) == requests && !is_time(control) {
        return false;
    }
    LAST.store(call_time(), Relaxed);
    let mut failed = 0;
    let skipped = callers::empty(&mut |returns_to| {
        objects::fill_for(returns_to);
        match objects::calling(returns_to) {
            Some(site) => site.set_recorded(),
            None => failed += u64::from(!objects::lists_calls(returns_to)),
        }
    });
    control.count_conversions(CallConversion::Failed, failed);
    control.count_conversions(CallConversion::Skipped, skipped);
    true
}
