//! What each thread has of its own for its calls.

use call_slots::SlotUse;
use trace_event::thread_words;

/// A thread's words. All zero in a thread that has made no such call yet.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct GraphWords {
    /// Free slots of its own, see `pool.rs`.
    pub(super) free: u64,
    /// The innermost call that is under way, a [`SlotUse`].
    pub(super) innermost: u64,
    /// Calls that were not recorded because there was no slot.
    pub(super) missed: u32,
    /// Whether it is about to end, and keeps no slots of its own any more.
    pub(super) is_ending: u32,
}

thread_words!(
    /// The calling thread's words.
    #[inline(always)]
    pub(super) fn words() -> *mut GraphWords,
    "lookback_thread_graph"
);

pub(super) fn innermost() -> SlotUse {
    // SAFETY: the words are the thread's own.
    SlotUse(unsafe { (&raw const (*words()).innermost).read_volatile() })
}

pub(super) fn set_innermost(call: SlotUse) {
    // SAFETY: the words are the thread's own.
    unsafe { (&raw mut (*words()).innermost).write_volatile(call.0) };
}

/// Calls of the thread that were not recorded because there was no slot.
pub(super) fn missed() -> u32 {
    // SAFETY: the words are the thread's own.
    unsafe { (&raw const (*words()).missed).read_volatile() }
}

/// Counts a call that is not recorded because there is no slot.
pub(super) fn miss() {
    // SAFETY: the words are the thread's own.
    unsafe { (&raw mut (*words()).missed).write_volatile(missed().wrapping_add(1)) };
}
