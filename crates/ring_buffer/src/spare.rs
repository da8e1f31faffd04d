//! Rings that a holder takes out of use and puts back: to give them memory when they are first wanted, to
//! take it away on request.
//!
//! Taking memory away needs proof, CPU by CPU, that no writer can still be in the middle of a section that
//! stores there: a thread whose virtual CPU was taken from it goes on in its section whenever that CPU runs
//! again, however late. What counts as proof is in [`crate::visit`]. Without it the ring stays *retired*:
//! it is not used, keeps its memory, and the next call tries again. Nobody waits, and no time counts
//! as proof.

use crate::buffer::Buffer;
use crate::holder::Holder;
use crate::snapshot::replace;
use abi::buffer::{Control, KeptState, KeptWord, MAX_HOLDERS};
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
            NotReserved::AllReserved => f.write_str("the buffer has room for no more snapshots"),
            NotReserved::Contended => f.write_str("the buffer was resized at the same time"),
            NotReserved::System(error) => write!(f, "no memory for a snapshot: {error}"),
        }
    }
}

impl core::error::Error for NotReserved {}

/// What came of taking memory away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Released {
    /// A ring's pages are gone.
    Freed,
    /// There is none that is spare or retired.
    NothingSpare,
    /// A ring was taken out of use, but has its memory still: of so many blocks it is not known that nobody
    /// writes there any more.
    Retired {
        /// CPUs and lanes without proof.
        blocks: u32,
    },
}

/// A ring that a holder has taken out of everybody's hands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) ring: usize,
    /// Its word before.
    pub(crate) before: KeptWord,
}

impl Holder<'_> {
    /// Gives memory to one more ring, so that one more snapshot can be kept. `path` is the file that holds
    /// the buffer. A ring that is spare, but of a size that the buffer had before it was resized, gets the
    /// size that it has now.
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
        // Pages were counted while the ring that was live then had this size: before that changes, the
        // number goes.
        let known = size != 0 && buffer.size(live) == size;
        buffer.set_size(taken.ring, if known { size } else { 0 });
        self.put(taken, taken.before.turned(KeptState::Spare));
        if known { Ok(()) } else { Err(NotReserved::Contended) }
    }

    /// Takes the memory of one ring away that holds no snapshot; of one that is not of the buffer's size, if
    /// there is such a one.
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

    /// Takes the memory of every ring away that is spare and not of the buffer's size.
    pub(crate) fn release_unfit(&self) {
        while let Some(taken) = self.take_unfit() {
            self.give_back(taken);
        }
    }

    fn take_unfit(&self) -> Option<Taken> {
        let size = self.buffer.size(self.buffer.control().ring());
        self.take_any(KeptState::Spare, |ring| self.buffer.size(ring) != size)
    }

    /// Takes the memory of a ring away that the caller has taken. None when it is not the caller's own.
    fn give_back(&self, taken: Taken) -> Option<Released> {
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

    /// Takes a ring into which nobody can store any more, so that it can be given another size: one that is
    /// not of `size`, or, if `any` will do, one that is. What is found to be in use stays as it is.
    pub(crate) fn vacate(&self, size: u64, any: bool) -> Option<Taken> {
        let states = [KeptState::Retired, KeptState::Spare, KeptState::Absent];
        let find = |fits: bool| {
            let wanted = |ring| (self.buffer.size(ring) == size) == fits;
            let vacated = |taken: &Taken| self.count_without_proof(*taken) == Some(0);
            states.into_iter().find_map(|state| self.take_any_if(state, wanted, vacated))
        };
        find(false).or_else(|| if any { find(true) } else { None })
    }

    /// Takes a ring that is spare and of the buffer's size.
    pub(crate) fn take_spare(&self) -> Option<Taken> {
        let size = self.buffer.size(self.buffer.control().ring());
        self.take_any(KeptState::Spare, |ring| self.buffer.size(ring) == size)
    }

    /// Takes the first ring in `state` that is `wanted`.
    fn take_any(&self, state: KeptState, wanted: impl Fn(usize) -> bool) -> Option<Taken> {
        self.take_any_if(state, wanted, |_| true)
    }

    /// The same, if it is `good`, too, once it was taken. Before that somebody else may change its size.
    fn take_any_if(
        &self,
        state: KeptState,
        wanted: impl Fn(usize) -> bool,
        good: impl Fn(&Taken) -> bool,
    ) -> Option<Taken> {
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

    /// Takes a ring that is in `state` and not live out of everybody's hands.
    fn take(&self, ring: usize, state: KeptState) -> Option<Taken> {
        let entry = self.buffer.kept(ring)?;
        let mut before = KeptWord(entry.word.load(Acquire));
        if before.is(KeptState::Changing) || before.is(KeptState::Taking) {
            // Whoever does that may have died over it. Then the ring is retired, or a snapshot.
            (0..MAX_HOLDERS)
                .filter(|place| before.is_held_by(*place))
                .for_each(|place| self.take_over(place));
            before = KeptWord(entry.word.load(Acquire));
        }
        let free = before.is(state) && self.buffer.control().ring() != ring;
        let taken = Taken { ring, before };
        (free && replace(entry, before, self.changing(taken))).then_some(taken)
    }

    /// The word of a ring while this holder has taken it.
    pub(crate) fn changing(&self, taken: Taken) -> KeptWord {
        taken.before.turned(KeptState::Changing).held_by(self.place)
    }

    /// Puts a ring back.
    pub(crate) fn put(&self, taken: Taken, after: KeptWord) {
        if let Some(entry) = self.buffer.kept(taken.ring) {
            // It fails where somebody has made the ring live meanwhile, and its entry its own.
            replace(entry, self.changing(taken), after);
        }
    }

    /// Makes a ring that was taken the caller's own. None when a snapshot that had seen it spare came first:
    /// then it is live, or it was and holds the next snapshot.
    pub(crate) fn own(&self, taken: Taken) -> Option<Control> {
        let buffer = self.buffer;
        // A snapshot that has seen the ring spare is over now, or begins anew.
        buffer.change(Control::next_epoch);
        let control = Control(buffer.header().control.load(Acquire));
        // Loaded behind the control word: a ring that has been left has got its entry before.
        let entry = buffer.kept(taken.ring)?.word.load(Acquire);
        if control.ring() == taken.ring || entry != self.changing(taken).0 {
            return None;
        }
        // What belongs to the ring stays with it: it may have been live before it was taken.
        buffer.look_at_all_parts(control);
        Some(control)
    }

    /// Of how many blocks it is not known that nobody stores to a ring any more. None when it is not the
    /// caller's own.
    fn count_without_proof(&self, taken: Taken) -> Option<u32> {
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
    /// Rings that were taken out of use and whose memory could not be taken away yet.
    pub fn retired_rings(&self) -> usize {
        let control = self.control();
        let retired = |ring: &usize| {
            let word = self.kept(*ring).map(|entry| KeptWord(entry.word.load(Relaxed)));
            *ring != control.ring() && word.is_some_and(|word| word.is(KeptState::Retired))
        };
        (0..self.geometry().rings as usize).filter(retired).count()
    }
}
