//! What the latency tracer `wakeup` does around a call that waits for other threads, or wakes them.
//!
//! It is looked at where the call takes the slow path, which the tracer has it do (see
//! [`abi::control::WATCHED`]).
//!
//! # Safety
//!
//! As for hooks, see `lock.rs`.

use crate::preload::section::by_call;
use crate::preload::wrapper::frame::CallFrame;
use control::Woken;
use events::WakeRole;
use trace_event::{BegunWaits, WaitEnd, begin_waits, call_time, end_waits, wakes, wakeups_are_measured};

/// Before libc's function is called.
#[inline]
pub(crate) fn before(frame: &mut CallFrame, role: WakeRole) {
    frame.waits = BegunWaits::NONE;
    if wakeups_are_measured() {
        begin(frame, role);
    }
}

/// After it has returned: what it has returned is 0 if it has done what it is for. `owner_died` if it has
/// done that, too.
///
/// # Safety
///
/// The frame of such a call.
#[inline]
pub(crate) unsafe fn after(frame: &CallFrame, role: WakeRole) {
    if wakeups_are_measured() {
        // SAFETY: the caller's promise.
        unsafe { end(frame, role) };
    }
}

#[cold]
#[inline(never)]
fn begin(frame: &mut CallFrame, role: WakeRole) {
    let [object, mutex, ..] = frame.arguments;
    let address = address(frame);
    let wake = |object, woken| wakes(object, woken, || by_call(frame, 0));
    frame.waits = match role {
        WakeRole::AwaitsLock | WakeRole::AwaitsSemaphore => begin_waits(&[object], address, call_time()),
        WakeRole::AwaitsCondition => {
            wake(mutex, Woken::AllAgain);
            begin_waits(&[object, mutex], address, call_time())
        }
        WakeRole::FreesLock => return wake(object, Woken::AllAgain),
        WakeRole::Signals | WakeRole::Posts => return wake(object, Woken::First),
        WakeRole::Broadcasts => return wake(object, Woken::All),
    };
}

#[cold]
#[inline(never)]
unsafe fn end(frame: &CallFrame, role: WakeRole) {
    let has_got = match frame.result as i32 {
        0 | libc::EOWNERDEAD if role == WakeRole::AwaitsSemaphore => WaitEnd::InsteadOf(frame.arguments[0]),
        0 | libc::EOWNERDEAD => WaitEnd::With,
        _ => WaitEnd::Without,
    };
    if matches!(role, WakeRole::AwaitsLock | WakeRole::AwaitsSemaphore | WakeRole::AwaitsCondition) {
        // SAFETY: the caller's promise.
        unsafe { end_waits(frame.waits, has_got, address(frame), by_call(frame, 0)) };
    }
}

/// What is the call's own as long as it lasts.
fn address(frame: &CallFrame) -> usize {
    (&raw const *frame).addr()
}
