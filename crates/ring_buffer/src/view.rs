//! What a block holds at a moment, for a reader.
//!
//! Nothing is locked: writers go on. A view is a guess that was right a moment ago; what is copied by
//! it is checked again, page by page.
//!
//! The Acquire loads here pair with the stores of a writer's section, which the processor shows in their
//! order: a slot's number, what belongs to it, the words of the ring, and at last the tail (R2, R4). Loaded
//! the other way round, what is seen with a word is at least as new as that word. A number that is loaded a
//! second time, to see that it is the same, can be Relaxed: the Acquire load between the two keeps them in
//! order.

use crate::buffer::Buffer;
use crate::geometry::{RingMemory, TailPage, page_header};
use crate::snapshot::Snapshot;
use abi::buffer::{Block, ControlWord, Ring, Slot, Tail, ring_generation};
use abi::page::COMMIT_LENGTH;
use core::sync::atomic::Ordering::{Acquire, Relaxed};

/// How often a view is taken again when writers change pages under it. They need a microsecond for
/// each page, a reader needs some nanoseconds for a view.
pub(crate) const TRIES: u32 = 1000;

/// Which generation of a block's events is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generation {
    /// The one that the control word names.
    Live,
    /// One that is kept. Somebody holds it (R14).
    Kept(Snapshot),
}

/// The events of a block that are of one generation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) ring: &'a Ring,
    pub(crate) memory: RingMemory,
    /// After the last of them.
    pub(crate) tail: Tail,
    /// Index of the page under the tail.
    tail_index: u64,
    /// Sequence number of the page under the tail.
    pub(crate) tail_sequence: u64,
    /// Number of the first event in the page under the tail.
    pub(crate) tail_first_event: u64,
    /// Sequence number of the generation's first page.
    first_sequence: u64,
    /// Number of the generation's first event.
    pub(crate) first_event: u64,
}

impl<'a> View<'a> {
    /// What `block` has of `generation`: None where that is nothing, because the block has not adopted that
    /// generation (its tail is then in what belongs to an older one), has no memory, or makes no sense.
    pub(crate) fn of(buffer: &'a Buffer, block: &'a Block, generation: Generation) -> Option<View<'a>> {
        (0..TRIES).find_map(|_| match generation {
            Generation::Live => View::live(buffer, block, buffer.acquire_control()),
            Generation::Kept(snapshot) => View::kept(buffer, block, snapshot),
        })?
    }

    /// One attempt at a view of the ring where the tail is; None when a writer came in between.
    // Acquire: pairs with the commit that has moved the tail, see the module.
    fn live(buffer: &'a Buffer, block: &'a Block, control: ControlWord) -> Option<Option<View<'a>>> {
        let before = Tail(block.tail.load(Acquire));
        let Ok(place) = TailPage::of(before, block, buffer.geometry(), buffer.segment()) else {
            return Some(None);
        };
        let view = View::at_tail(buffer, block, &place, control.generation())?;
        // Loaded last: if the ring serves as the live one now, it did when everything else was loaded (R18).
        let live = buffer.ring(block, control.ring());
        Some(view.filter(|view| live.is_some_and(|live| core::ptr::eq(view.ring, live))))
    }

    /// One attempt at a view of the ring that holds `snapshot`; None when a writer came in between.
    ///
    /// As long as no writer of this CPU has adopted a later generation, the tail is still in that ring.
    /// Later it is in another, and the ring says where it was. A ring whose generation is right but which
    /// the tail has not yet been in says something older: its first page is after that.
    // Acquire: the tail, then what the ring says of where it was, then the page's number; see the module.
    fn kept(buffer: &'a Buffer, block: &'a Block, snapshot: Snapshot) -> Option<Option<View<'a>>> {
        let (geometry, segment) = (buffer.geometry(), buffer.segment());
        let Some(ring) = buffer.ring(block, snapshot.ring()) else { return Some(None) };
        let before = Tail(block.tail.load(Acquire));
        match TailPage::of(before, block, geometry, segment) {
            Ok(place) if core::ptr::eq(place.ring, ring) => {
                return View::at_tail(buffer, block, &place, snapshot.generation());
            }
            Ok(_) => {}
            Err(_) => return Some(None),
        }
        let tail = Tail(ring.final_tail.load(Acquire));
        let place = TailPage::of(tail, block, geometry, segment).ok();
        let Some(place) = place.filter(|place| core::ptr::eq(place.ring, ring)) else {
            return Some(None);
        };
        let sequence = place.slot.sequence.load(Acquire);
        Some(View::of_words(&place, tail, sequence, snapshot.generation()))
    }

    /// The rest of an attempt, when the tail was seen in `place`.
    ///
    /// A writer stores a slot's number, then what belongs to it, then moves the tail there. So only a
    /// tail that is seen in the page *after* the number was read shows that the rest is there, too (R4).
    // Acquire: the number, the tail, the rest. Relaxed: the number once more; see the module.
    fn at_tail(
        buffer: &'a Buffer,
        block: &'a Block,
        place: &TailPage<'a>,
        generation: u64,
    ) -> Option<Option<View<'a>>> {
        let tail_sequence = place.slot.sequence.load(Acquire);
        let tail = Tail(block.tail.load(Acquire));
        if tail.page_offset(buffer.geometry().page_size) != place.page_offset() {
            return None;
        }
        let view = View::of_words(place, tail, tail_sequence, generation);
        (place.slot.sequence.load(Relaxed) == tail_sequence).then_some(view)
    }

    /// A view that ends at `tail`, which is in `place`; None where the ring has not adopted `generation`, or
    /// was reset since then.
    ///
    /// Adoption stores the generation's first sequence number, its first event and the generation, in that
    /// order, before it moves the tail. Loaded the other way round they are all of the same generation,
    /// or the sequence number is after the tail's.
    // Acquire: pairs with the stores of `move_to_live`, and for `resets` with the AcqRel of who resets.
    fn of_words(place: &TailPage<'a>, tail: Tail, tail_sequence: u64, generation: u64) -> Option<View<'a>> {
        let tail_first_event = place.slot.first_event.load(Acquire);
        let adopted = place.ring.generation.load(Acquire);
        let first_event = place.ring.first_event.load(Acquire);
        let first_sequence = place.ring.first_sequence.load(Acquire);
        let resets = place.ring.resets.load(Acquire);
        let view = View {
            ring: place.ring,
            memory: place.memory,
            tail,
            tail_index: place.index,
            tail_sequence,
            tail_first_event,
            first_sequence,
            first_event,
        };
        let adopted = adopted == ring_generation(generation, resets)
            && first_sequence > 0
            && first_sequence <= tail_sequence;
        adopted.then_some(view)
    }

    /// Sequence number of the oldest page that can still be present.
    pub(crate) fn oldest_sequence(&self) -> u64 {
        let lap = self.tail_sequence.saturating_sub(self.memory.page_count() - 1);
        self.first_sequence.max(lap)
    }

    /// Number of the event that comes next in the block (R5).
    pub(crate) fn end(&self) -> u64 {
        self.tail_first_event.wrapping_add(self.tail.events())
    }

    /// Index and slot of the page numbered `sequence`; None when another page has its slot by now (R4).
    // Acquire: pairs with the store of the number; see the module.
    pub(crate) fn page(&self, sequence: u64, buffer: &'a Buffer) -> Option<(u64, &'a Slot)> {
        let index = self.memory.before(self.tail_index, self.tail_sequence.checked_sub(sequence)?)?;
        let slot = self.memory.slot(index, buffer.segment())?;
        (slot.sequence.load(Acquire) == sequence).then_some((index, slot))
    }

    /// Number of the first event of the page numbered `sequence`.
    // Acquire: between two looks at the slot's number, of which the second is Relaxed (R4).
    pub(crate) fn first_event_of(&self, sequence: u64, buffer: &'a Buffer) -> Option<u64> {
        let (_, slot) = self.page(sequence, buffer)?;
        let first = slot.first_event.load(Acquire);
        (slot.sequence.load(Relaxed) == sequence).then_some(first)
    }

    /// The oldest page that is present: its number, and the number of its first event.
    pub(crate) fn oldest(&self, buffer: &'a Buffer) -> Option<(u64, u64)> {
        (self.oldest_sequence()..=self.tail_sequence)
            .find_map(|sequence| Some((sequence, self.first_event_of(sequence, buffer)?)))
    }

    /// Number of the oldest event that is present and has not been consumed; the end when none is.
    // Acquire: pairs with the compare-exchange of consumers, and with adoption (R8).
    pub(crate) fn unread(&self, buffer: &'a Buffer) -> Option<u64> {
        let (_, oldest) = self.oldest(buffer)?;
        Some(self.ring.next_event.load(Acquire).max(oldest))
    }

    /// Number of the last page whose first event is not after `position`: the one that has it. None when
    /// that page was overwritten meanwhile.
    pub(crate) fn find(&self, position: u64, buffer: &'a Buffer) -> Option<u64> {
        let (mut low, first) = self.oldest(buffer)?;
        if first > position {
            return None;
        }
        let mut high = self.tail_sequence;
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.first_event_of(middle, buffer)? <= position {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Some(low)
    }

    /// Bytes of events in the page numbered `sequence`, at most what fits a page (R6, R12).
    // Acquire: pairs with the store that has closed the page before the tail moved on; a page that changes
    // meanwhile is found out by its number.
    pub(crate) fn commit(&self, sequence: u64, buffer: &'a Buffer) -> Option<u64> {
        let commit = if sequence == self.tail_sequence {
            self.tail.commit(buffer.geometry().page_size)
        } else {
            let (index, _) = self.page(sequence, buffer)?;
            let header = page_header(self.memory.page_offset(index), buffer.segment())?;
            header.last()?.load(Acquire) & COMMIT_LENGTH
        };
        Some(commit.min(buffer.geometry().page_capacity()))
    }

    /// Time stamp of the page numbered `sequence`.
    // Acquire: between two looks at the slot's number, of which the second is Relaxed (R4).
    pub(crate) fn time_stamp(&self, sequence: u64, buffer: &'a Buffer) -> Option<u64> {
        let (index, slot) = self.page(sequence, buffer)?;
        let header = page_header(self.memory.page_offset(index), buffer.segment())?;
        let time = header.first()?.load(Acquire);
        (slot.sequence.load(Relaxed) == sequence).then_some(time)
    }
}
