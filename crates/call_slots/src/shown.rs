//! The callers that slots stand in for, where somebody wants to see them.

use crate::in_use::SlotInUse;
use crate::slot::SlotState;
use abi::atomic::AtomicU64;
use core::ops::Range;
use core::sync::atomic::Ordering::{Relaxed, Release};

impl SlotState {
    /// Has the caller's address stand at its place, if that lies there, or the slot's own again.
    ///
    /// Nothing is stored where another word is than one of these two: that is no return address any more, as
    /// the function was left.
    ///
    /// # Safety
    ///
    /// The words there are of the calling thread's stack, and no function on it returns meanwhile.
    pub unsafe fn show_caller(&self, stack: &Range<usize>, is_shown: bool, return_address: u64) {
        let Some(found) = SlotInUse::of(self).filter(|found| stack.contains(&(found.address() as usize)))
        else {
            return;
        };
        // SAFETY: the caller's promise.
        let word = unsafe { &*core::ptr::with_exposed_provenance::<AtomicU64>(found.address() as usize) };
        self.show_at(word, found, is_shown, return_address);
    }

    // Release: who looks for slots to take back finds the mark before the word that it is for, and after
    // (G2). Relaxed: words that only the thread itself changes.
    fn show_at(&self, word: &AtomicU64, found: SlotInUse<'_>, is_shown: bool, return_address: u64) {
        let caller = self.caller.load(Relaxed);
        let (from, to) = if is_shown { (return_address, caller) } else { (caller, return_address) };
        if is_shown == found.is_shown() || word.load(Relaxed) != from || !found.mark_shown() {
            return;
        }
        word.store(to, Release);
        if !is_shown {
            self.place.store(found.address(), Release);
        }
    }
}
