//! What recording may cost, and which events cost too much.
//!
//! A writer that turns a page counts the events since the last turn on that CPU, and what they have cost.
//! What exceeds the budget is the CPU's debt; what stays below it pays that back. With too much of it, the
//! most frequent event of the last page is [dropped](super::Switches::dropped) from the default instance, for
//! a pause. Before that it has a [`GovernedEvent`] that says so.

use crate::atomic::{AtomicU32, AtomicU64};

/// CPUs that have words of their own; others share them.
pub const GOVERNED_CPUS: usize = 256;

/// Events that can be dropped, or have been, at a time.
pub const GOVERNED_EVENTS: usize = 64;

/// The governor's words.
#[derive(Debug)]
#[repr(C)]
pub struct GovernorWords {
    /// Millionths of each CPU's time that recording may take; 0 for all of it.
    pub budget: AtomicU32,
    /// Picoseconds that an event is taken to take where no CPU has measured it.
    pub cost: AtomicU32,
    /// When an event was dropped last, by the clock of durations.
    pub dropped: AtomicU64,
    _line: [u64; 6],
    /// One for each CPU.
    pub cpus: [GovernedCpu; GOVERNED_CPUS],
    /// Events that are dropped, or have been.
    pub events: [GovernedEvent; GOVERNED_EVENTS],
}

/// What recording has cost on a CPU.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct GovernedCpu {
    /// The number of the first event that was not counted yet. Who moves it counts those before.
    pub counted: AtomicU64,
    /// When that was, by the clock of durations.
    pub time: AtomicU64,
    /// Nanoseconds of recording over the budget.
    pub debt: AtomicU64,
    /// Picoseconds that an event takes here; 0 until one was measured.
    pub cost: AtomicU32,
}

/// An event that is dropped, or has been.
#[derive(Debug)]
#[repr(C)]
pub struct GovernedEvent {
    /// Its [`governed_word`]; 0 for none.
    pub word: AtomicU64,
    /// When it was dropped, by the clock of durations.
    pub since: AtomicU64,
    /// When it came back.
    pub until: AtomicU64,
    /// Nanoseconds from the one to the other, at least.
    pub pause: AtomicU64,
}

/// An event that is about to be dropped.
pub const CLAIMED: u16 = 1;
/// An event that is dropped.
pub const DROPPED: u16 = 2;
/// An event that is back.
pub const BACK: u16 = 3;

/// The word of an event, its state, and how many of it there were in a second.
pub const fn governed_word(event: u16, state: u16, rate: u32) -> u64 {
    event as u64 | (state as u64) << 16 | (rate as u64) << 32
}

/// The event, state and rate of a word.
pub const fn governed_parts(word: u64) -> (u16, u16, u32) {
    (word as u16, (word >> 16) as u16, (word >> 32) as u32)
}

const _: () = assert!(size_of::<GovernedCpu>() == 64 && size_of::<GovernedEvent>() == 32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_parts() {
        assert_eq!(governed_parts(governed_word(0x7abc, DROPPED, u32::MAX)), (0x7abc, DROPPED, u32::MAX));
    }
}
