//! A segment that is mapped later than what refers to it.
//!
//! # Safety
//!
//! The segment is written only by who has moved the state from EMPTY to FILLING, and read only when it is
//! FULL, after which nothing changes it.

use crate::Segment;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

const EMPTY: u32 = 0;
const FILLING: u32 = 1;
const FULL: u32 = 2;

/// A place for a segment, which is there from some time on. Async-signal-safe.
#[derive(Debug)]
pub struct LateSegment {
    state: AtomicU32,
    segment: UnsafeCell<MaybeUninit<Segment>>,
}

// SAFETY: the segment is written only by the caller that has moved the state from EMPTY to FILLING, and
// read only when it is FULL, after which nothing changes it.
unsafe impl Sync for LateSegment {}

impl LateSegment {
    /// Nothing yet.
    pub const fn new() -> LateSegment {
        LateSegment { state: AtomicU32::new(EMPTY), segment: UnsafeCell::new(MaybeUninit::uninit()) }
    }

    /// The segment, if it is there.
    #[inline]
    pub fn get(&self) -> Option<&Segment> {
        if self.state.load(Acquire) != FULL {
            return None;
        }
        // SAFETY: FULL, so it was written, and nothing changes it.
        Some(unsafe { (*self.segment.get()).assume_init_ref() })
    }

    /// Puts a segment there, unless somebody else has, or does so just now.
    pub fn set(&self, segment: Segment) {
        if self.state.compare_exchange(EMPTY, FILLING, Acquire, Relaxed).is_ok() {
            // SAFETY: FILLING by us.
            unsafe { (*self.segment.get()).write(segment) };
            self.state.store(FULL, Release);
        }
    }
}

impl Default for LateSegment {
    fn default() -> LateSegment {
        LateSegment::new()
    }
}

impl Drop for LateSegment {
    fn drop(&mut self) {
        if *self.state.get_mut() == FULL {
            // SAFETY: FULL, so it was written, and nobody else has it any more.
            unsafe { self.segment.get_mut().assume_init_drop() };
        }
    }
}
