//! Where sections begin and end that latency tracers measure, see [`trace_event::change_state`].

use crate::preload::wrapper::frame::CallFrame;
use trace_event::{
    StateChange, call_time, change_state, count_lock, locks_held, section_state, sections_are_measured,
    with_locks,
};

/// The time now where sections are measured, else 0.
#[inline(always)]
pub(crate) fn time_if_measured() -> u64 {
    if sections_are_measured() { call_time() } else { 0 }
}

/// The state changes by this call: at `time`, a reading of [`call_time`], or now if that is 0.
pub(crate) fn by_call(frame: &CallFrame, time: u64) -> StateChange {
    let time = if time == 0 { call_time() } else { time };
    StateChange { function: frame.wrapped.real() as u64, caller: frame.caller, frame: frame.record(), time }
}

/// It changes by something else, now: a handler or a jump.
pub(crate) fn by(function: usize) -> StateChange {
    StateChange { function: function as u64, caller: 0, frame: core::ptr::null(), time: call_time() }
}

/// Says that the calling thread holds one lock more, or one less, by this call.
///
/// # Safety
///
/// The call has not returned.
pub(crate) unsafe fn count(is_held: bool, frame: &CallFrame, time: u64) {
    let before = section_state();
    let held = if is_held { 1 } else { locks_held().saturating_sub(1) };
    let states = (before, with_locks(before, held));
    // SAFETY: the caller's promise.
    unsafe { change_state(states, || by_call(frame, time), || count_lock(is_held)) };
}
