//! A call slot.

use crate::preload::arch::call_slots;
use ::call_slots::{SlotState, SlotUse, WithState};
use abi::instance::INSTANCE_WORDS;
use control::InstanceSet;
use core::ops::Deref;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};

/// How many calls can be under way at a time whose return is seen, in all threads together.
pub(crate) const SLOTS: usize = 1 << 14;

/// What is kept of a call whose return is to be seen.
///
/// The words of one that is free keep what they were. All are atomic: handlers of signals, and who looks for
/// slots to take back, read them at any time.
#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct CallSlot {
    /// That it is one function's, and which call encloses it.
    pub(crate) state: SlotState,
    /// The function, by its site.
    pub(super) function: AtomicU64,
    /// When it was called.
    pub(super) start: AtomicU64,
    /// How many calls that are recorded in the first instance enclose what this one calls.
    pub(super) inner_depth: AtomicU32,
    /// How many functions were jumped to at the end of this one.
    pub(super) jumps: AtomicU32,
    /// Where its entry was recorded, or would have been but for `tracing_thresh`; and whether it was counted
    /// in the profile.
    pub(super) recorded: SlotInstances,
    /// Where it lies in a graph that is to be recorded, and where in one that is not.
    pub(super) inside: SlotInstances,
    pub(super) hidden: SlotInstances,
}

const _: () = assert!(size_of::<CallSlot>() == 128);

/// A set of instances that can be replaced.
#[derive(Debug)]
#[repr(transparent)]
pub(super) struct SlotInstances([AtomicU64; INSTANCE_WORDS]);

impl SlotInstances {
    pub(super) fn load(&self) -> InstanceSet {
        InstanceSet::of(self.0.each_ref().map(|word| word.load(Relaxed)))
    }

    pub(super) fn store(&self, set: InstanceSet) {
        self.0.iter().zip(set.words()).for_each(|(to, word)| to.store(word, Relaxed));
    }
}

impl WithState for CallSlot {
    #[inline(always)]
    fn state(&self) -> &SlotState {
        &self.state
    }

    #[inline(always)]
    fn return_address(&self) -> u64 {
        call_slots::return_to(self)
    }
}

impl Deref for CallSlot {
    type Target = SlotState;

    #[inline(always)]
    fn deref(&self) -> &SlotState {
        &self.state
    }
}

impl CallSlot {
    /// Begins another use of it.
    #[inline(always)]
    pub(super) fn use_for(&'static self, function: u64, start: u64, outer: SlotUse) {
        self.state.use_for(outer);
        self.function.store(function, Relaxed);
        self.start.store(start, Relaxed);
        self.jumps.store(0, Relaxed);
    }

    /// Where its code begins.
    #[inline(always)]
    pub(super) fn code(&self) -> u64 {
        call_slots::code_of(self)
    }
}
