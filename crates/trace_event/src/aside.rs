//! A thread's words while a child that shares its maker's memory may use them, see [`ThreadState::aside`].

use crate::thread::{ThreadState, load, thread_state};
use crate::{current, entered, thread_words};

/// What [`ThreadState::aside`] is to be while the calling thread's words are set aside for a child: with a
/// placeholder for that, if it won't be able to ask who it is.
pub fn aside_word() -> u64 {
    let maker = entered::enter().map_or(0, |maker| maker.tid() as u32);
    let placeholder = current::shared().filter(|shared| !(shared.hooks.may_call)());
    let placeholder = placeholder.map_or(1, |shared| shared.control.new_placeholder());
    u64::from(maker) << 32 | u64::from(placeholder)
}

/// Sets the calling thread's words aside, and gives what they were.
///
/// In this order, word by word: a handler that comes in between must not take them for those of a new thread.
pub fn set_aside() -> ThreadState {
    let aside = aside_word();
    let (words, before) = (thread_state(), load());
    // SAFETY: the words are the thread's own.
    unsafe {
        (&raw mut (*words).aside).write_volatile(aside);
        (&raw mut (*words).aside_common).write_volatile(0);
        (&raw mut (*words).common).write_volatile(before.common & abi::common::STATE);
        (&raw mut (*words).task).write_volatile(0);
        (&raw mut (*words).libc_tid).write_volatile(0);
    }
    before
}

/// Takes the words back that were set aside, in the other order.
pub fn take_back(before: ThreadState) {
    let words = thread_state();
    // SAFETY: the words are the thread's own.
    unsafe {
        (&raw mut (*words).aside_common).write_volatile(before.aside_common);
        (&raw mut (*words).mask).write_volatile(before.mask);
        (&raw mut (*words).locks).write_volatile(before.locks);
        (&raw mut (*words).common).write_volatile(before.common);
        (&raw mut (*words).task).write_volatile(before.task);
        (&raw mut (*words).libc_tid).write_volatile(before.libc_tid);
        (&raw mut (*words).aside).write_volatile(before.aside);
    }
}

thread_words!(
    /// Where a thread that can't keep them elsewhere keeps its words while they are aside.
    fn kept() -> *mut ThreadState,
    "lookback_thread_kept"
);

/// Sets the calling thread's words aside, and keeps what they were for [`take_back_kept`].
pub fn keep_aside() {
    let before = set_aside();
    // SAFETY: the words are the thread's own.
    unsafe { kept().write_volatile(before) };
}

/// Takes the words back that were kept; in the thread that has kept them, or in a copy of it.
pub fn take_back_kept() {
    // SAFETY: the words are the thread's own.
    take_back(unsafe { kept().read_volatile() });
}
