//! Threads that wait, and who has woken them.
//!
//! No operation waits for another one. An entry is its owner's from one exchange to the next; who looks at
//! others' takes what he finds for true only if its word of the wake has not changed since he has read what
//! the entry is of. That word is another one for each wait.

use crate::area::ControlArea;
use abi::control::waiter::{
    OFFSET, WAITERS, WAITERS_IN_ROW, Waiter, owner_process, place_at, wait_start, waiting_since, wake_place,
    wake_time,
};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Which of those that wait for something a call wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// The one that has been waiting longest.
    First,
    /// Everyone.
    All,
    /// Perhaps everyone, and whether one that was woken goes on depends on the last such call before it does:
    /// a lock may be taken by another one meanwhile.
    AllAgain,
}

/// A call that wakes others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WakingCall {
    /// Its process.
    pub process: u32,
    /// When.
    pub time: u64,
    /// The address that its call returns to.
    pub place: u64,
}

/// How a thread was woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wake {
    /// When.
    pub time: u64,
    /// Where, as an address that a call returns to; 0 in another process, and where it isn't known.
    pub place: u64,
}

impl ControlArea {
    /// Says that a call waits for what `key` is from `time` on, and where; or not before it is woken from
    /// another wait of its own, `after`. In place of the one that began first where there is no free entry:
    /// such a wait may have ended without saying so. Async-signal-safe.
    // Relaxed: what is stored is published with the key.
    pub fn begin_wait(&self, key: u64, owner: u64, time: u64, after: Option<usize>) -> Option<usize> {
        self.begin_entry(key, owner, time, |entry| {
            entry.after.store(number(after), Relaxed);
            entry.thread.store(0, Relaxed);
        })
    }

    /// Takes an entry for a wait, which `fill` says the rest of.
    // AcqRel: what follows comes after the entry is this one's. Release: pairs with the Acquire of `waiters`:
    // of what stood there before nobody finds the key with the new word, and the reverse.
    pub(crate) fn begin_entry(
        &self,
        key: u64,
        owner: u64,
        time: u64,
        fill: impl FnOnce(&Waiter),
    ) -> Option<usize> {
        let row = row(key);
        let entries = self.row(row);
        let claim =
            |entry: &Waiter, from: u64| entry.owner.compare_exchange(from, owner, AcqRel, Relaxed).is_ok();
        let free = entries.iter().position(|entry| entry.owner.load(Relaxed) == 0 && claim(entry, 0));
        let index = free.or_else(|| {
            let began = |entry: &Waiter| wake_time(entry.wake.load(Relaxed));
            let (index, entry) = entries.iter().enumerate().min_by_key(|(_, entry)| began(entry))?;
            claim(entry, entry.owner.load(Relaxed)).then_some(index)
        })?;
        let entry = entries.get(index)?;
        entry.key.store(0, Relaxed);
        entry.wake.store(waiting_since(time), Release);
        fill(entry);
        entry.key.store(key, Release);
        Some(row * WAITERS_IN_ROW + index)
    }

    /// Ends a wait, and says how the thread was woken, if somebody has. Async-signal-safe.
    // Acquire: the place was stored after the wake, and is taken for none where it wasn't yet. Release: who
    // claims the entry finds it left.
    pub fn end_wait(&self, index: usize, owner: u64) -> Option<Wake> {
        let entry = self.waiters().get(index)?;
        if entry.owner.load(Acquire) != owner {
            return None;
        }
        let wake = entry.wake.load(Acquire);
        let place = place_at(entry.place.load(Relaxed), wake);
        entry.key.store(0, Relaxed);
        // Another wait may have it by now.
        entry.owner.compare_exchange(owner, 0, AcqRel, Relaxed).ok()?;
        if wait_start(wake).is_some() { None } else { Some(Wake { time: wake, place }) }
    }

    /// Notes that a call is about to wake those that wait for what `key` is. Whether there are any.
    /// Async-signal-safe. Cost with nobody waiting: eight loads.
    pub fn wake(&self, key: u64, woken: Woken, waker: &WakingCall) -> bool {
        let note = |found| note(found, waker);
        let sleeping = self.waiting_for(key).filter(|(_, seen)| wait_start(*seen).is_some());
        match woken {
            Woken::First => sleeping.min_by_key(|(_, seen)| *seen).is_some_and(note),
            Woken::All => sleeping.filter(|found| note(*found)).count() > 0,
            Woken::AllAgain => self.waiting_for(key).filter(|found| note(*found)).count() > 0,
        }
    }

    /// Notes that a call has had what others were woken for: they go on waiting, from `time` on.
    /// Async-signal-safe.
    // AcqRel: as in `wake`.
    pub fn take_wakes(&self, key: u64, time: u64) {
        for (entry, seen) in self.waiting_for(key).filter(|(_, seen)| wait_start(*seen).is_none()) {
            let _ = entry.wake.compare_exchange(seen, waiting_since(time), AcqRel, Relaxed);
        }
    }

    /// The entries of those that wait for something, and for nothing else before that, each with its word of
    /// the wake.
    // Acquire: pairs with the Release of `begin_wait`. The word first: if it is still the same when it is
    // exchanged, the key was of that wait.
    pub(crate) fn waiting_for(&self, key: u64) -> impl Iterator<Item = (&Waiter, u64)> {
        let entries = self.row_of(key).iter();
        entries.filter_map(move |entry| {
            let seen = entry.wake.load(Acquire);
            (entry.key.load(Acquire) == key && !self.waits_before(entry)).then_some((entry, seen))
        })
    }

    /// Whether who has this entry waits for something else first.
    // Relaxed: what has changed meanwhile could have changed a moment later.
    fn waits_before(&self, entry: &Waiter) -> bool {
        let index = (entry.after.load(Relaxed) as usize).checked_sub(1);
        let first = index.and_then(|index| self.waiters().get(index));
        first.is_some_and(|first| {
            first.owner.load(Relaxed) == entry.owner.load(Relaxed)
                && wait_start(first.wake.load(Relaxed)).is_some()
        })
    }

    pub(crate) fn row_of(&self, key: u64) -> &[Waiter] {
        self.row(row(key))
    }

    fn row(&self, row: usize) -> &[Waiter] {
        let start = row * WAITERS_IN_ROW;
        self.waiters().get(start..start + WAITERS_IN_ROW).unwrap_or_default()
    }

    pub(crate) fn waiters(&self) -> &[Waiter; WAITERS] {
        self.fixed::<OFFSET, _, WAITERS>()
    }
}

/// Notes a wake-up in an entry, unless its word has changed since it was seen. Whether it is noted.
// AcqRel: the place is stored after it. Relaxed: a place that is of another wake says so.
pub(crate) fn note((entry, seen): (&Waiter, u64), waker: &WakingCall) -> bool {
    let is_noted = entry.wake.compare_exchange(seen, waker.time, AcqRel, Relaxed).is_ok();
    if is_noted {
        let is_own = owner_process(entry.owner.load(Relaxed)) == waker.process;
        entry.place.store(wake_place(if is_own { waker.place } else { 0 }, waker.time), Relaxed);
    }
    is_noted
}

/// How an entry is named in another one.
pub(crate) fn number(index: Option<usize>) -> u64 {
    index.map_or(0, |index| index as u64 + 1)
}

/// Where the entries for a key are.
fn row(key: u64) -> usize {
    const ROWS: u64 = (WAITERS / WAITERS_IN_ROW) as u64;
    const { assert!(ROWS.is_power_of_two()) };
    // Objects are aligned: the lowest bits are no difference.
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (ROWS as usize - 1)
}
