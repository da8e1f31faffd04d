//! Rings that a holder claims and puts back: to give them memory when they are first wanted, to free it on
//! request.
//!
//! Freeing memory needs proof, CPU by CPU, that no writer can still be in the middle of a section that stores
//! there: a thread whose virtual CPU was descheduled goes on in its section whenever that CPU runs again,
//! however late. What counts as proof is in [`crate::visit`] (R15). Without it the ring stays *retired*: it
//! is not used, keeps its memory, and the next call tries again. Nobody waits, and no time counts as proof.

use crate::buffer::Buffer;
use crate::holder::Holder;
use crate::snapshot::replace;
use abi::buffer::{ControlWord, KeptState, KeptWord, MAX_HOLDERS};
use core::ffi::CStr;
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use shm::Errno;

/// Why a ring was given no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotReserved {
    /// Every ring has memory.
    AllReserved,
    /// The buffer was resized meanwhile.
    Contended,
    /// The system has none, or refuses it: what open(2) or fallocate(2) said.
    System(Errno),
}

impl core::fmt::Display for NotReserved {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            NotReserved::AllReserved => f.write_str("the buffer can hold no more snapshots"),
            NotReserved::Contended => f.write_str("the buffer was resized at the same time"),
            NotReserved::System(error) => write!(f, "no memory for a snapshot: {error}"),
        }
    }
}

impl core::error::Error for NotReserved {}

/// The result of freeing memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Released {
    /// A ring's pages are gone.
    Freed,
    /// There is none that is spare or retired.
    NothingSpare,
    /// A ring is no longer used, but still has its memory: of some blocks it is not known that nobody
    /// writes there any more.
    Retired {
        /// CPUs and lanes without proof.
        blocks: u32,
    },
}

/// A ring that a holder has claimed: nobody else changes its use (R13).
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimedRing {
    pub(crate) ring: usize,
    /// Its word before.
    pub(crate) before: KeptWord,
}

impl Holder<'_> {
    /// Gives memory to one more ring (R10), so that one more snapshot can be kept. `path` is the file that
    /// holds the buffer. A ring that is spare, but of a size that the buffer had before it was resized, gets
    /// the present size.
    ///
    /// Cost: about 0.3 ms per MB of the whole ring. Not async-signal-safe.
    pub fn reserve(&self, path: &CStr) -> Result<(), NotReserved> {
        let buffer = self.buffer;
        let live = buffer.control().ring();
        let size = buffer.size(live);
        // One that is retired and of this size can be used again, whoever may still be in it.
        let taken = self
            .take_any(KeptState::Retired, |ring| buffer.size(ring) == size)
            .or_else(|| self.vacate(size, false))
            .ok_or(NotReserved::AllReserved)?;
        if let Err(error) = self.equip(path, taken.ring, |_, block| buffer.pages(block, live)) {
            self.put(taken, taken.before);
            return Err(NotReserved::System(error));
        }
        // Pages were counted while the ring that was live then had this size: before that changes, the id of
        // the size goes (R16, R17).
        let known = size != 0 && buffer.size(live) == size;
        buffer.set_size(taken.ring, if known { size } else { 0 });
        self.put(taken, taken.before.turned(KeptState::Spare));
        if known { Ok(()) } else { Err(NotReserved::Contended) }
    }

    /// Frees the memory of one ring that holds no snapshot; of one that is not of the buffer's size, if
    /// one exists.
    ///
    /// Cost: some 0.1 ms for each CPU whose writers have not written since the ring was in use: the calling
    /// thread goes there for a moment. Not async-signal-safe.
    pub fn release(&self) -> Released {
        let retired = || self.take_any(KeptState::Retired, |_| true);
        let spare = || self.take_any(KeptState::Spare, |_| true);
        while let Some(taken) = retired().or_else(|| self.take_unfit()).or_else(spare) {
            if let Some(released) = self.give_back(taken) {
                return released;
            }
        }
        Released::NothingSpare
    }

    /// Frees the memory of every ring that is spare and not of the buffer's size.
    pub(crate) fn release_unfit(&self) {
        while let Some(taken) = self.take_unfit() {
            self.give_back(taken);
        }
    }

    fn take_unfit(&self) -> Option<ClaimedRing> {
        let size = self.buffer.size(self.buffer.control().ring());
        self.take_any(KeptState::Spare, |ring| self.buffer.size(ring) != size)
    }

    /// Frees the memory of a ring that the caller has claimed, with proof alone (R15). None when it is not
    /// the caller's own.
    fn give_back(&self, taken: ClaimedRing) -> Option<Released> {
        let blocks = match self.count_without_proof(taken) {
            None => {
                self.put(taken, taken.before);
                return None;
            }
            Some(blocks) => blocks,
        };
        let gone = blocks == 0 && self.unequip(taken.ring).is_ok();
        let state = if gone { KeptState::Absent } else { KeptState::Retired };
        self.put(taken, taken.before.turned(state));
        Some(if gone { Released::Freed } else { Released::Retired { blocks } })
    }

    /// Claims a ring into which nobody can store any more (R15), so that it can be given another size (R17):
    /// one that is not of `size`, or, if `any` will do, one that is. Rings found to be in use stay as they
    /// are.
    pub(crate) fn vacate(&self, size: u64, any: bool) -> Option<ClaimedRing> {
        let states = [KeptState::Retired, KeptState::Spare, KeptState::Absent];
        let find = |fits: bool| {
            let wanted = |ring| (self.buffer.size(ring) == size) == fits;
            let vacated = |taken: &ClaimedRing| self.count_without_proof(*taken) == Some(0);
            states.into_iter().find_map(|state| self.take_any_if(state, wanted, vacated))
        };
        find(false).or_else(|| if any { find(true) } else { None })
    }

    /// Claims a ring that is spare and of the buffer's size (R16).
    pub(crate) fn take_spare(&self) -> Option<ClaimedRing> {
        let size = self.buffer.size(self.buffer.control().ring());
        self.take_any(KeptState::Spare, |ring| self.buffer.size(ring) == size)
    }

    /// Claims the first ring in `state` that is `wanted`.
    fn take_any(&self, state: KeptState, wanted: impl Fn(usize) -> bool) -> Option<ClaimedRing> {
        self.take_any_if(state, wanted, |_| true)
    }

    /// Claims the first ring in `state` that is `wanted`, and is `good` once it is claimed. Before that
    /// somebody else may change its size.
    fn take_any_if(
        &self,
        state: KeptState,
        wanted: impl Fn(usize) -> bool,
        good: impl Fn(&ClaimedRing) -> bool,
    ) -> Option<ClaimedRing> {
        let rings = 0..self.buffer.geometry().rings as usize;
        rings.filter(|ring| wanted(*ring)).find_map(|ring| {
            let taken = self.take(ring, state)?;
            if wanted(ring) && good(&taken) {
                return Some(taken);
            }
            self.put(taken, taken.before);
            None
        })
    }

    /// Claims a ring that is in `state` and not live (R13).
    // Acquire: pairs with the AcqRel of `replace`: what was done to the ring before comes before.
    fn take(&self, ring: usize, state: KeptState) -> Option<ClaimedRing> {
        let entry = self.buffer.kept(ring)?;
        let mut before = KeptWord(entry.word.load(Acquire));
        if before.is(KeptState::Changing) || before.is(KeptState::Taking) {
            // Whoever does that may have died over it. Then the ring is retired, or a snapshot.
            (0..MAX_HOLDERS).filter(|slot| before.is_held_by(*slot)).for_each(|slot| self.take_over(slot));
            before = KeptWord(entry.word.load(Acquire));
        }
        let free = before.is(state) && self.buffer.control().ring() != ring;
        let taken = ClaimedRing { ring, before };
        (free && replace(entry, before, self.changing(taken))).then_some(taken)
    }

    /// The word of a ring while this holder has claimed it.
    pub(crate) fn changing(&self, taken: ClaimedRing) -> KeptWord {
        taken.before.turned(KeptState::Changing).held_by(self.slot)
    }

    /// Puts a ring back.
    pub(crate) fn put(&self, taken: ClaimedRing, after: KeptWord) {
        if let Some(entry) = self.buffer.kept(taken.ring) {
            // It fails where somebody has made the ring live meanwhile, and the entry announces that (R13).
            replace(entry, self.changing(taken), after);
        }
    }

    /// Makes a claimed ring the caller's own. None when a snapshot that had seen it spare came first:
    /// then it is live, or it was and holds the next snapshot (R13).
    // Acquire: pairs with the AcqRel of `announce`, which has entered the ring before the control word named
    // it.
    pub(crate) fn own(&self, taken: ClaimedRing) -> Option<ControlWord> {
        let buffer = self.buffer;
        // A snapshot that has seen the ring spare is over now, or begins again.
        buffer.change(ControlWord::next_epoch);
        let control = buffer.acquire_control();
        // Loaded after the control word: a ring that has been left has got its entry before.
        let entry = buffer.kept(taken.ring)?.word.load(Acquire);
        if control.ring() == taken.ring || entry != self.changing(taken).0 {
            return None;
        }
        // What belongs to the ring stays with it: it may have been live before it was claimed (R18).
        buffer.look_at_all_parts(control);
        Some(control)
    }

    /// Of how many blocks it is not known that nobody stores to a ring any more (R15). None when it is not
    /// the caller's own.
    fn count_without_proof(&self, taken: ClaimedRing) -> Option<u32> {
        let buffer = self.buffer;
        self.own(taken)?;
        let without_proof = |index: &u32| {
            let Some(block) = buffer.block(*index) else { return false };
            let has_left = || buffer.has_left(block, taken.ring);
            buffer.pages(block, taken.ring) > 0 && !has_left() && !(self.visit(*index) && has_left())
        };
        Some((0..buffer.geometry().blocks()).filter(without_proof).count() as u32)
    }
}

impl Buffer {
    /// Rings that are no longer used and whose memory could not be freed yet.
    // Relaxed: a count for people.
    pub fn retired_rings(&self) -> usize {
        let control = self.control();
        let retired = |ring: &usize| {
            let word = self.kept(*ring).map(|entry| KeptWord(entry.word.load(Relaxed)));
            *ring != control.ring() && word.is_some_and(|word| word.is(KeptState::Retired))
        };
        (0..self.geometry().rings as usize).filter(retired).count()
    }
}
