//! Threads that wait for data in descriptors, and who has written what they wait for.
//!
//! A wait for any of several descriptors has an entry for each. What is noted is who has made one readable;
//! where that can't be known for sure the entry says so for the rest of the wait, and nothing is measured.

use crate::area::ControlArea;
use crate::waiters::{Wake, WakingCall, note, number};
use abi::control::waiter::{Waiter, doubtful, is_doubtful, place_at, wait_start, wake_time};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// A thread waits for data in what a key is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AwaitedData {
    /// What the data comes from.
    pub key: u64,
    /// By which the call knows the descriptor again.
    pub mark: u64,
    /// Since when.
    pub time: u64,
    /// The TID of who waits.
    pub thread: u32,
}

/// The entries of a call that waits for data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BegunEntries {
    /// The last one, which says which one was the last before it.
    pub last: Option<usize>,
    /// How many there are.
    pub count: usize,
}

/// What has been found out about a descriptor that a call has waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotedData {
    /// By which the call knows the descriptor.
    pub mark: u64,
    /// Who has made it readable, if that is known for sure.
    pub wake: Option<Wake>,
}

impl ControlArea {
    /// Says that a call waits for data, too, besides what it has begun to wait for. Whether there is an entry
    /// for it. Async-signal-safe.
    // Relaxed: what is stored is published with the key.
    pub fn await_data(&self, awaited: AwaitedData, owner: u64, begun: &mut BegunEntries) -> bool {
        self.end_left(&awaited, owner);
        let index = self.begin_entry(awaited.key, owner, awaited.time, |entry| {
            entry.after.store(0, Relaxed);
            entry.next.store(number(begun.last), Relaxed);
            entry.mark.store(awaited.mark, Relaxed);
            entry.thread.store(awaited.thread.into(), Relaxed);
        });
        if index.is_some() {
            *begun = BegunEntries { last: index, count: begun.count + 1 };
        }
        index.is_some()
    }

    /// Ends waits that another call has left by a jump, whose frame was where this one's is.
    // Relaxed: what the calling thread has stored itself; of others' entries the owner is another one.
    fn end_left(&self, awaited: &AwaitedData, owner: u64) {
        let is_left = |entry: &&Waiter| {
            entry.owner.load(Relaxed) == owner && wake_time(entry.wake.load(Relaxed)) < awaited.time
        };
        self.row_of(awaited.key).iter().filter(is_left).for_each(|entry| release(entry, owner));
    }

    /// What is known of all that a call waits for. Async-signal-safe.
    // Acquire: the place was stored after the wake, and is taken for none where it wasn't yet.
    pub fn noted_data(&self, begun: BegunEntries, owner: u64) -> impl Iterator<Item = NotedData> {
        self.entries_of(begun, owner).map(|(_, entry)| {
            let wake = entry.wake.load(Acquire);
            let place = place_at(entry.place.load(Relaxed), wake);
            let is_noted = wait_start(wake).is_none();
            NotedData { mark: entry.mark.load(Relaxed), wake: is_noted.then_some(Wake { time: wake, place }) }
        })
    }

    /// Ends a wait. Async-signal-safe.
    // Relaxed: as in `end_left`.
    pub fn end_awaiting(&self, begun: BegunEntries, owner: u64) {
        let mut ended = 0;
        // Which one is the next is known before an entry is left to others.
        for (index, _) in self.entries_of(begun, owner) {
            self.end_wait(index, owner);
            ended += 1;
        }
        // Another wait has taken one, with the way to those after it.
        if ended < begun.count {
            let own = |entry: &&Waiter| entry.owner.load(Relaxed) == owner;
            self.waiters().iter().filter(own).for_each(|entry| release(entry, owner));
        }
    }

    /// Notes that a call is about to write what makes something readable. `is_readable` says whether that is
    /// so already, if that can be known. Only of one thread that waits, and hasn't been woken, it is sure
    /// that this is what wakes it. Whether it is. Async-signal-safe. Cost with nobody waiting: eight loads.
    // Relaxed: the thread was published with the key.
    pub fn makes_readable(
        &self,
        key: u64,
        thread: u32,
        waker: &WakingCall,
        is_readable: impl FnOnce() -> Option<bool>,
    ) -> bool {
        let mut waiting = self.waiting_for(key);
        let Some(found) = waiting.next() else { return false };
        let is_alone = waiting.next().is_none() && found.0.thread.load(Relaxed) != u64::from(thread);
        let is_asleep = wait_start(found.1).is_some();
        match (is_alone && !is_doubtful(found.1)).then(|| (is_asleep, is_readable())) {
            Some((true, Some(false) | None)) if note(found, waker) => return true,
            // It is on its way, as what it was woken for is still there.
            Some((false, Some(true))) => {}
            _ => self.doubt(key),
        }
        false
    }

    /// Says that nobody knows who wakes those that wait for this just now. Async-signal-safe.
    // AcqRel: as in `note`.
    pub fn doubt(&self, key: u64) {
        for (entry, seen) in self.waiting_for(key) {
            let _ = entry.wake.compare_exchange(seen, doubtful(seen), AcqRel, Relaxed);
        }
    }

    /// The entries of a call, as far as they are still its own, with their numbers.
    // Acquire: what is read of an entry is what its owner has stored, who is the caller.
    fn entries_of(&self, begun: BegunEntries, owner: u64) -> impl Iterator<Item = (usize, &Waiter)> {
        let own = move |index: usize| {
            let entry = self.waiters().get(index)?;
            (entry.owner.load(Acquire) == owner).then_some((index, entry))
        };
        let next = move |entry: &Waiter| own((entry.next.load(Relaxed) as usize).checked_sub(1)?);
        // No more than there are: where a row is full a call can take an entry from itself.
        core::iter::successors(begun.last.and_then(own), move |(_, entry)| next(entry)).take(begun.count)
    }
}

/// Leaves an entry to others.
// AcqRel: who claims it finds it left.
fn release(entry: &Waiter, owner: u64) {
    entry.key.store(0, Relaxed);
    let _ = entry.owner.compare_exchange(owner, 0, AcqRel, Relaxed);
}
