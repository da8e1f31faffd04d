//! The slow path: what a writer has to do before it can write. It adopts a change of the control word, goes
//! on to the next page, or records a long gap.
//!
//! Each of these is one section: stores that nobody looks at yet, then one commit. CPUs and lanes share the
//! steps, see [`Publisher`]. The invariants that they keep, by their numbers in decision 001:
//!
//! * R1: everything stored here belongs to the block, and only a section of its CPU, or the owner of its
//!   lane, stores it.
//! * R2: a section's only visible effect is its commit. A writer that is interrupted or killed before it
//!   leaves the block as it was.
//! * R3: `seen` follows the control word only after the tail is in the live ring, and never to a word with an
//!   off-flag.
//! * R4: a slot's number is stored before anything else of the page; nothing before the commit touches the
//!   page under the tail.
//! * R5: numbers of pages and events only grow.
//! * R7: a section that is done again from the same state stores the same, so whoever comes next can do again
//!   what was cut off.
//! * R8: adoption resets `{next_event, read}`, the number first.
//! * R12: positions are checked before each step; damaged words lead to a dropped event, and every loop ends.
//! * R16, R17: a ring's pages are looked up in each step, and don't change while it is in use.
//! * R18: what is adopted is looked up in the ring mapping under its generation, and guarded by it.
//!
//! Sections store plain words in assembly, in the order in which they are listed here. Readers load them with
//! Acquire ([`crate::view`]); a writer's own loads are Relaxed where a guard compares the word again.

use crate::arch;
use crate::buffer::Buffer;
use crate::geometry::{NoMemory, RingMemory, page_header};
use crate::observed::{Observed, Unseen};
use crate::section::Publisher;
use abi::atomic::AtomicU64;
use abi::buffer::{BLOCK_DISABLED, BLOCK_STOPPED, Block, DropReason, Slot, Tail};
use abi::page::{DELTA_LIMIT, TIME_EXTEND_SIZE, TYPE_TIME_EXTEND, time_extend};
use core::sync::atomic::Ordering::Relaxed;
use rseq::{Commit, Outcome, Store};

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

impl From<Unseen> for Step {
    fn from(reason: Unseen) -> Step {
        match reason {
            Unseen::Again => Step::Again,
            Unseen::NoPages => Step::NoMemory,
            Unseen::NoMemory(NoMemory::Damaged) => Step::Drop(DropReason::Damaged),
            Unseen::NoMemory(NoMemory::NotMapped) => Step::NotMapped,
        }
    }
}

/// How far a block has followed the control word (R3).
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

    /// The stores that make it so. The slot's number comes first: a reader that copies the page as it was
    /// will find that it is no longer that (R4). The numbers are those that follow (R5).
    fn stores(&self, seen: &Observed<'_>) -> Option<[Store; 3]> {
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
    /// Brings `block` one step nearer to where an event that needs `size` bytes can be written.
    // Relaxed: the flags change before the control word, which sends writers here again (R3); the last time
    // is this CPU's own (R1), and a stale one is found by the guards.
    pub(crate) fn prepare(&self, block: &Block, section: &impl Publisher, size: u64) -> Step {
        let control = self.control();
        if control.is_off() || block.flags.load(Relaxed) & BLOCK_OFF != 0 {
            return Step::Off;
        }
        let capacity = self.geometry().page_capacity();
        if size > capacity {
            return Step::Drop(DropReason::TooLarge);
        }
        let seen = match self.look(block, control) {
            Ok(seen) => seen,
            Err(reason) => return reason.into(),
        };
        match self.adopt(&seen, section) {
            Some(Adoption::Done) => {}
            Some(Adoption::Tried(outcome)) => return outcome.into(),
            None => return Step::Drop(DropReason::Damaged),
        }
        let used = seen.tail.commit(self.geometry().page_size);
        let gap = seen.time.wrapping_sub(block.last_time.load(Relaxed));
        let extend = if gap < DELTA_LIMIT { 0 } else { TIME_EXTEND_SIZE as u64 };
        let step = if used + extend + size > capacity {
            self.next_page(&seen, section)
        } else if extend != 0 {
            self.record_gap(&seen, gap, section)
        } else {
            Some(Step::Ready(seen.time))
        };
        step.unwrap_or(Step::Drop(DropReason::Damaged))
    }

    /// Makes the block follow the control word: either its tail goes to the ring that is live now, or,
    /// where that has been done, `seen` is brought up to date.
    ///
    /// Two sections, because two words change. In between the tail is in the new ring while `seen` is
    /// old: writers then come here, and readers go by the tail alone (R3).
    // Relaxed: only this CPU's sections store `seen` (R1), and one that stores it again stores the same (R7).
    fn adopt(&self, seen: &Observed<'_>, section: &impl Publisher) -> Option<Adoption> {
        if !seen.has_adopted() {
            return self.move_to_live(seen, section);
        }
        if seen.block.seen.load(Relaxed) == seen.control.0 {
            return Some(Adoption::Done);
        }
        debug_assert!(!seen.control.is_off(), "R3: off-flags are never adopted");
        let commit = Commit { address: seen.block.seen.as_ptr(), low: seen.control.0, high: 0 };
        // SAFETY: the addresses are those of words in the segment; `seen` is 16-byte aligned and
        // the word after it is reserved for this.
        Some(Adoption::Tried(unsafe { section.publish(&seen.guards(), &[], commit) }))
    }

    /// Moves the tail to where the control word's generation begins in the ring that it names.
    ///
    /// In the ring where it is, the tail goes on to the next page: the stores before the commit must not
    /// touch the page that it is in (R4), or a writer that is cut off there leaves a page that has the new
    /// generation's number and the old one's events.
    fn move_to_live(&self, seen: &Observed<'_>, section: &impl Publisher) -> Option<Adoption> {
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
            // In this order: a reader's compare-exchange that comes in between finds another number (R8).
            store(&ring.next_event, seen.next_event),
            store(&ring.read, 0),
            store(&ring.generation, seen.generation()),
            sequence,
            first_event,
            time_stamp,
        ];
        // SAFETY: the addresses are those of this block's words in the segment (R1), checked by
        // `TailPage::of` and `RingMemory::of` (R12); the tail is 16-byte aligned.
        let outcome = unsafe { section.publish(&seen.guards(), &stores, seen.commit(fresh.tail())) };
        Some(Adoption::Tried(outcome))
    }

    /// Brings the tail of `block` to the ring that is live, whether recording is on or off. False where
    /// that could not be done: the words are damaged, or others change them all the time.
    pub(crate) fn follow(&self, block: &Block, section: &impl Publisher) -> bool {
        const TRIES: u32 = 64;
        (0..TRIES).any(|_| self.try_to_follow(block, section) == Some(true))
    }

    /// One step of it. Whether the tail is there.
    fn try_to_follow(&self, block: &Block, section: &impl Publisher) -> Option<bool> {
        let seen = self.look(block, self.control()).ok()?;
        if seen.has_adopted() {
            return Some(true);
        }
        self.move_to_live(&seen, section)?;
        Some(false)
    }

    /// Closes the tail's page and moves the tail to the next one, over whatever that one holds. In
    /// producer/consumer mode only if all that it holds has been read.
    fn next_page(&self, seen: &Observed<'_>, section: &impl Publisher) -> Option<Step> {
        let place = &seen.place;
        let index = place.memory.after(place.index);
        debug_assert_ne!(index, place.index, "R4: the page under the tail stays as it is until the commit");
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
        // Who turns that page then need not wait for its memory.
        if let Some(following) =
            page_header(place.memory.page_offset(place.memory.after(index)), self.segment())
        {
            arch::prefetch_for_store(following.as_ptr().cast());
        }
        // SAFETY: the addresses are those of this block's words in the segment (R1), checked by
        // `TailPage::of` (R12); the tail is 16-byte aligned.
        Some(unsafe { section.publish(&seen.guards(), &stores, seen.commit(fresh.tail())) }.into())
    }

    /// Whether readers have consumed every event of the oldest page, which lies at `index`. The first event
    /// after it is that of the page that follows, which may be the tail's own.
    // Relaxed: the ring's words and slots are this CPU's own (R1); `next_event` moves forward only, but for
    // an adoption (R8), so an old one refuses an event that would fit, and never overwrites what is unread.
    fn is_consumed(&self, seen: &Observed<'_>, index: u64) -> Option<bool> {
        let place = &seen.place;
        let first_sequence = place.ring.first_sequence.load(Relaxed);
        if seen.sequence.wrapping_add(1) < first_sequence.wrapping_add(place.memory.page_count()) {
            // The first lap: nothing of this generation lies there.
            return Some(true);
        }
        let following = place.memory.slot(place.memory.after(index), self.segment())?;
        Some(place.ring.next_event.load(Relaxed) >= following.first_event.load(Relaxed))
    }

    /// Records that more time has passed than an event's own word can hold.
    fn record_gap(&self, seen: &Observed<'_>, gap: u64, section: &impl Publisher) -> Option<Step> {
        let header = page_header(seen.place.page_offset(), self.segment())?;
        let used = seen.tail.commit(self.geometry().page_size) as usize;
        // After the header's two words. Entries are aligned to 4 bytes, so this may not be to 8.
        let address = header.as_ptr_range().end.cast::<u8>().wrapping_add(used);
        let value = time_extend(TYPE_TIME_EXTEND, gap);
        let stores = [Store { address: address.cast_mut().cast(), value }];
        let tail = seen.tail.extend(TIME_EXTEND_SIZE as u64);
        // SAFETY: `prepare` has found that it fits the page (R12); the tail is 16-byte aligned.
        Some(unsafe { section.publish(&seen.guards(), &stores, seen.commit(tail)) }.into())
    }
}

fn store(word: &AtomicU64, value: u64) -> Store {
    Store { address: word.as_ptr(), value }
}
