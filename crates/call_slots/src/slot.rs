//! What is kept of a slot so that it is one function's at a time.

use crate::place::{self, BETWEEN_SITES, JUMPED};
use crate::slot_use::SlotUse;
use abi::atomic::{AtomicU32, AtomicU64};
use core::mem::offset_of;
use core::sync::atomic::Ordering::{Relaxed, Release};

/// A slot's state. The instructions of its code use the first two words.
///
/// The words of one that is free keep what they were, but for the place. All are atomic: handlers of signals,
/// and who looks for slots to take back, read them at any time.
#[derive(Debug, Default)]
#[repr(C, align(16))]
pub struct SlotState {
    /// Where the function goes on after its site.
    pub body: AtomicU64,
    /// What it returns to. Of one between sites: what these know it by.
    pub caller: AtomicU64,
    /// Where its return address is, and the bits of `place.rs`; 0 for none.
    pub(crate) place: AtomicU64,
    /// The next one of a list of free ones. Of one in use: counts how often its caller was shown.
    pub(crate) next: AtomicU32,
    /// Counts its uses: a reference to an earlier one leads nowhere.
    pub(crate) uses: AtomicU32,
    /// The call that encloses this one, and the one that it was jumped from.
    outer: AtomicU64,
    /// The last of the functions that were jumped to at the end of this one; 0 for none.
    jumped: AtomicU64,
}

// The pair that is replaced at once.
const _: () = assert!(offset_of!(SlotState, place) == 16 && offset_of!(SlotState, next) == 24);
const _: () = assert!(offset_of!(SlotState, uses) == 28 && cfg!(target_endian = "little"));

impl SlotState {
    /// Begins another use of it.
    // Relaxed: who finds it in use has seen the Release of `begin`. That none of the others is older than the
    // count matters to nobody else.
    #[inline(always)]
    pub fn use_for(&self, outer: SlotUse) {
        self.uses.store(self.uses.load(Relaxed).wrapping_add(1), Relaxed);
        self.outer.store(outer.0, Relaxed);
        self.jumped.store(0, Relaxed);
    }

    /// Has a function run in it that has its return address at a place: what is stored there from now on is
    /// the slot's own.
    ///
    /// The word is the return address of a function that has just been called, and that goes on in the slot's
    /// code.
    // Release: who finds the place finds the other words, and the slot's address there (G2).
    #[inline(always)]
    pub fn begin(&self, place: &AtomicU64, return_address: u64) {
        place.store(return_address, Release);
        self.place.store(place.as_ptr().addr() as u64, Release);
    }

    /// Has the function that has returned go on in its caller. Only then the slot is nobody's (G3).
    ///
    /// The word is what the function has returned by, where its caller's address goes.
    // Release: in this order, for handlers and for whoever looks for slots to take back (G2). Relaxed: the
    // thread that returns has stored it, or has got the function from the one that did.
    #[inline(always)]
    pub fn end(&self, place: &AtomicU64) {
        self.place.store(0, Release);
        place.store(self.caller.load(Relaxed), Release);
    }

    /// Notes a function that has been jumped to at the end of `from`'s: it returns when that does, and has no
    /// code of a slot.
    // Relaxed: nobody looks for these by themselves.
    pub fn begin_jumped(&self, this_use: SlotUse, from: &SlotState) {
        self.place.store(from.place() | JUMPED, Relaxed);
        from.set_jumped(this_use);
    }

    /// Notes a function that ends at another site, with the stack as it is now.
    // Relaxed: nobody but its own thread looks for it.
    pub fn begin_between_sites(&self, function: u64, stack_pointer: u64) {
        self.caller.store(function, Relaxed);
        self.place.store(stack_pointer | BETWEEN_SITES, Relaxed);
    }

    /// Ends one that has no code of a slot.
    // Release: the same as for those that have.
    pub(crate) fn end_without_code(&self) {
        self.place.store(0, Release);
    }

    /// Where the return address of its function is, if it is in use.
    // Relaxed: of a function on the thread's own stack, or nothing depends on it (G4).
    #[inline(always)]
    pub fn place(&self) -> u64 {
        place::address(self.place.load(Relaxed))
    }

    /// Whether its function ends at another site.
    // Relaxed: see `place`.
    pub fn is_between_sites(&self) -> bool {
        place::tag(self.place.load(Relaxed)) == BETWEEN_SITES
    }

    /// The call that encloses this one.
    // Relaxed: stored before the use of it that leads here.
    #[inline(always)]
    pub fn outer(&self) -> SlotUse {
        SlotUse(self.outer.load(Relaxed))
    }

    /// The last of the functions that were jumped to at the end of this one.
    // Relaxed: stored by the thread that the function is in.
    #[inline(always)]
    pub fn jumped(&self) -> SlotUse {
        SlotUse(self.jumped.load(Relaxed))
    }

    // Relaxed: see `jumped`.
    pub(crate) fn set_jumped(&self, last: SlotUse) {
        self.jumped.store(last.0, Relaxed);
    }
}
