//! Which slots are free: all of the object's, and the calling thread's list of them.

use super::slot::{CallSlot, SLOTS};
use super::thread::{GraphWords, words};
use crate::preload::arch::call_slots::{self, compare_exchange_own};
use ::call_slots::{OwnList, SharedSlots, SlotUse, Slots};

const _: () = assert!(SLOTS < 1 << 24);

static SHARED: SharedSlots = SharedSlots::new();

/// All slots.
pub(super) static ALL: Slots<'static, CallSlot> = Slots::new(call_slots::slots(), &SHARED);

/// The calling thread's words.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnWords(*mut GraphWords);

impl OwnWords {
    #[inline(always)]
    pub(super) fn here() -> OwnWords {
        OwnWords(words())
    }
}

impl OwnList for OwnWords {
    #[inline(always)]
    fn word(self) -> u64 {
        // SAFETY: the words are the thread's own.
        unsafe { (&raw const (*self.0).free).read_volatile() }
    }

    #[inline(always)]
    fn replace(self, expected: u64, new: u64) -> bool {
        // SAFETY: the words are the thread's own.
        unsafe { compare_exchange_own(&raw mut (*self.0).free, expected, new) }
    }

    #[inline(always)]
    fn is_ending(self) -> bool {
        // SAFETY: the words are the thread's own.
        unsafe { (&raw const (*self.0).is_ending).read_volatile() != 0 }
    }

    fn set_ending(self) {
        // SAFETY: the words are the thread's own.
        unsafe { (&raw mut (*self.0).is_ending).write_volatile(1) };
    }
}

/// A slot that is nobody else's. None where all are in use.
#[inline(always)]
pub(super) fn take() -> Option<&'static CallSlot> {
    ALL.take(OwnWords::here())
}

/// As [`take`], of those that the calling thread has. None where it has none.
#[inline(always)]
pub(super) fn take_own() -> Option<&'static CallSlot> {
    ALL.take_own(OwnWords::here())
}

/// Gives back what was just taken so.
#[inline(always)]
pub(super) fn put_back(slot: &'static CallSlot) {
    ALL.put_back(OwnWords::here(), slot);
}

/// As [`give_back`], to those that the calling thread has: false where it is to have no more.
#[inline(always)]
pub(super) fn keep(slot: &'static CallSlot) -> bool {
    ALL.keep(OwnWords::here(), slot)
}

/// Gives back a slot that is the caller's.
#[inline(always)]
pub(super) fn give_back(slot: &'static CallSlot) {
    ALL.give_back(OwnWords::here(), slot);
}

/// Gives back a slot whose code its function doesn't return to.
pub(super) fn give_back_without_code(slot: &'static CallSlot) {
    ALL.give_back_without_code(OwnWords::here(), slot);
}

/// The slot of a call, if it is still the same use of it.
#[inline(always)]
pub(super) fn slot_of(call: SlotUse) -> Option<&'static CallSlot> {
    ALL.of_use(call)
}

/// This use of a slot.
#[inline(always)]
pub(super) fn this_use(slot: &'static CallSlot) -> SlotUse {
    ALL.this_use(slot)
}

/// Has the calling thread, which is about to end, keep no free slots.
pub(in crate::preload::function) fn thread_ends() {
    ALL.thread_ends(OwnWords::here());
}
