//! Where events are built that are longer than what may be taken of a program's stack.
//!
//! That is memory of the process's own. There is some for a few threads at a time, which is more than are in
//! the middle of it as a rule: it takes less than a microsecond. A thread that finds none records what it has
//! space for on its stack.
//!
//! # Safety
//!
//! A place is used by the one thread that has moved its owner from 0 to its TID, until it moves it back. In
//! a handler that has come in between a thread finds its own place taken, as those of others.

use abi::page;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use ring_buffer::RecordBuffer;

/// Words of the longest event: one that fits a page of the default size, in a lane, too, where its CPU
/// precedes it.
pub(super) const LONGEST: usize = (page::DEFAULT_SIZE - page::HEADER_SIZE - 2 * page::EVENT_HEADER - 8) / 8;

/// Threads that can be in the middle of a long event at a time.
const COUNT: usize = 8;

/// Where a long event is built.
pub(super) struct LongPlace {
    /// The thread that builds one; 0 while there is none.
    owner: AtomicU32,
    pub(super) words: UnsafeCell<[u64; LONGEST]>,
    pub(super) record: UnsafeCell<MaybeUninit<RecordBuffer<LONGEST>>>,
}

// SAFETY: what isn't atomic is used by the owner alone, see above.
unsafe impl Sync for LongPlace {}

impl LongPlace {
    const fn new() -> LongPlace {
        LongPlace {
            owner: AtomicU32::new(0),
            words: UnsafeCell::new([0; LONGEST]),
            record: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// One that is the thread `tid`'s from now on, if one is nobody's.
    pub(super) fn take(tid: u32) -> Option<&'static LongPlace> {
        let is_taken = |place: &&LongPlace| place.owner.compare_exchange(0, tid, Acquire, Relaxed).is_ok();
        PLACES.iter().find(is_taken)
    }

    /// Makes it nobody's, which is the calling thread's.
    pub(super) fn give_back(&self) {
        self.owner.store(0, Release);
    }
}

/// After what every process touches, see `process`.
#[unsafe(link_section = ".bss.lookback_large_long_events")]
static PLACES: [LongPlace; COUNT] = [const { LongPlace::new() }; COUNT];

/// Gives back what a thread has that has ended: it was cancelled in the middle of an event.
pub(crate) fn thread_ended(tid: u32) {
    give_back_if(|owner| owner == tid);
}

/// Gives back what threads have that this process doesn't have, a copy that the thread `tid` has made of
/// another process.
pub(super) fn copied(tid: u32) {
    give_back_if(|owner| owner != tid);
}

fn give_back_if(is_gone: impl Fn(u32) -> bool) {
    for place in &PLACES {
        let owner = place.owner.load(Relaxed);
        if owner != 0 && is_gone(owner) {
            let _ = place.owner.compare_exchange(owner, 0, AcqRel, Relaxed);
        }
    }
}

const _: () = assert!(page::event_size(8 + LONGEST * 8) <= page::DEFAULT_SIZE - page::HEADER_SIZE);

#[cfg(test)]
mod tests {
    use super::*;

    fn owners() -> [u32; COUNT] {
        PLACES.each_ref().map(|place| place.owner.load(Relaxed))
    }

    #[test]
    fn places_are_taken_once_and_given_back_by_threads_that_are_gone() {
        let taken: [Option<_>; COUNT] = [7, 7, 8, 9, 7, 8, 9, 7].map(LongPlace::take);
        assert!(taken.iter().all(Option::is_some) && LongPlace::take(10).is_none());
        taken[4].unwrap().give_back();
        assert_eq!(owners(), [7, 7, 8, 9, 0, 8, 9, 7]);
        thread_ended(8);
        assert_eq!(owners(), [7, 7, 0, 9, 0, 0, 9, 7]);
        copied(9);
        assert_eq!(owners(), [0, 0, 0, 9, 0, 0, 9, 0]);
        thread_ended(9);
        assert_eq!(owners(), [0; COUNT]);
    }
}
