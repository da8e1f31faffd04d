//! Where sections begin and end that latency tracers measure, see [`trace_event::change_state`].

use crate::preload::arch::stub::stub;
use crate::preload::function::real_caller;
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
    // SAFETY: the caller's promise.
    unsafe { change_state(counted(is_held), || by_call(frame, time), || count_lock(is_held)) };
}

/// The state before a lock more or less is held, and after.
fn counted(is_held: bool) -> (u32, u32) {
    let before = section_state();
    let held = if is_held { 1 } else { locks_held().saturating_sub(1) };
    (before, with_locks(before, held))
}

/// Says that the calling thread is in a critical section of the program's own, or that it leaves it, which
/// the program says where `caller` is.
///
/// # Safety
///
/// The program calls it as [`lookback_critical_section`].
unsafe extern "C" fn critical_section_body(begins: i32, caller: usize) {
    let begins = begins != 0;
    let change = || StateChange {
        function: lookback_critical_section as *const () as u64,
        caller: real_caller(caller as u64),
        frame: core::ptr::null(),
        time: call_time(),
    };
    // SAFETY: there is no frame.
    unsafe { change_state(counted(begins), change, || count_lock(begins)) };
}

stub!(lookback_critical_section, critical_section_body, begins);
