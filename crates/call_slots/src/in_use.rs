//! One moment in the use of a slot, by which it is known later that all has been the same since.

use crate::place::{self, SHOWN};
use crate::slot::SlotState;
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use shm::compare_exchange_pair;

/// A slot whose code its function is to return to, or was.
///
/// In one use of a slot the place is another one than 0 only from [`SlotState::begin`] to
/// [`SlotState::end`], and `next` counts how often the caller's address was shown there. So when these three
/// words are the same at two times, they were in between.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SlotInUse<'a> {
    state: &'a SlotState,
    place: u64,
    next: u32,
    uses: u32,
}

impl<'a> SlotInUse<'a> {
    /// None for a slot that has no code to return to, or that is free.
    // Acquire: pairs with the Release of `begin`; and the count of uses is the oldest of what is read here,
    // for another use begins with it.
    pub(crate) fn of(state: &'a SlotState) -> Option<SlotInUse<'a>> {
        let uses = state.uses.load(Acquire);
        let next = state.next.load(Acquire);
        let place = state.place.load(Acquire);
        place::has_code(place).then_some(SlotInUse { state, place, next, uses })
    }

    /// Where its return address is.
    pub(crate) fn address(self) -> u64 {
        place::address(self.place)
    }

    pub(crate) fn is_shown(self) -> bool {
        place::tag(self.place) == SHOWN
    }

    /// Whether the function was left, if this word is found at the place.
    // Relaxed: it is the caller's of the same use, or what depends on it fails.
    pub(crate) fn is_left(self, word: u64, return_address: u64) -> bool {
        word != return_address && !(self.is_shown() && word == self.state.caller.load(Relaxed))
    }

    /// Frees it, if all is as it was.
    pub(crate) fn take_back(self) -> bool {
        self.replace(0, self.next)
    }

    /// Marks it as shown, if all is as it was: who has looked at its place before knows nothing of it.
    pub(crate) fn mark_shown(self) -> bool {
        self.replace(self.address() | SHOWN, self.next.wrapping_add(1))
    }

    fn replace(self, place: u64, next: u32) -> bool {
        let uses = u64::from(self.uses) << 32;
        let expected = (self.place, uses | u64::from(self.next));
        let new = (place, uses | u64::from(next));
        // SAFETY: `next` and `uses` lie after `place`, see `SlotState`.
        unsafe { compare_exchange_pair(self.state.place.as_ptr(), expected, new) }
    }
}
