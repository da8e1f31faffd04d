//! Which slots are free.
//!
//! Each thread has a list of its own, taken from and added to at its head by one instruction that handlers of
//! signals come before or after. What it doesn't need is in a list that all threads share, and those that
//! nobody has ever used are counted.

use super::slot::{CallSlot, SLOTS};
use super::thread::{GraphWords, words};
use crate::preload::arch::call_slots::compare_exchange_own;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};

/// The head of a list: the number of the first slot, how many there are, and a count of changes, by which a
/// head that was replaced and restored in between is another one.
#[derive(Debug, Clone, Copy)]
struct ListHead {
    first: u32,
    len: u8,
    changes: u32,
}

impl ListHead {
    fn of(word: u64) -> ListHead {
        ListHead { first: word as u32 & 0xff_ffff, len: (word >> 24) as u8, changes: (word >> 32) as u32 }
    }

    fn word(self) -> u64 {
        u64::from(self.first) | u64::from(self.len) << 24 | u64::from(self.changes) << 32
    }

    fn without_first(self, next: u32) -> ListHead {
        let changes = self.changes.wrapping_add(1);
        ListHead { first: next, len: self.len.saturating_sub(1), changes }
    }

    fn with_first(self, first: u32) -> ListHead {
        ListHead { first, len: self.len.saturating_add(1), changes: self.changes.wrapping_add(1) }
    }
}

const _: () = assert!(SLOTS < 1 << 24);

/// How many slots a thread keeps at most.
const KEPT: u8 = 64;

/// How many it gets at a time.
const BATCH: u32 = 8;

/// Those that are no thread's. (Its length says nothing.)
static SHARED: AtomicU64 = AtomicU64::new(0);

/// How many have ever been used.
static USED: AtomicU32 = AtomicU32::new(0);

/// A slot that is nobody else's. None where all are in use.
#[inline(always)]
pub(super) fn take() -> Option<&'static CallSlot> {
    let words = words();
    loop {
        // SAFETY: the words are the thread's own.
        let word = unsafe { (&raw const (*words).free).read_volatile() };
        let head = ListHead::of(word);
        let Some(first) = CallSlot::numbered(head.first) else { return take_slowly(words) };
        let rest = head.without_first(first.next.load(Relaxed)).word();
        // SAFETY: the words are the thread's own.
        if unsafe { compare_exchange_own(&raw mut (*words).free, word, rest) } {
            return Some(first);
        }
    }
}

/// Gives back a slot that is the caller's.
#[inline(always)]
pub(super) fn give_back(slot: &'static CallSlot) {
    let words = words();
    loop {
        // SAFETY: the words are the thread's own.
        let word = unsafe { (&raw const (*words).free).read_volatile() };
        let head = ListHead::of(word);
        if head.len >= KEPT || head.first == 0 && is_ending(words) {
            return share(slot);
        }
        slot.next.store(head.first, Relaxed);
        // SAFETY: the words are the thread's own.
        if unsafe {
            compare_exchange_own(&raw mut (*words).free, word, head.with_first(slot.number()).word())
        } {
            return;
        }
    }
}

/// Gives back a slot whose code its function doesn't return to.
pub(super) fn give_back_without_code(slot: &'static CallSlot) {
    slot.place.store(0, Release);
    give_back(slot);
}

fn is_ending(words: *const GraphWords) -> bool {
    // SAFETY: the words are the thread's own.
    unsafe { (&raw const (*words).is_ending).read_volatile() != 0 }
}

#[cold]
#[inline(never)]
fn take_slowly(words: *const GraphWords) -> Option<&'static CallSlot> {
    let found = take_unowned()?;
    if !is_ending(words) {
        (1..BATCH).map_while(|_| take_unowned()).for_each(give_back);
    }
    Some(found)
}

/// One that is no thread's.
// AcqRel, Acquire: who takes a slot sees what its last user has stored there.
fn take_unowned() -> Option<&'static CallSlot> {
    let mut word = SHARED.load(Acquire);
    while let Some(first) = CallSlot::numbered(ListHead::of(word).first) {
        let rest = ListHead::of(word).without_first(first.next.load(Relaxed)).word();
        match SHARED.compare_exchange(word, rest, AcqRel, Acquire) {
            Ok(_) => return Some(first),
            Err(now) => word = now,
        }
    }
    // Relaxed: nobody has ever stored anything in those.
    let next = |used: u32| (used < SLOTS as u32).then(|| used + 1);
    let used = USED.fetch_update(Relaxed, Relaxed, next).ok()?;
    CallSlot::numbered(used + 1)
}

/// Gives a slot to whoever needs one.
// AcqRel: pairs with that of `take_unowned`.
#[cold]
#[inline(never)]
pub(super) fn share(slot: &'static CallSlot) {
    let mut word = SHARED.load(Relaxed);
    loop {
        let head = ListHead::of(word);
        slot.next.store(head.first, Relaxed);
        match SHARED.compare_exchange(word, head.with_first(slot.number()).word(), AcqRel, Relaxed) {
            Ok(_) => return,
            Err(now) => word = now,
        }
    }
}

/// Has the calling thread, which is about to end, keep no free slots.
pub(in crate::preload::function) fn thread_ends() {
    let words = words();
    // SAFETY: the words are the thread's own.
    unsafe { (&raw mut (*words).is_ending).write_volatile(1) };
    loop {
        // SAFETY: the words are the thread's own.
        let word = unsafe { (&raw const (*words).free).read_volatile() };
        let head = ListHead::of(word);
        let Some(first) = CallSlot::numbered(head.first) else { return };
        let rest = head.without_first(first.next.load(Relaxed)).word();
        // SAFETY: the words are the thread's own.
        if unsafe { compare_exchange_own(&raw mut (*words).free, word, rest) } {
            share(first);
        }
    }
}

/// The slots that were ever used.
pub(super) fn used() -> impl Iterator<Item = &'static CallSlot> {
    (1..=USED.load(Acquire)).filter_map(CallSlot::numbered)
}
