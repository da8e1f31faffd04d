//! What the latency tracer `wakeup` does around a call that waits for other threads, or wakes them.
//!
//! It is looked at where the call takes the slow path, which the tracer has it do (see
//! [`abi::control::WATCHED`]).
//!
//! Where that is data in a descriptor the kernel is asked which one it is, and nowhere else: the program's
//! own system calls aren't all that is made then. Not where there may be a filter of them.
//!
//! # Safety
//!
//! As for hooks, see `lock.rs`.

mod epoll_set;
mod kernel;
mod source;
mod unix_peer;
mod waits;

use self::source::WrittenTo;
use crate::preload::memory::readable::may_ask;
use crate::preload::section::by_call;
use crate::preload::wrapper::frame::CallFrame;
use control::Woken;
use events::WakeRole;
use trace_event::{
    BegunWaits, WaitEnd, begin_waits, call_time, doubt_readable, end_waits, is_aside, makes_readable, wakes,
    wakeups_are_measured,
};

/// Before libc's function is called.
#[inline]
pub(crate) fn before(frame: &mut CallFrame, role: WakeRole) {
    frame.waits = BegunWaits::NONE;
    if wakeups_are_measured() {
        if is_of_data(role) { begin_data(frame, role) } else { begin(frame, role) }
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
        unsafe { if is_of_data(role) { end_data(frame, role) } else { end(frame, role) } };
    }
}

#[cold]
#[inline(never)]
fn begin(frame: &mut CallFrame, role: WakeRole) {
    let [object, mutex, ..] = frame.arguments;
    let address = frame_address(frame);
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
        _ => return,
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
        unsafe { end_waits(frame.waits, has_got, frame_address(frame), by_call(frame, 0)) };
    }
}

/// Whether it is about data in descriptors.
const fn is_of_data(role: WakeRole) -> bool {
    is_writing(role)
        || matches!(
            role,
            WakeRole::Reads
                | WakeRole::ReadsEvent
                | WakeRole::Receives
                | WakeRole::Polls
                | WakeRole::Selects
                | WakeRole::AwaitsEpoll
        )
}

const fn is_writing(role: WakeRole) -> bool {
    matches!(role, WakeRole::Writes | WakeRole::WritesEvent)
}

#[cold]
#[inline(never)]
fn begin_data(frame: &mut CallFrame, role: WakeRole) {
    // A child in its parent's memory measures nothing.
    if is_aside() || !may_ask() {
        return;
    }
    if !is_writing(role) {
        // SAFETY: the frame of such a call, before it.
        frame.waits = unsafe { waits::begin(frame, role) };
    } else if let Some(written) = WrittenTo::to(frame.arguments[0] as i32)
        && makes_readable(written.source, || by_call(frame, 0), || written.is_readable())
    {
        frame.waits = BegunWaits::WOKEN;
    }
}

/// # Safety
///
/// The frame of such a call, which has returned.
#[cold]
#[inline(never)]
unsafe fn end_data(frame: &CallFrame, role: WakeRole) {
    if frame.waits == BegunWaits::NONE {
        return;
    }
    if !is_writing(role) {
        // SAFETY: the caller's promise.
        return unsafe { waits::end(frame, role) };
    }
    let has_failed = match role {
        WakeRole::WritesEvent => frame.result as i32 != 0,
        _ => frame.result as i32 <= 0,
    };
    // What it has woken it has woken at once, or nobody knows.
    if may_ask()
        && let Some(written) = WrittenTo::to(frame.arguments[0] as i32)
        && (has_failed || !written.is_sent())
    {
        doubt_readable(written.source);
    }
}

/// What is the call's own as long as it lasts.
fn frame_address(frame: &CallFrame) -> usize {
    (&raw const *frame).addr()
}
