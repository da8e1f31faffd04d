//! What a writer has to do before it can write: adopt a change of the control word, go on to the next
//! page, record a long gap.
//!
//! Each of these is one section: stores that nobody looks at yet, then one commit. A writer that is
//! interrupted or killed anywhere in between leaves the block as it was, and whoever comes next does
//! the same again. The same steps serve CPUs and lanes, see [`Section`].

use crate::buffer::Buffer;
use crate::geometry::{NoMemory, Place, RingMemory, page_header};
use crate::section::Section;
use abi::atomic::AtomicU64;
use abi::buffer::{
    BLOCK_DISABLED, BLOCK_STOPPED, Block, Control, DropReason, Parts, Ring, Slot, Tail, ring_generation,
};
use abi::page::{DELTA_LIMIT, TIME_EXTEND_SIZE, TYPE_TIME_EXTEND, time_extend};
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use rseq::{Commit, Guard, Outcome, Store};

/// The flags of a block of which none may be set.
const BLOCK_OFF: u64 = BLOCK_DISABLED | BLOCK_STOPPED;

/// What [`Buffer::prepare`] has found or done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The event can be written, with this time.
    Ready(u64),
    /// Something was done, or someone else came in between: look again.
    Again,
    /// The thread lost the CPU in the middle of it: look again.
    Aborted,
    /// Recording is off.
    Off,
    /// This block has no pages.
    NoMemory,
    /// The memory that is to be written to is not mapped by this process.
    NotMapped,
    /// The event can't be recorded.
    Drop(DropReason),
}

impl From<Outcome> for Step {
    /// What a section leaves to be done.
    fn from(outcome: Outcome) -> Step {
        match outcome {
            Outcome::Committed | Outcome::Refused => Step::Again,
            Outcome::Aborted => Step::Aborted,
        }
    }
}

impl From<NoMemory> for Step {
    fn from(reason: NoMemory) -> Step {
        match reason {
            NoMemory::Damaged => Step::Drop(DropReason::Damaged),
            NoMemory::NotMapped => Step::NotMapped,
        }
    }
}

/// The block's tail and what belongs to it, as one writer saw them. A section that is built from this is
/// guarded by the tail and by the sequence number of the tail's page: numbers are never used twice, so
/// while both are the same, all of it is. And by the block's parts, which say under which generation the
/// last one has looked, and by the resets: of two who have seen different ones, each would undo the other's
/// work. A writer that has seen an older generation than the last begins anew.
pub(crate) struct Seen<'a> {
    block: &'a Block,
    tail: Tail,
    place: Place<'a>,
    sequence: u64,
    /// Number of the next event.
    next_event: u64,
    /// The control word that all of this was done under.
    control: Control,
    /// The block's parts, looked at under its generation.
    parts: Parts,
    /// The block's part in the ring that it names.
    live: &'a Ring,
    /// Where that has its pages.
    live_memory: RingMemory,
    /// How often that was reset.
    resets: u64,
    /// Now, or the time of the last event if that is later.
    time: u64,
}

impl Seen<'_> {
    /// The guards of every section that is built from this.
    fn guards(&self) -> [Guard; 4] {
        [
            guard(&self.block.tail, self.tail.0),
            guard(&self.place.slot.sequence, self.sequence),
            guard(&self.block.parts, self.parts.0),
            guard(&self.live.resets, self.resets),
        ]
    }

    /// What the live ring says of its generation when the block has adopted it.
    fn generation(&self) -> u64 {
        ring_generation(self.control.generation(), self.resets)
    }

    /// Whether the tail is where the control word wants it. That the ring says so is not enough: its words
    /// are stored before the tail follows.
    pub(crate) fn has_adopted(&self) -> bool {
        core::ptr::eq(self.live, self.place.ring)
            && self.live.generation.load(Relaxed) == self.generation()
            && self.sequence >= self.live.first_sequence.load(Relaxed)
    }

    /// The commit that moves the tail.
    fn commit(&self, tail: Tail) -> Commit {
        Commit { address: self.block.tail.as_ptr(), low: tail.0, high: self.time }
    }
}

/// How far a block has followed the control word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Adoption {
    /// All the way.
    Done,
    /// A section was to bring it a step nearer, with this outcome.
    Tried(Outcome),
}

/// A page about to become the tail's.
struct Fresh<'a> {
    slot: &'a Slot,
    header: &'a [AtomicU64],
    page_offset: u64,
}

impl<'a> Fresh<'a> {
    fn of(memory: &RingMemory, index: u64, buffer: &'a Buffer) -> Option<Fresh<'a>> {
        let page_offset = memory.page_offset(index);
        let slot = memory.slot(index, buffer.segment())?;
        Some(Fresh { slot, header: page_header(page_offset, buffer.segment())?, page_offset })
    }

    /// The stores that make it so. The slot's number comes first: a reader that copies the page as it
    /// was will find that it is no longer that.
    fn stores(&self, seen: &Seen<'_>) -> Option<[Store; 3]> {
        let [time_stamp, _] = self.header else { return None };
        Some([
            store(&self.slot.sequence, seen.sequence.wrapping_add(1)),
            store(&self.slot.first_event, seen.next_event),
            store(time_stamp, seen.time),
        ])
    }

    /// The tail at its start.
    fn tail(&self) -> Tail {
        Tail::new(self.page_offset, 0, 0)
    }
}

impl Buffer {
    /// Brings `block` one step nearer to where an event that needs `room` bytes can be written.
    pub(crate) fn prepare(&self, block: &Block, section: &impl Section, room: u64) -> Step {
        let control = self.control();
        if control.is_off() || block.flags.load(Relaxed) & BLOCK_OFF != 0 {
            return Step::Off;
        }
        let capacity = self.geometry().page_capacity();
        if room > capacity {
            return Step::Drop(DropReason::TooLarge);
        }
        let seen = match self.look(block, control) {
            Ok(seen) => seen,
            Err(step) => return step,
        };
        match self.adopt(&seen, section) {
            Some(Adoption::Done) => {}
            Some(Adoption::Tried(outcome)) => return outcome.into(),
            None => return Step::Drop(DropReason::Damaged),
        }
        let used = seen.tail.commit(self.geometry().page_size);
        let gap = seen.time.wrapping_sub(block.last_time.load(Relaxed));
        let extend = if gap < DELTA_LIMIT { 0 } else { TIME_EXTEND_SIZE as u64 };
        let step = if used + extend + room > capacity {
            self.next_page(&seen, section)
        } else if extend != 0 {
            self.record_gap(&seen, gap, section)
        } else {
            Some(Step::Ready(seen.time))
        };
        step.unwrap_or(Step::Drop(DropReason::Damaged))
    }

    /// Reads the block's tail and what belongs to it. An error says what to do instead.
    ///
    /// The number of a page that the tail was in may be that of the next lap already, with the rest of
    /// the slot still old. Only a tail that is seen there *after* the number was read makes it sure.
    pub(crate) fn look<'a>(&'a self, block: &'a Block, control: Control) -> Result<Seen<'a>, Step> {
        let parts = self.look_at_parts(block, control);
        if parts.generation() != control.generation() {
            return Err(Step::Again);
        }
        let live = self.part(block, parts, control.ring()).ok_or(Step::Drop(DropReason::Damaged))?;
        if live.pages.load(Relaxed) == 0 {
            return Err(Step::NoMemory);
        }
        let live_memory = RingMemory::of(live, self.geometry(), self.segment())?;
        let tail = Tail(block.tail.load(Relaxed));
        let place = Place::of(tail, block, self.geometry(), self.segment())?;
        let sequence = place.slot.sequence.load(Acquire);
        if block.tail.load(Acquire) != tail.0 {
            return Err(Step::Again);
        }
        Ok(Seen {
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

    /// Makes the block follow the control word: either its tail goes to the ring that is live now, or,
    /// where that has been done, `seen` is brought up to date.
    ///
    /// Two sections, because two words change. In between the tail is in the new ring while `seen` is
    /// old: writers then come here, and readers go by the tail alone.
    fn adopt(&self, seen: &Seen<'_>, section: &impl Section) -> Option<Adoption> {
        if !seen.has_adopted() {
            return self.move_to_live(seen, section);
        }
        if seen.block.seen.load(Relaxed) == seen.control.0 {
            return Some(Adoption::Done);
        }
        let commit = Commit { address: seen.block.seen.as_ptr(), low: seen.control.0, high: 0 };
        // SAFETY: the addresses are those of words in the segment; `seen` is 16-byte aligned and
        // the word behind it is reserved for this.
        Some(Adoption::Tried(unsafe { section.publish(&seen.guards(), &[], commit) }))
    }

    /// Moves the tail to where the control word's generation begins in the ring that it names.
    ///
    /// In the ring where it is, the tail goes on to the next page: the stores before the commit must not
    /// touch the page that it is in, or a writer that is cut off there leaves a page that has the new
    /// generation's number and the old one's events.
    fn move_to_live(&self, seen: &Seen<'_>, section: &impl Section) -> Option<Adoption> {
        let (ring, memory) = (seen.live, seen.live_memory);
        let same_ring = core::ptr::eq(ring, seen.place.ring);
        let index = if same_ring { memory.after(seen.place.index) } else { 0 };
        let fresh = Fresh::of(&memory, index, self)?;
        let [_, old_commit] = page_header(seen.place.page_offset(), self.segment())? else {
            return None;
        };
        let [sequence, first_event, time_stamp] = fresh.stores(seen)?;
        let stores = [
            store(old_commit, seen.tail.commit(self.geometry().page_size)),
            store(&seen.place.ring.final_tail, seen.tail.0),
            // What was the ring's end in its former life may be in the page that is to be its first.
            store(&ring.final_tail, fresh.tail().0),
            store(&ring.first_sequence, seen.sequence.wrapping_add(1)),
            store(&ring.first_event, seen.next_event),
            // In this order: a reader's compare-exchange that comes in between finds another number.
            store(&ring.next_event, seen.next_event),
            store(&ring.read, 0),
            store(&ring.generation, seen.generation()),
            sequence,
            first_event,
            time_stamp,
        ];
        // SAFETY: the addresses are those of words in the segment; the tail is 16-byte aligned.
        let outcome = unsafe { section.publish(&seen.guards(), &stores, seen.commit(fresh.tail())) };
        Some(Adoption::Tried(outcome))
    }

    /// Brings the tail of `block` to the ring that is live, whether recording is on or off. False where
    /// that could not be done: the words are damaged, or others change them all the time.
    pub(crate) fn follow(&self, block: &Block, section: &impl Section) -> bool {
        const TRIES: u32 = 64;
        (0..TRIES).any(|_| self.try_to_follow(block, section) == Some(true))
    }

    /// One step of it. Whether the tail is there.
    fn try_to_follow(&self, block: &Block, section: &impl Section) -> Option<bool> {
        let seen = self.look(block, self.control()).ok()?;
        if seen.has_adopted() {
            return Some(true);
        }
        self.move_to_live(&seen, section)?;
        Some(false)
    }

    /// Closes the tail's page and moves the tail to the next one, over whatever that one holds. In
    /// producer/consumer mode only if all that it holds has been read.
    fn next_page(&self, seen: &Seen<'_>, section: &impl Section) -> Option<Step> {
        let place = &seen.place;
        let index = place.memory.after(place.index);
        let fresh = Fresh::of(&place.memory, index, self)?;
        if seen.control.no_overwrite() && !self.is_consumed(seen, index)? {
            return Some(Step::Drop(DropReason::Full));
        }
        let [_, old_commit] = page_header(place.page_offset(), self.segment())? else {
            return None;
        };
        let [sequence, first_event, time_stamp] = fresh.stores(seen)?;
        let closed = store(old_commit, seen.tail.commit(self.geometry().page_size));
        let stores = [closed, sequence, first_event, time_stamp];
        // SAFETY: the addresses are those of words in the segment; the tail is 16-byte aligned.
        Some(unsafe { section.publish(&seen.guards(), &stores, seen.commit(fresh.tail())) }.into())
    }

    /// Whether readers have taken every event of the oldest page, which lies at `index`. The first
    /// event behind it is that of the page that follows, which may be the tail's own.
    fn is_consumed(&self, seen: &Seen<'_>, index: u64) -> Option<bool> {
        let place = &seen.place;
        let first_sequence = place.ring.first_sequence.load(Relaxed);
        if seen.sequence.wrapping_add(1) < first_sequence.wrapping_add(place.memory.page_count()) {
            // The first lap: nothing of this generation lies there.
            return Some(true);
        }
        let behind = place.memory.slot(place.memory.after(index), self.segment())?;
        Some(place.ring.next_event.load(Relaxed) >= behind.first_event.load(Relaxed))
    }

    /// Records that more time has passed than an event's own word can tell.
    fn record_gap(&self, seen: &Seen<'_>, gap: u64, section: &impl Section) -> Option<Step> {
        let header = page_header(seen.place.page_offset(), self.segment())?;
        let used = seen.tail.commit(self.geometry().page_size) as usize;
        // Behind the header's two words. Entries are aligned to 4 bytes, so this may not be to 8.
        let address = header.as_ptr_range().end.cast::<u8>().wrapping_add(used);
        let value = time_extend(TYPE_TIME_EXTEND, gap);
        let stores = [Store { address: address.cast_mut().cast(), value }];
        let tail = seen.tail.extend(TIME_EXTEND_SIZE as u64);
        // SAFETY: `prepare` has found room for it in the page; the tail is 16-byte aligned.
        Some(unsafe { section.publish(&seen.guards(), &stores, seen.commit(tail)) }.into())
    }
}

fn guard(word: &AtomicU64, expected: u64) -> Guard {
    Guard { address: word.as_ptr(), expected }
}

fn store(word: &AtomicU64, value: u64) -> Store {
    Store { address: word.as_ptr(), value }
}
