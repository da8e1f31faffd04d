//! Locks that a thread holds: each event says how many.
//!
//! They are counted from a process's first call on, those of mutexes, spin locks and of locks for readers and
//! writers, by what libc's functions return. Where nothing else is wanted of a call, the frame counts by
//! itself (`arch/x86_64/frame.rs`).
//!
//! # Safety
//!
//! Hooks are called by the frame of `frame.rs` only, around the call that they are named after, with its
//! arguments and its result.

use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use trace_event::count_lock;

/// Calls that take a lock.
pub(crate) const TAKE: CallHooks = CallHooks { before: |_| (), after: after_take };

/// Calls that free one.
pub(crate) const FREE: CallHooks = CallHooks { before: |_| (), after: after_free };

/// Calls that wait for a condition: without the mutex, which they have again when they return.
pub(crate) const WAIT: CallHooks = CallHooks { before: |_| count_lock(false), after: |_| count_lock(true) };

/// Whether a call that takes a lock has it, by its result. One whose owner has died is taken, too.
pub(crate) fn is_taken(result: i32) -> bool {
    matches!(result, 0 | libc::EOWNERDEAD)
}

unsafe fn after_take(frame: &mut CallFrame) {
    if is_taken(frame.result as i32) {
        count_lock(true);
    }
}

unsafe fn after_free(frame: &mut CallFrame) {
    if frame.result as i32 == 0 {
        count_lock(false);
    }
}
