//! Finding an entry in a table that many processes use at once.

use crate::ControlFile;
use abi::control::{Process, State, Task};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64, fence};

/// How many entries are looked at for one owner, from a place that depends on the owner.
const WINDOW: usize = 64;

/// An entry that describes someone for some time.
pub(crate) trait Entry {
    fn start_time(&self) -> &AtomicU64;
    fn end_time(&self) -> &AtomicU64;
}

impl Entry for Task {
    fn start_time(&self) -> &AtomicU64 {
        &self.start_time
    }
    fn end_time(&self) -> &AtomicU64 {
        &self.end_time
    }
}

impl Entry for Process {
    fn start_time(&self) -> &AtomicU64 {
        &self.start_time
    }
    fn end_time(&self) -> &AtomicU64 {
        &self.end_time
    }
}

/// A table: the states, which are searched, and the entries themselves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table<'a, T> {
    pub(crate) states: &'a [AtomicU32],
    pub(crate) entries: &'a [T],
}

/// A valid entry, as a reader has found it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<'a, T> {
    pub(crate) owner: u32,
    pub(crate) entry: &'a T,
    pub(crate) start_time: u64,
    /// 0 if it has not ended.
    pub(crate) end_time: u64,
}

impl<'a, T: Entry> Table<'a, T> {
    /// The entries that `owner` may use, by index.
    pub(crate) fn window(&self, owner: u32) -> impl Iterator<Item = (usize, &'a AtomicU32)> {
        // Neighbouring owners start apart, so that they don't fill each other's windows.
        let spread = (owner as usize).wrapping_mul(0x9e37_79b1);
        let start = spread.checked_rem(self.states.len()).unwrap_or(0);
        let (before, behind) = self.states.split_at_checked(start).unwrap_or((self.states, &[]));
        let indices = (start..self.states.len()).chain(0..start);
        indices.zip(behind.iter().chain(before)).take(WINDOW)
    }

    /// Claims an entry for `owner`: a free one, or one that has ended before what `reusable_before` says,
    /// which is only asked then. An entry that still describes `owner`, because it executes another program
    /// or its predecessor was killed, is ended first.
    pub(crate) fn claim(
        &self,
        owner: u32,
        time: u64,
        reusable_before: impl FnOnce() -> u64,
    ) -> Option<(usize, &'a T)> {
        let mut free = None;
        for (index, state) in self.window(owner) {
            let found = State(state.load(Acquire));
            if found == State::ready(owner) {
                self.end(index, owner, time);
            } else if found == State::FREE && free.is_none() {
                free = Some(index);
            }
        }
        let claimed = State::claimed(owner).0;
        let take = |state: &AtomicU32, from: State| {
            state.compare_exchange(from.0, claimed, Acquire, Relaxed).is_ok()
        };
        let is_free = |index: &usize| self.states.get(*index).is_some_and(|state| take(state, State::FREE));
        let index = free.filter(is_free).or_else(|| {
            let mut window = self.window(owner);
            window.find(|(_, state)| take(state, State::FREE)).map(|(index, _)| index)
        });
        let index = index.or_else(|| {
            let before = reusable_before();
            let is_reusable = |(index, state): &(usize, &AtomicU32)| {
                let found = State(state.load(Acquire));
                let entry = self.entries.get(*index);
                let end = entry.map_or(u64::MAX, |entry| entry.end_time().load(Relaxed));
                found.is_ended() && end < before && take(state, found)
            };
            self.window(owner).find(is_reusable).map(|(index, _)| index)
        })?;
        Some((index, self.entries.get(index)?))
    }

    /// Makes a claimed entry valid.
    pub(crate) fn publish(&self, index: usize, owner: u32) {
        if let Some(state) = self.states.get(index) {
            state.store(State::ready(owner).0, Release);
        }
    }

    /// Ends what the entry says of `owner`. False when somebody else did, or it says nothing of it.
    pub(crate) fn end(&self, index: usize, owner: u32, time: u64) -> bool {
        let (Some(state), Some(entry)) = (self.states.get(index), self.entries.get(index)) else {
            return false;
        };
        if State(state.load(Acquire)) != State::ready(owner) {
            return false;
        }
        // Before the state: who sees that it has ended sees when. Two who do this at once have learned of
        // the same end.
        entry.end_time().store(time, Relaxed);
        let (ready, ended) = (State::ready(owner).0, State::ended(owner).0);
        state.compare_exchange(ready, ended, AcqRel, Relaxed).is_ok()
    }

    /// Gives what `read` makes of a valid entry; None when it is not valid, or became another meanwhile.
    pub(crate) fn read<R>(&self, index: usize, read: impl FnOnce(Found<'a, T>) -> R) -> Option<R> {
        let (state, entry) = (self.states.get(index)?, self.entries.get(index)?);
        let before = State(state.load(Acquire));
        if !before.is_valid() {
            return None;
        }
        let start_time = entry.start_time().load(Acquire);
        let end_time = if before.is_ended() { entry.end_time().load(Acquire).max(1) } else { 0 };
        let result = read(Found { owner: before.owner(), entry, start_time, end_time });
        fence(Acquire);
        let same = state.load(Relaxed) == before.0;
        (same && entry.start_time().load(Relaxed) == start_time).then_some(result)
    }

    /// The index of the entry that describes `owner` now.
    pub(crate) fn find(&self, owner: u32) -> Option<usize> {
        let ready = State::ready(owner).0;
        self.window(owner).find(|(_, state)| state.load(Acquire) == ready).map(|(index, _)| index)
    }
}

impl ControlFile {
    /// A table of the file.
    pub(crate) fn table<T: shm::Shared>(&self, states: u64, entries: u64, count: usize) -> Table<'_, T> {
        Table { states: self.array(states, count), entries: self.array(entries, count) }
    }
}
