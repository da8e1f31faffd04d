//! Memory for snapshots: rings are given it when they are first wanted, and lose it on request.
//!
//! Taking memory away needs proof, CPU by CPU, that no writer can still be in the middle of a section that
//! stores there: a thread whose virtual CPU was taken from it goes on in its section whenever that CPU runs
//! again, however late. What counts as proof is in [`crate::visit`]. Without it the ring stays *retired*:
//! it is not used, keeps its memory, and the next call tries again. Nobody waits, and no time counts
//! as proof.
//!
//! Only pages are taken away. Slots stay, because writers look at them outside of sections.

use crate::buffer::Buffer;
use crate::holder::Holder;
use crate::snapshot::replace;
use abi::buffer::{Block, Control, KeptState, KeptWord, MAX_HOLDERS};
use core::ffi::CStr;
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use shm::Errno;

/// Why a ring was given no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotReserved {
    /// Every ring has memory.
    AllReserved,
    /// The system has none, or refuses it: what open(2) or fallocate(2) said.
    System(Errno),
}

impl core::fmt::Display for NotReserved {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            NotReserved::AllReserved => f.write_str("the buffer has room for no more snapshots"),
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

impl Holder<'_> {
    /// Gives memory to one more ring, so that one more snapshot can be kept. `path` is the file that holds
    /// the buffer.
    ///
    /// Cost: about 0.3 ms per MB of the whole ring. Not async-signal-safe.
    pub fn reserve(&self, path: &CStr) -> Result<(), NotReserved> {
        let (ring, word) = self
            .take(KeptState::Retired)
            .or_else(|| self.take(KeptState::Absent))
            .ok_or(NotReserved::AllReserved)?;
        let (buffer, geometry) = (self.buffer, self.buffer.geometry());
        let reserved = shm::reserve(path, buffer.segment(), geometry.region(ring), geometry.region_size);
        if let Err(error) = reserved {
            // Part of it may have come. What was absent nobody has ever stored to.
            if word.is(KeptState::Absent) {
                let _ = self.remove(ring, 0);
            }
            self.put(
                ring,
                word,
                if word.is(KeptState::Absent) { word } else { word.turned(KeptState::Retired) },
            );
            return Err(NotReserved::System(error));
        }
        self.set_pages(ring, |room| room);
        self.put(ring, word, word.turned(KeptState::Spare));
        Ok(())
    }

    /// Takes the memory of one ring away that holds no snapshot.
    ///
    /// Cost: some 0.1 ms for each CPU whose writers have not written since the ring was in use: the calling
    /// thread goes there for a moment. Not async-signal-safe.
    pub fn release(&self) -> Released {
        while let Some((ring, word)) = self.take(KeptState::Retired).or_else(|| self.take(KeptState::Spare)) {
            // A snapshot that has seen the ring spare is over now, or begins anew.
            self.buffer.change(Control::next_epoch);
            if self.buffer.control().ring() == ring {
                self.put(ring, word, word.turned(KeptState::Spare));
                continue;
            }
            let blocks = self.count_without_proof(ring, word.generation());
            if blocks > 0 {
                self.put(ring, word, word.turned(KeptState::Retired));
                return Released::Retired { blocks };
            }
            self.set_pages(ring, |_| 0);
            let gone = self.remove(ring, self.slots_size(ring)).is_ok();
            let state = if gone { KeptState::Absent } else { KeptState::Retired };
            self.put(ring, word, word.turned(state));
            return if gone { Released::Freed } else { Released::Retired { blocks: 0 } };
        }
        Released::NothingSpare
    }

    /// Takes a ring in `state` that is not live out of everybody's hands: its number, and its word before.
    fn take(&self, state: KeptState) -> Option<(usize, KeptWord)> {
        (0..self.buffer.geometry().rings as usize).find_map(|ring| {
            let entry = self.buffer.kept(ring)?;
            let mut word = KeptWord(entry.word.load(Acquire));
            if word.is(KeptState::Changing) {
                // Whoever does that may have died over it. Then the ring is retired.
                (0..MAX_HOLDERS)
                    .filter(|place| word.is_held_by(*place))
                    .for_each(|place| self.take_over(place));
                word = KeptWord(entry.word.load(Acquire));
            }
            let free = word.is(state) && self.buffer.control().ring() != ring;
            let taken = word.turned(KeptState::Changing).held_by(self.place);
            (free && replace(entry, word, taken)).then_some((ring, word))
        })
    }

    /// Puts a ring back that was taken when its word was `before`.
    fn put(&self, ring: usize, before: KeptWord, after: KeptWord) {
        let taken = before.turned(KeptState::Changing).held_by(self.place);
        if let Some(entry) = self.buffer.kept(ring) {
            // It fails where a snapshot has made the ring live meanwhile, and its entry its own.
            replace(entry, taken, after);
        }
    }

    /// Of how many blocks it is not known that nobody stores to `ring` any more.
    fn count_without_proof(&self, ring: usize, generation: u64) -> u32 {
        let buffer = self.buffer;
        (0..buffer.geometry().blocks())
            .filter(|index| {
                let Some(block) = buffer.block(*index) else { return false };
                let in_use = pages(block, ring) > 0;
                in_use
                    && !buffer.has_left(block, ring, generation)
                    && !(self.visit(*index) && buffer.has_left(block, ring, generation))
            })
            .count() as u32
    }

    /// Says how many pages the ring has in each block, by how many it has room for.
    fn set_pages(&self, ring: usize, pages: impl Fn(u32) -> u32) {
        for block in (0..self.buffer.geometry().blocks()).filter_map(|block| self.buffer.block(block)) {
            if let Some(ring) = block.rings.get(ring) {
                ring.page_count.store(pages(ring.room.load(Relaxed)), Relaxed);
            }
        }
    }

    /// Gives back the memory of a ring, but for its first `kept` bytes.
    fn remove(&self, ring: usize, kept: u64) -> Result<(), Errno> {
        let geometry = self.buffer.geometry();
        let len = geometry.region_size.saturating_sub(kept);
        self.buffer.segment().remove(geometry.region(ring) + kept, len)
    }

    /// Bytes of a ring's region before its first page: slots, up to a multiple of the page size.
    fn slots_size(&self, ring: usize) -> u64 {
        let (buffer, geometry) = (self.buffer, self.buffer.geometry());
        let region = geometry.region(ring);
        let blocks = (0..geometry.blocks()).filter_map(|block| buffer.block(block)?.rings.get(ring));
        let first_page = blocks
            .filter(|ring| ring.room.load(Relaxed) > 0)
            .map(|ring| ring.pages_offset.load(Relaxed))
            .min();
        let size = first_page.and_then(|offset| offset.checked_sub(region));
        // Damaged words: then nothing is given back.
        size.filter(|size| size.is_multiple_of(geometry.page_size)).unwrap_or(geometry.region_size)
    }
}

/// Pages of a ring in a block.
fn pages(block: &Block, ring: usize) -> u32 {
    block.rings.get(ring).map_or(0, |ring| ring.page_count.load(Relaxed))
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
