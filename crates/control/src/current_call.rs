//! The call that a thread is in.

use crate::area::ControlArea;
use crate::clocks::Clocks;
use abi::control::{CallWords, call_of_word};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// A call that a thread is in, as a reader has found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurrentCall {
    /// The event of its entry.
    pub event: u16,
    /// The lower half of its first argument.
    pub argument: u32,
    /// When it was entered, by the clock of durations: see [`ControlArea::passed_since`].
    pub since: u64,
}

/// Stores what a thread is in: a [`call_word`](abi::control::call_word), or 0; and since when. By the thread
/// itself.
// Release: who sees `since` sees the 0 before it, or what came later; who sees the word sees its `since`.
// Both pair with the Acquire loads of `load`.
#[inline(always)]
pub fn store_current_call(place: &CallWords, call: u64, since: u64) {
    place.call.store(0, Relaxed);
    place.since.store(since, Release);
    place.call.store(call, Release);
}

/// Stores that a thread which was in none is in a call.
// Release: as in `store_current_call`, where the 0 is there already.
#[inline(always)]
pub fn begin_call(place: &CallWords, call: u64, since: u64) {
    place.since.store(since, Release);
    place.call.store(call, Release);
}

/// Stores that a thread is in none.
// Relaxed: what is stored next comes after it by its own Release.
#[inline(always)]
pub fn end_call(place: &CallWords) {
    place.call.store(0, Relaxed);
}

/// What was stored last, by the thread itself.
// Relaxed: its own stores.
#[inline(always)]
pub fn stored_call(place: &CallWords) -> (u64, u64) {
    (place.call.load(Relaxed), place.since.load(Relaxed))
}

/// What the thread `owner` is in. None where that changes just now.
///
/// A pair is taken only if the word is there before and after the time, and fits it in 20 bits: so a wrong
/// one would have to be read while two calls begin or end, the second as the first was, with a time of
/// another between them that is the same in these bits.
// Acquire: pairs with the Releases of `store_current_call`. Relaxed: the Acquire before it keeps it there.
pub(crate) fn load(place: &CallWords, owner: u32) -> Option<CurrentCall> {
    let call = place.call.load(Acquire);
    let since = place.since.load(Acquire);
    let (event, argument) = call_of_word(call, owner, since)?;
    (place.call.load(Relaxed) == call).then_some(CurrentCall { event, argument, since })
}

impl ControlArea {
    /// Where a thread says which call it is in: by its entry, or by that of its process, whose first it is.
    pub fn current_call_place(&self, task: Option<u32>, process: Option<u32>) -> Option<&CallWords> {
        match (task, process) {
            (Some(task), _) => self.task_place(task),
            (None, Some(process)) => self.process_place(process),
            (None, None) => None,
        }
    }

    /// What the clock of durations showed at a reading of all: the time stamp counter or, without a rate of
    /// that, `CLOCK_MONOTONIC`.
    pub fn duration_clock(&self, clocks: &Clocks) -> u64 {
        if self.tick_rate().is_some() { clocks.tsc } else { clocks.mono }
    }

    /// How long ago it was that a clock of durations showed `since`, in nanoseconds, where such a clock shows
    /// `now`: the time stamp counter or, without a rate of that, `CLOCK_MONOTONIC`.
    pub fn passed_since(&self, since: u64, now: u64) -> u64 {
        let passed = now.saturating_sub(since);
        self.tick_rate().map_or(passed, |rate| rate.nanoseconds(passed))
    }
}
