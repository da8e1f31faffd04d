//! A call slot.

use crate::preload::arch::call_slots;
use abi::instance::INSTANCE_WORDS;
use control::InstanceSet;
use core::sync::atomic::Ordering::{Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};

/// How many calls can be under way at a time whose return is seen, in all threads together.
pub(crate) const SLOTS: usize = 1 << 14;

/// What is kept of a call whose return is to be seen. The instructions of its code use the first two words.
///
/// The words of one that is free keep what they were. All are atomic: handlers of signals, and who looks for
/// slots to take back, read them at any time.
#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct CallSlot {
    /// Where the function goes on after its site.
    pub(crate) body: AtomicU64,
    /// What it returns to. Of one between sites: what these know it by.
    pub(crate) caller: AtomicU64,
    /// Where its return address is; 0 for none. [`CLAIMED`] while somebody takes the slot back;
    /// with [`JUMPED`] for a function that was jumped to at the end of the one that has a slot's code; with
    /// [`SHOWN`] while the caller's address stands there. With [`BETWEEN_SITES`] where its stack pointer is.
    pub(super) place: AtomicU64,
    /// The next one of a list of free ones.
    pub(super) next: AtomicU32,
    /// Counts its uses: a reference to an earlier one leads nowhere.
    uses: AtomicU32,
    /// The function, by its site.
    pub(super) function: AtomicU64,
    /// When it was called.
    pub(super) start: AtomicU64,
    /// The call that encloses this one, and the one that it was jumped from.
    pub(super) outer: AtomicU64,
    /// The last of the functions that were jumped to at the end of this one; 0 for none.
    pub(super) jumped: AtomicU64,
    /// How many calls that are recorded in the first instance enclose what this one calls.
    pub(super) inner_depth: AtomicU32,
    /// How many functions were jumped to at the end of this one.
    pub(super) jumps: AtomicU32,
    /// Where its entry was recorded, or would have been but for `tracing_thresh`.
    pub(super) recorded: SlotInstances,
    /// Where it lies in a graph that is to be recorded, and where in one that is not.
    pub(super) inside: SlotInstances,
    pub(super) hidden: SlotInstances,
}

const _: () = assert!(size_of::<CallSlot>() == 128);

/// The value of a place that says that somebody is about to take the slot back.
pub(super) const CLAIMED: u64 = 1;

/// The bits of a place that say that its function has no code of a slot.
pub(super) const JUMPED: u64 = 2;

/// The bits of a place that is the stack pointer at a site in a function's body: it ends at another site.
pub(super) const BETWEEN_SITES: u64 = 6;

/// The bits of a place that are none of its address, which is a multiple of eight.
const TAG: u64 = 7;

/// Whether the function runs in its slot, by the slot's code, that has this place.
pub(super) fn has_code(place: u64) -> bool {
    place != 0 && matches!(place & TAG, 0 | SHOWN)
}

/// The bits of a place at which the caller's address stands for a moment, see `callers.rs`.
pub(super) const SHOWN: u64 = 4;

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

/// One use of a slot: the slot's number + 1, and which use it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SlotUse(pub(super) u64);

impl SlotUse {
    /// None.
    pub(super) const NONE: SlotUse = SlotUse(0);

    /// The slot, if it is still the same use of it.
    pub(super) fn slot(self) -> Option<&'static CallSlot> {
        let slot = CallSlot::numbered(self.0 as u32)?;
        (slot.uses.load(Relaxed) == (self.0 >> 32) as u32).then_some(slot)
    }
}

impl CallSlot {
    /// The slot of a number, from 1 on.
    pub(super) fn numbered(number: u32) -> Option<&'static CallSlot> {
        call_slots::slots().get((number as usize).wrapping_sub(1))
    }

    /// Its number.
    pub(super) fn number(&'static self) -> u32 {
        let offset = (&raw const *self).addr() - call_slots::slots().as_ptr().addr();
        (offset / size_of::<CallSlot>()) as u32 + 1
    }

    /// This use of it.
    pub(super) fn this_use(&'static self) -> SlotUse {
        SlotUse(u64::from(self.uses.load(Relaxed)) << 32 | u64::from(self.number()))
    }

    /// Begins another use of it, by a call with its return address at `place`.
    #[inline(always)]
    pub(super) fn use_for(&'static self, function: u64, start: u64, outer: SlotUse) {
        self.uses.store(self.uses.load(Relaxed).wrapping_add(1), Relaxed);
        self.function.store(function, Relaxed);
        self.start.store(start, Relaxed);
        self.outer.store(outer.0, Relaxed);
        self.jumped.store(0, Relaxed);
        self.jumps.store(0, Relaxed);
    }

    /// Where the return address of its function is, if it is in use.
    pub(super) fn place(&self) -> u64 {
        self.place.load(Relaxed) & !TAG
    }

    /// Whether its function runs in it, by its code.
    pub(super) fn has_code(&self) -> bool {
        has_code(self.place.load(Relaxed))
    }

    /// Whether its function ends at another site.
    pub(super) fn is_between_sites(&self) -> bool {
        self.place.load(Relaxed) & TAG == BETWEEN_SITES
    }

    /// Whether the caller's address stands at the place.
    pub(super) fn is_shown(&self) -> bool {
        self.place.load(Relaxed) & TAG == SHOWN
    }

    /// Has the caller's address stand at the place, or the slot's own again.
    ///
    /// # Safety
    ///
    /// The place is on the calling thread's stack, and no function returns meanwhile.
    // Release: who looks for slots to take back leaves alone what it finds in between (G2).
    pub(super) unsafe fn show_caller(&self, is_shown: bool) {
        let place = self.place();
        // SAFETY: the caller's promise.
        let word = unsafe { &*core::ptr::with_exposed_provenance::<AtomicU64>(place as usize) };
        if is_shown {
            self.place.store(place | SHOWN, Release);
            word.store(self.caller.load(Relaxed), Release);
        } else {
            word.store(call_slots::return_to(self), Release);
            self.place.store(place, Release);
        }
    }

    /// Has a function run in it that has its return address at a place: what is stored there from now on is
    /// the slot's own.
    ///
    /// # Safety
    ///
    /// That is the return address of the function that has called, which goes on at [`CallSlot::code`].
    // Release: who finds the place finds the other words, and the slot's address there (G2).
    #[inline(always)]
    pub(super) unsafe fn begin(&self, place: &AtomicU64) {
        place.store(call_slots::return_to(self), Release);
        self.place.store((&raw const *place).addr() as u64, Release);
    }

    /// Has the function that has returned go on in its caller. Only then the slot is nobody's (G3).
    ///
    /// # Safety
    ///
    /// The function has returned to this slot, by the address at `place`, where its caller's goes.
    // Release: in this order, for handlers and for whoever looks for slots to take back (G2).
    #[inline(always)]
    pub(super) unsafe fn end(&self, place: &AtomicU64) {
        self.place.store(0, Release);
        place.store(self.caller.load(Relaxed), Release);
    }

    /// The call that encloses this one.
    pub(super) fn outer(&self) -> SlotUse {
        SlotUse(self.outer.load(Relaxed))
    }

    /// Where its code begins.
    #[inline(always)]
    pub(super) fn code(&self) -> u64 {
        call_slots::code_of(self)
    }
}
