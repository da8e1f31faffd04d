//! Reading events, while writers go on.
//!
//! A page is copied, then its slot's number is checked again: the same number means that no writer has
//! begun to overwrite the page, so the copy is whole (R4). The page under the tail is read the same way, up
//! to where the tail was (R6).
//!
//! Consuming moves the ring's `{next_event, read}` by one compare-exchange, after the copy was found
//! good. Whoever loses that race copies again; an event is handed out once (R8).

use crate::buffer::Buffer;
use crate::view::{Generation, View};
use crate::walk::Walk;
use abi::buffer::{Block, Ring};
use abi::page::{self, COMMIT_OFFSET, HEADER_SIZE};
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use core::sync::atomic::fence;
use shm::compare_exchange_pair;

/// How often a reader copies again when writers overwrite what it copies, or other readers take it.
const TRIES: u32 = 1000;

/// Events that were copied out of a block: one page, valid by itself, as the kernel hands it out
/// ([`abi::page::finish`]): when events were lost before it, it says so and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageCopy {
    /// Number of the first event.
    pub first_event: u64,
    /// How many there are. Never 0.
    pub events: u64,
    /// Events between the position that was asked for and the first one: they were overwritten.
    pub lost: u64,
    /// Bytes of the page that are in use: its header, its events, and the count of the lost ones.
    pub len: usize,
}

impl PageCopy {
    /// Number of the event after these: the position to go on from.
    pub fn next_event(&self) -> u64 {
        self.first_event.wrapping_add(self.events)
    }
}

impl Buffer {
    /// Copies events of `block` from number `position` on into `page`, at most a page of them, without
    /// consuming them. None when there are none now. What others have consumed is gone, as in the kernel.
    ///
    /// `page` has the buffer's page size; with 8 bytes more the count of lost events fits after the fullest
    /// page, too. Unused bytes are zeroed. Start at position 0; go on at [`PageCopy::next_event`]. Cost:
    /// about that of copying the page.
    pub fn read(&self, block: u32, position: u64, page: &mut [u8]) -> Option<PageCopy> {
        self.read_from(Generation::Live, block, position, page)
    }

    /// Consumes the oldest events of `block` that nobody has consumed yet, at most a page of them: no other
    /// reader gets them. None when there are none now.
    pub fn consume(&self, block: u32, page: &mut [u8]) -> Option<PageCopy> {
        self.consume_from(Generation::Live, block, PageChoice::Any, page)
    }

    /// Consumes the rest of the oldest page that nobody has consumed yet, but only of a page that writers
    /// have left: the kernel's `read_page` with `full`. None when there is none now.
    pub fn consume_whole(&self, block: u32, page: &mut [u8]) -> Option<PageCopy> {
        self.consume_from(Generation::Live, block, PageChoice::Whole, page)
    }

    /// [`Buffer::read`], of any generation.
    // Acquire: pairs with the store of adoption, and with the compare-exchange of consumers (R8): a reset
    // position is not seen with the events of before.
    pub(crate) fn read_from(
        &self,
        generation: Generation,
        block: u32,
        position: u64,
        page: &mut [u8],
    ) -> Option<PageCopy> {
        let block = self.block(block)?;
        (0..TRIES).find_map(|_| {
            let Some(view) = View::of(self, block, generation) else { return Some(None) };
            let start = view.first_event.max(view.ring.next_event.load(Acquire));
            self.copy(&view, position.max(start), PageChoice::Any, page).ok()
        })?
    }

    /// [`Buffer::consume`], of any generation.
    pub(crate) fn consume_from(
        &self,
        generation: Generation,
        block: u32,
        choice: PageChoice,
        page: &mut [u8],
    ) -> Option<PageCopy> {
        let block = self.block(block)?;
        (0..TRIES).find_map(|_| self.try_consume(generation, block, choice, page).ok())?
    }

    /// One attempt to consume: an error when a writer or another reader came in between.
    // Acquire: pairs with adoption, which stores `next_event`, then `read` (R8): in this order a torn pair is
    // one that the compare-exchange refuses.
    fn try_consume(
        &self,
        generation: Generation,
        block: &Block,
        choice: PageChoice,
        page: &mut [u8],
    ) -> Result<Option<PageCopy>, Raced> {
        let Some(view) = View::of(self, block, generation) else { return Ok(None) };
        let next_event = view.ring.next_event.load(Acquire);
        let read = view.ring.read.load(Acquire);
        let Some(taken) = self.copy(&view, next_event.max(view.first_event), choice, page)? else {
            return Ok(None);
        };
        let new = (taken.next_event(), read.wrapping_add(taken.events));
        if move_reader(view.ring, (next_event, read), new) { Ok(Some(taken)) } else { Err(Raced) }
    }

    /// Copies the events from number `asked` on that are in one page, or those of the oldest page if that is
    /// newer.
    fn copy(
        &self,
        view: &View<'_>,
        asked: u64,
        choice: PageChoice,
        page: &mut [u8],
    ) -> Result<Option<PageCopy>, Raced> {
        let (_, oldest) = view.oldest(self).ok_or(Raced)?;
        let mut position = asked.max(oldest);
        // One page is enough, unless its content is damaged: then what it had is lost.
        for _ in 0..view.memory.page_count() {
            if position >= view.end() {
                break;
            }
            let sequence = view.find(position, self).ok_or(Raced)?;
            if choice == PageChoice::Whole && sequence == view.tail_sequence {
                break;
            }
            let first_event = self.copy_page(view, sequence, page).ok_or(Raced)?;
            if let Some(events) = drop_front(page, position.saturating_sub(first_event)) {
                let lost = position - asked;
                let len = page::finish(page, lost);
                return Ok(Some(PageCopy { first_event: position, events, lost, len }));
            }
            if sequence >= view.tail_sequence {
                break;
            }
            position = view.first_event_of(sequence + 1, self).ok_or(Raced)?.max(position);
        }
        Ok(None)
    }

    /// Copies a page and gives the number of its first event; None when it was overwritten meanwhile.
    // Acquire: pairs with the stores of a page change, number first (R4). The copy itself is Relaxed: the
    // fence puts it before the second look at the number, which therefore can be Relaxed, too.
    fn copy_page(&self, view: &View<'_>, sequence: u64, page: &mut [u8]) -> Option<u64> {
        let (index, slot) = view.page(sequence, self)?;
        let offset = view.memory.page_offset(index);
        let first_event = slot.first_event.load(Acquire);
        let commit = view.commit(sequence, self)?;
        let used = HEADER_SIZE + commit as usize;
        self.segment().read(offset, page.get_mut(..used)?)?;
        // Everything above is loaded before the number is looked at again.
        fence(Acquire);
        if slot.sequence.load(Relaxed) != sequence {
            return None;
        }
        let word = page.get_mut(COMMIT_OFFSET..)?.first_chunk_mut()?;
        *word = commit.to_le_bytes();
        Some(first_event)
    }
}

/// Which pages may be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageChoice {
    /// The page under the tail, too, up to the tail (R6).
    Any,
    /// Pages that no writer adds to any more.
    Whole,
}

/// Somebody else came in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Raced;

/// Moves the position of the consuming readers, if it is where the caller has seen it (R8, R11).
pub(crate) fn move_reader(ring: &Ring, expected: (u64, u64), new: (u64, u64)) -> bool {
    // SAFETY: `next_event` and `read` are 16 aligned bytes of atomics in a live mapping.
    unsafe { compare_exchange_pair(ring.next_event.as_ptr(), expected, new) }
}

/// Drops the first `skip` events from a copied page, whose commit word is its length alone, and says how many
/// are left. None when that is none.
pub fn drop_front(page: &mut [u8], skip: u64) -> Option<u64> {
    let commit = u64::from_le_bytes(*page.get(COMMIT_OFFSET..)?.first_chunk()?);
    let end = HEADER_SIZE + commit as usize;
    let mut rest = Walk::new(page.get(..end)?).skip(skip as usize);
    let first = rest.next()?;
    let events = 1 + rest.count() as u64;
    if first.offset == HEADER_SIZE {
        return Some(events);
    }
    // The event's own delta then counts from a stamp that stands for all that was before it.
    page.copy_within(first.offset..end, HEADER_SIZE);
    let commit = (end - first.offset) as u64;
    *page.first_chunk_mut()? = first.base.to_le_bytes();
    *page.get_mut(COMMIT_OFFSET..)?.first_chunk_mut()? = commit.to_le_bytes();
    Some(events)
}
