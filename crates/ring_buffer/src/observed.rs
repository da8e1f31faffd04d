//! What a writer sees of a block at a moment, and builds its sections from.

use crate::buffer::Buffer;
use crate::geometry::{NoMemory, RingMemory, TailPage};
use abi::atomic::AtomicU64;
use abi::buffer::{Block, ControlWord, Parts, Ring, Tail, ring_generation};
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use rseq::{Commit, Guard};

/// The block's tail and what belongs to it, as one writer saw them. A section that is built from this is
/// guarded by the tail and by the sequence number of the tail's page: numbers are never used twice (R5), so
/// while both are the same, all of it is. And by the block's ring mapping, which says under which generation
/// the last one has looked (R18), and by the resets: of two who have seen different ones, each would undo the
/// other's work. A writer that has seen an older generation than the last begins again.
pub(crate) struct Observed<'a> {
    pub(crate) block: &'a Block,
    pub(crate) tail: Tail,
    pub(crate) place: TailPage<'a>,
    pub(crate) sequence: u64,
    /// Number of the next event.
    pub(crate) next_event: u64,
    /// The control word that all of this was done under.
    pub(crate) control: ControlWord,
    /// The block's ring mapping, looked at under its generation.
    pub(crate) parts: Parts,
    /// The block's ring that it names.
    pub(crate) live: &'a Ring,
    /// Where that has its pages.
    pub(crate) live_memory: RingMemory,
    /// How often that was reset.
    pub(crate) resets: u64,
    /// Now, or the time of the last event if that is later.
    pub(crate) time: u64,
}

impl Observed<'_> {
    /// The guards of every section that is built from this: while they hold, doing it again does the same
    /// (R7).
    pub(crate) fn guards(&self) -> [Guard; 4] {
        [
            guard(&self.block.tail, self.tail.0),
            guard(&self.place.slot.sequence, self.sequence),
            guard(&self.block.parts, self.parts.0),
            guard(&self.live.resets, self.resets),
        ]
    }

    /// What the live ring says of its generation when the block has adopted it.
    pub(crate) fn generation(&self) -> u64 {
        ring_generation(self.control.generation(), self.resets)
    }

    /// Whether the tail is where the control word wants it. That the ring says so is not enough: its words
    /// are stored before the tail follows.
    // Relaxed: loaded after the tail, which [`Buffer::look`] has loaded with Acquire; only this CPU's
    // sections store these words (R1), and the guards find out whether one has.
    pub(crate) fn has_adopted(&self) -> bool {
        core::ptr::eq(self.live, self.place.ring)
            && self.live.generation.load(Relaxed) == self.generation()
            && self.sequence >= self.live.first_sequence.load(Relaxed)
    }

    /// The commit that moves the tail.
    pub(crate) fn commit(&self, tail: Tail) -> Commit {
        Commit { address: self.block.tail.as_ptr(), low: tail.0, high: self.time }
    }
}

/// Why there is nothing to build a section from.
pub(crate) enum Unseen {
    /// Someone else came in between: look again.
    Again,
    /// The block has no pages.
    NoPages,
    /// The memory can't be used.
    NoMemory(NoMemory),
}

impl From<NoMemory> for Unseen {
    fn from(reason: NoMemory) -> Unseen {
        Unseen::NoMemory(reason)
    }
}

impl Buffer {
    /// Reads the block's tail and what belongs to it. An error says why that is not possible.
    ///
    /// The number of a page that the tail was in may be that of the next lap already, with the rest of
    /// the slot still old. Only a tail that is seen there *after* the number was read makes it sure (R4).
    // The Acquire loads pair with the stores of sections, which the processor shows in order: what is loaded
    // after them is at least as new. Relaxed is enough for the rest: the guards compare the tail, the number,
    // the ring mapping and the resets again (R7), and pages don't change while the ring is in use (R17).
    pub(crate) fn look<'a>(&'a self, block: &'a Block, control: ControlWord) -> Result<Observed<'a>, Unseen> {
        let parts = self.look_at_parts(block, control);
        if parts.generation() != control.generation() {
            return Err(Unseen::Again);
        }
        let live = self.part(block, parts, control.ring()).ok_or(NoMemory::Damaged)?;
        if live.pages.load(Relaxed) == 0 {
            return Err(Unseen::NoPages);
        }
        let live_memory = RingMemory::of(live, self.geometry(), self.segment())?;
        let tail = Tail(block.tail.load(Relaxed));
        let place = TailPage::of(tail, block, self.geometry(), self.segment())?;
        let sequence = place.slot.sequence.load(Acquire);
        if block.tail.load(Acquire) != tail.0 {
            return Err(Unseen::Again);
        }
        Ok(Observed {
            block,
            tail,
            control,
            parts,
            live,
            live_memory,
            resets: live.resets.load(Relaxed),
            sequence,
            next_event: place.slot.first_event.load(Relaxed).wrapping_add(tail.events()),
            time: self.now().max(block.last_time.load(Relaxed)),
            place,
        })
    }
}

fn guard(word: &AtomicU64, expected: u64) -> Guard {
    Guard { address: word.as_ptr(), expected }
}
