//! Finding an entry in a table that many processes use at once.

use abi::control::{ProcessEntry, State, TaskEntry};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64, fence};

/// How many entries are looked at first for one owner, from a place that depends on the owner.
const WINDOW: usize = 64;

/// How far an owner's entry can be from its place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reach<'a> {
    /// In the window: what is looked for and not there is soon known not to be.
    Window,
    /// Anywhere, where all of the window is needed. No owner is after a free entry, as none becomes free, nor
    /// after as many entries as this word says, which is 0 until one is beyond its window: a table fills up
    /// with what has ended, and no process that starts is to look through all of it.
    Table(&'a AtomicU32),
}

/// What describes someone for some time.
pub(crate) trait Timed {
    fn start_time(&self) -> &AtomicU64;
    fn end_time(&self) -> &AtomicU64;
}

impl Timed for TaskEntry {
    fn start_time(&self) -> &AtomicU64 {
        &self.start_time
    }
    fn end_time(&self) -> &AtomicU64 {
        &self.end_time
    }
}

impl Timed for ProcessEntry {
    fn start_time(&self) -> &AtomicU64 {
        &self.start_time
    }
    fn end_time(&self) -> &AtomicU64 {
        &self.end_time
    }
}

/// A table: the states, which are searched, and the entries themselves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryTable<'a, T> {
    pub(crate) states: &'a [AtomicU32],
    pub(crate) entries: &'a [T],
    pub(crate) reach: Reach<'a>,
}

/// A valid entry, as a reader has found it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ValidEntry<'a, T> {
    pub(crate) owner: u32,
    pub(crate) entry: &'a T,
    pub(crate) start_time: u64,
    /// 0 if it has not ended.
    pub(crate) end_time: u64,
}

/// An entry that was claimed, to be filled and published.
#[derive(Debug)]
pub(crate) struct Claimed<'a, T> {
    pub(crate) index: usize,
    pub(crate) entry: &'a T,
    /// Whether someone needed what it said before.
    pub(crate) was_needed: bool,
}

/// Who needs entries that have ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs {
    /// The times of the events in snapshots: from the oldest of the first to when the last was taken.
    pub(crate) kept: (u64, u64),
    /// A reader has not seen what ended later.
    pub(crate) collected: u64,
}

/// What speaks against using an entry again that has ended. The least is the best: what no snapshot refers
/// to, of that what ended first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Worth {
    is_kept: bool,
    end_time: u64,
}

impl Needs {
    fn worth(&self, start_time: u64, end_time: u64) -> Worth {
        let (first, last) = self.kept;
        Worth { is_kept: start_time <= last && end_time >= first, end_time }
    }

    fn is_needed(&self, worth: Worth) -> bool {
        worth.is_kept || worth.end_time >= self.collected
    }
}

impl<'a, T: Timed> EntryTable<'a, T> {
    /// All entries, from the place of `owner`.
    fn all_from_place(&self, owner: u32) -> impl Iterator<Item = (usize, &'a AtomicU32)> {
        // Neighbouring owners start apart, so that they don't fill each other's windows.
        let spread = (owner as usize).wrapping_mul(0x9e37_79b1);
        let start = spread.checked_rem(self.states.len()).unwrap_or(0);
        let (before, after) = self.states.split_at_checked(start).unwrap_or((self.states, &[]));
        let indices = (start..self.states.len()).chain(0..start);
        indices.zip(after.iter().chain(before))
    }

    fn window(&self, owner: u32) -> impl Iterator<Item = (usize, &'a AtomicU32)> {
        self.all_from_place(owner).take(WINDOW)
    }

    /// The entries that `owner` may use beyond its window.
    fn beyond(&self, owner: u32) -> impl Iterator<Item = (usize, &'a AtomicU32)> {
        let most = if matches!(self.reach, Reach::Table(_)) { self.states.len() } else { 0 };
        self.all_from_place(owner).take(most).skip(WINDOW)
    }

    /// How many entries from an owner's place are looked at to find its own.
    // Relaxed: whoever knows of an owner, by its entry or otherwise, knows of what was stored before that.
    fn searched(&self) -> usize {
        match self.reach {
            Reach::Window => WINDOW,
            Reach::Table(farthest) => WINDOW.max(farthest.load(Relaxed) as usize),
        }
    }

    /// Has the entry with this index found by those who look for `owner`.
    // Relaxed: published by the Release of `publish`.
    fn reach_to(&self, owner: u32, index: usize) {
        if let Reach::Table(farthest) = self.reach
            && let Some(distance) = self.all_from_place(owner).position(|(place, _)| place == index)
            && distance >= self.searched()
        {
            farthest.fetch_max(distance as u32 + 1, Relaxed);
        }
    }

    /// The entries that may describe `owner`, by index, with their states.
    // Acquire: pairs with the Release of `publish` and with the AcqRel of `end`: what a state says of its
    // entry is there.
    pub(crate) fn candidates(&self, owner: u32) -> impl Iterator<Item = (usize, State)> {
        let places = self.all_from_place(owner).take(self.searched());
        let states = places.map(|(index, state)| (index, State(state.load(Acquire))));
        states.take_while(|(_, state)| *state != State::FREE)
    }

    /// Claims an entry for `owner`: a free one, or else the one whose end is longest ago, because its events
    /// are overwritten first. One that nobody needs is taken from anywhere that the table reaches, before one
    /// that somebody does. An entry that still describes `owner`, because it executes another program or
    /// its predecessor was killed, is ended first: not one of which `is_before` says that it describes
    /// somebody else of this number. None when all that it may use are in use.
    pub(crate) fn claim(
        &self,
        owner: u32,
        time: u64,
        needs: Needs,
        is_before: impl Fn(&T) -> bool,
    ) -> Option<Claimed<'a, T>> {
        for index in self.ready(owner, &is_before) {
            self.end(index, owner, time);
        }
        let free = |(index, state): (usize, &'a AtomicU32)| take(state, State::FREE, owner).then_some(index);
        let unneeded = |worth: &Worth| !needs.is_needed(*worth);
        let (index, was_needed) = None
            .or_else(|| Some((self.window(owner).find_map(free)?, false)))
            .or_else(|| Some((self.take_ended(|| self.window(owner), owner, needs, unneeded)?, false)))
            .or_else(|| Some((self.beyond(owner).find_map(free)?, false)))
            .or_else(|| Some((self.take_ended(|| self.beyond(owner), owner, needs, unneeded)?, false)))
            .or_else(|| Some((self.take_ended(|| self.window(owner), owner, needs, |_| true)?, true)))?;
        self.reach_to(owner, index);
        Some(Claimed { index, entry: self.entries.get(index)?, was_needed })
    }

    /// Claims for `owner`, of what has ended among `places`, what ended longest ago and may be taken.
    // Acquire: pairs with the AcqRel of `end`: an entry that is seen to have ended has its end. Relaxed for
    // the times: an entry that has become another's meanwhile is refused by `take`.
    fn take_ended<I: Iterator<Item = (usize, &'a AtomicU32)>>(
        &self,
        places: impl Fn() -> I,
        owner: u32,
        needs: Needs,
        may_be_taken: impl Fn(&Worth) -> bool,
    ) -> Option<usize> {
        let worth = |(index, state): (usize, &'a AtomicU32)| {
            let found = State(state.load(Acquire));
            let entry = self.entries.get(index).filter(|_| found.is_ended())?;
            let times = (entry.start_time().load(Relaxed), entry.end_time().load(Relaxed));
            Some((needs.worth(times.0, times.1), index, found))
        };
        // Others may be quicker, but each of them only once.
        (0..WINDOW).find_map(|_| {
            let least = places().filter_map(worth).min_by_key(|(worth, ..)| *worth);
            let Some((_, index, found)) = least.filter(|(worth, ..)| may_be_taken(worth)) else {
                return Some(None);
            };
            take(self.states.get(index)?, found, owner).then_some(Some(index))
        })?
    }

    /// Makes a claimed entry valid.
    // Release: pairs with the Acquire loads of states: who sees the entry ready sees it filled.
    pub(crate) fn publish(&self, index: usize, owner: u32) {
        if let Some(state) = self.states.get(index) {
            state.store(State::ready(owner).0, Release);
        }
    }

    /// Ends what the entry says of `owner`. False when somebody else did, or it says nothing of it.
    // Acquire: pairs with `publish`. Relaxed, then AcqRel: the end is stored before the state that says so,
    // and pairs with the Acquire loads of states. Relaxed on failure: nothing is done.
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
    // Acquire: pairs with `publish` and `end`, and puts `read`, whose loads are Relaxed, after it. The fence
    // puts them before the second look at the state and the start, which therefore can be Relaxed: an entry
    // that has become another meanwhile has another state, or another start.
    pub(crate) fn read<R>(&self, index: usize, read: impl FnOnce(ValidEntry<'a, T>) -> R) -> Option<R> {
        let (state, entry) = (self.states.get(index)?, self.entries.get(index)?);
        let before = State(state.load(Acquire));
        if !before.is_valid() {
            return None;
        }
        let start_time = entry.start_time().load(Acquire);
        let end_time = if before.is_ended() { entry.end_time().load(Acquire).max(1) } else { 0 };
        let result = read(ValidEntry { owner: before.owner(), entry, start_time, end_time });
        fence(Acquire);
        let same = state.load(Relaxed) == before.0;
        (same && entry.start_time().load(Relaxed) == start_time).then_some(result)
    }

    /// The index of the entry that describes `owner` now.
    pub(crate) fn find(&self, owner: u32) -> Option<usize> {
        self.find_where(owner, |_| true)
    }

    /// The index of an entry that describes `owner` now, of those for which `is_meant` says so: others of the
    /// same number are in other pid namespaces.
    pub(crate) fn find_where(&self, owner: u32, is_meant: impl Fn(&T) -> bool) -> Option<usize> {
        self.ready(owner, &is_meant).next()
    }

    fn ready(&self, owner: u32, is_meant: impl Fn(&T) -> bool) -> impl Iterator<Item = usize> {
        let ready = self.candidates(owner).filter(move |(_, state)| *state == State::ready(owner));
        let is_meant = move |index: &usize| self.entries.get(*index).is_some_and(&is_meant);
        ready.map(|(index, _)| index).filter(is_meant)
    }
}

/// Claims an entry for `owner` whose state is `from`. False when it no longer is.
// Acquire: pairs with the Release of the last owner's `publish` and the AcqRel of `end`; what the new owner
// stores comes after it. Relaxed: a hint, compared again; and on failure nothing is done.
fn take(state: &AtomicU32, from: State, owner: u32) -> bool {
    let claimed = State::claimed(owner).0;
    state.load(Relaxed) == from.0 && state.compare_exchange(from.0, claimed, Acquire, Relaxed).is_ok()
}
