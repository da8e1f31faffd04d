//! Which slots are free.
//!
//! Each thread has a list of its own, taken from and added to at its head by one instruction that handlers of
//! signals come before or after. What it doesn't need is in a list that all threads share, and those that
//! nobody has ever used are counted.

use crate::head::{ListHead, MOST_SLOTS};
use crate::slot::SlotState;
use crate::slot_use::SlotUse;
use abi::atomic::{AtomicU32, AtomicU64};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// How many slots a thread keeps at most.
const KEPT: u8 = 64;

/// How many it gets at a time.
const BATCH: u32 = 8;

/// A slot, with what its function's thread keeps there besides.
pub trait WithState {
    /// Its state.
    fn state(&self) -> &SlotState;

    /// Where a function returns to that runs in it.
    fn return_address(&self) -> u64;
}

/// What a thread has of its own for its list.
pub trait OwnList: Copy {
    /// The list's word: 0 at first.
    fn word(self) -> u64;

    /// Replaces it, if it is as expected, by what handlers of signals come before or after.
    fn replace(self, expected: u64, new: u64) -> bool;

    /// Whether the thread is about to end, and keeps no slots.
    fn is_ending(self) -> bool;

    /// Says that it is.
    fn set_ending(self);
}

/// The words that threads share.
#[derive(Debug, Default)]
pub struct SharedSlots {
    /// The list of those that are no thread's. (Its length says nothing.)
    free: AtomicU64,
    /// How many have ever been used.
    used: AtomicU32,
}

impl SharedSlots {
    /// Where none has been used.
    pub const fn new() -> SharedSlots {
        SharedSlots { free: AtomicU64::new(0), used: AtomicU32::new(0) }
    }
}

/// All slots.
#[derive(Debug)]
pub struct Slots<'a, S> {
    all: &'a [S],
    shared: &'a SharedSlots,
}

impl<'a, S: WithState> Slots<'a, S> {
    /// These: fewer than 2^24.
    pub const fn new(all: &'a [S], shared: &'a SharedSlots) -> Slots<'a, S> {
        debug_assert!(all.len() <= MOST_SLOTS);
        Slots { all, shared }
    }

    /// The slot of a number, from 1 on.
    #[inline(always)]
    fn numbered(&self, number: u32) -> Option<&'a S> {
        self.all.get((number as usize).wrapping_sub(1))
    }

    #[inline(always)]
    fn number(&self, slot: &S) -> u32 {
        let offset = (&raw const *slot).addr() - self.all.as_ptr().addr();
        (offset / size_of::<S>()) as u32 + 1
    }

    /// The slot, if it is still the same use of it.
    // Relaxed: a use that the thread knows of is one whose words it has seen.
    #[inline(always)]
    pub fn of_use(&self, found: SlotUse) -> Option<&'a S> {
        let slot = self.numbered(found.0 as u32)?;
        (slot.state().uses.load(Relaxed) == (found.0 >> 32) as u32).then_some(slot)
    }

    /// This use of a slot.
    // Relaxed: by who has begun it.
    #[inline(always)]
    pub fn this_use(&self, slot: &S) -> SlotUse {
        SlotUse(u64::from(slot.state().uses.load(Relaxed)) << 32 | u64::from(self.number(slot)))
    }

    /// A slot that is nobody else's. None where all are in use.
    #[inline(always)]
    pub fn take(&self, own: impl OwnList) -> Option<&'a S> {
        self.take_own(own).or_else(|| self.take_slowly(own))
    }

    /// As [`Slots::take`], of those that the thread has: None where it has none. Nothing is called for it.
    // Relaxed: `next` of a slot in the thread's own list. Where a handler has taken it the head is another.
    #[inline(always)]
    pub fn take_own(&self, own: impl OwnList) -> Option<&'a S> {
        loop {
            let word = own.word();
            let head = ListHead::of(word);
            let first = self.numbered(head.first)?;
            let rest = head.without_first(first.state().next.load(Relaxed)).word();
            if own.replace(word, rest) {
                return Some(first);
            }
        }
    }

    /// Gives back a slot that is the caller's.
    #[inline(always)]
    pub fn give_back(&self, own: impl OwnList, slot: &'a S) {
        if !self.keep(own, slot) {
            self.share(slot);
        }
    }

    /// As [`Slots::give_back`], to the thread's own list: false where that is to have no more. Nothing is
    /// called for it.
    #[inline(always)]
    pub fn keep(&self, own: impl OwnList, slot: &'a S) -> bool {
        self.push(own, slot, |head| head.len < KEPT && (head.first != 0 || !own.is_ending()))
    }

    /// Undoes a [`Slots::take_own`] that has just been done. Nothing is called for it.
    #[inline(always)]
    pub fn put_back(&self, own: impl OwnList, slot: &'a S) {
        self.push(own, slot, |_| true);
    }

    /// Adds a slot to the thread's own list, unless that is to have no more.
    // Relaxed: the list is the thread's own.
    #[inline(always)]
    fn push(&self, own: impl OwnList, slot: &'a S, may_grow: impl Fn(ListHead) -> bool) -> bool {
        loop {
            let word = own.word();
            let head = ListHead::of(word);
            if !may_grow(head) {
                return false;
            }
            slot.state().next.store(head.first, Relaxed);
            if own.replace(word, head.with_first(self.number(slot)).word()) {
                return true;
            }
        }
    }

    /// Gives back a slot whose code its function doesn't return to.
    pub fn give_back_without_code(&self, own: impl OwnList, slot: &'a S) {
        slot.state().end_without_code();
        self.give_back(own, slot);
    }

    /// Gives back those of the functions that were jumped to at the end of a slot's, the last one first, and
    /// says of each that it has returned.
    pub fn give_back_jumped(&self, own: impl OwnList, slot: &'a S, mut returned: impl FnMut(&'a S)) {
        // Each is off the slot before it is anybody's: who comes after a jump out of a handler gives back the
        // rest, and none twice.
        while let Some(jumped) = self.of_use(slot.state().jumped())
            && !core::ptr::eq(jumped, slot)
        {
            returned(jumped);
            slot.state().set_jumped(jumped.state().outer());
            self.give_back_without_code(own, jumped);
        }
    }

    #[cold]
    #[inline(never)]
    fn take_slowly(&self, own: impl OwnList) -> Option<&'a S> {
        // One after the other: a jump out of a handler loses the one that comes at this time.
        if !own.is_ending() {
            (1..BATCH).map_while(|_| self.take_unowned()).for_each(|slot| self.give_back(own, slot));
        }
        self.take_unowned().or_else(|| self.take_own(own))
    }

    /// One that is no thread's.
    // AcqRel, Acquire: who takes a slot sees what its last user has stored there.
    fn take_unowned(&self) -> Option<&'a S> {
        let mut word = self.shared.free.load(Acquire);
        while let Some(first) = self.numbered(ListHead::of(word).first) {
            // Relaxed: where it is another's by now the head is another, too.
            let rest = ListHead::of(word).without_first(first.state().next.load(Relaxed)).word();
            match self.shared.free.compare_exchange(word, rest, AcqRel, Acquire) {
                Ok(_) => return Some(first),
                Err(now) => word = now,
            }
        }
        // Relaxed: nobody has ever stored anything in those.
        let next = |used: u32| ((used as usize) < self.all.len()).then(|| used + 1);
        let used = self.shared.used.fetch_update(Relaxed, Relaxed, next).ok()?;
        self.numbered(used + 1)
    }

    /// Gives a slot to whoever needs one.
    // AcqRel: pairs with that of `take_unowned`. Relaxed: nothing is read but the head.
    #[cold]
    #[inline(never)]
    pub(crate) fn share(&self, slot: &'a S) {
        let mut word = self.shared.free.load(Relaxed);
        loop {
            let head = ListHead::of(word);
            slot.state().next.store(head.first, Relaxed);
            let new = head.with_first(self.number(slot)).word();
            match self.shared.free.compare_exchange(word, new, AcqRel, Relaxed) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }

    /// Has the calling thread, which is about to end, keep no free slots.
    // Relaxed: as in `take`.
    pub fn thread_ends(&self, own: impl OwnList) {
        own.set_ending();
        loop {
            let word = own.word();
            let head = ListHead::of(word);
            let Some(first) = self.numbered(head.first) else { return };
            let rest = head.without_first(first.state().next.load(Relaxed)).word();
            if own.replace(word, rest) {
                self.share(first);
            }
        }
    }

    /// The slots that were ever used.
    // Acquire: pairs with nothing that is needed: a slot that is missed was in no use before.
    pub(crate) fn used(&self) -> impl Iterator<Item = &'a S> {
        (1..=self.shared.used.load(Acquire)).filter_map(move |number| self.numbered(number))
    }
}
