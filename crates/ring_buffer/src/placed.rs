//! Events where they lie: for readers that copy nothing.
//!
//! What a reader looks at may be overwritten while it does. So it says afterwards how far it has come, and
//! learns which of those events had not been overwritten by then ([`Buffer::unread`]): pages are overwritten
//! in their order, and the number of a page's slot changes before the page does (R4).

use crate::buffer::Buffer;
use crate::view::{Generation, TRIES, View};
use abi::atomic::AtomicU32;
use abi::page::{self, PageEntry};
use core::sync::atomic::Ordering::{Acquire, Relaxed};

/// An event where it lies.
#[derive(Debug, Clone, Copy)]
pub struct PlacedEvent<'a> {
    /// Its number in its block.
    pub number: u64,
    /// Its time, in the buffer's clock.
    pub time: u64,
    /// How many events before it were overwritten before they were reached.
    pub lost: u64,
    /// Its payload, in words of 4 bytes. Anything may be read here: see the module.
    pub payload: &'a [AtomicU32],
}

/// A place in a block, from which events are looked at one after the other.
///
/// It belongs to one block of one buffer; elsewhere it finds other events, and nothing worse.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlacedCursor {
    /// Where the page is in the buffer.
    page: u64,
    /// The page's number; 0 before the first page.
    sequence: u64,
    /// Bytes of the page up to where it was written when it was looked at.
    end: usize,
    /// Where the next entry starts, counted from the start of the page.
    offset: usize,
    /// The time of the entry before that.
    time: u64,
    /// The number of the next event.
    number: u64,
    /// The number after the last event of what was written of the page.
    last: u64,
    /// How many were lost since the last event.
    lost: u64,
}

impl PlacedCursor {
    /// The number of the event that comes next.
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl Buffer {
    /// The next event of a block that is no older than the first one that nobody has consumed. None when
    /// there is none now.
    ///
    /// Cost: some ns, and some 20 ns for each page.
    #[inline]
    pub fn next_placed(&self, block: u32, cursor: &mut PlacedCursor) -> Option<PlacedEvent<'_>> {
        loop {
            while cursor.offset < cursor.end {
                if let Some(event) = self.entry(cursor) {
                    return Some(event);
                }
            }
            if !self.turn(block, cursor) {
                return None;
            }
        }
    }

    /// The event at the cursor, which goes on; None where there is something else. Whatever the page holds:
    /// the cursor moves, stays in the page, and gives no event a number that is another page's.
    // Relaxed: what was committed by the time at which the page was looked at is seen; see `turn`.
    #[inline]
    fn entry(&self, cursor: &mut PlacedCursor) -> Option<PlacedEvent<'_>> {
        let rest = cursor.end - cursor.offset;
        let words: &[AtomicU32] = self.segment().slice(cursor.page + cursor.offset as u64, rest / 4)?;
        let word = |index: usize| words.get(index).map_or(0, |word| word.load(Relaxed));
        let (delta, step) = match page::entry(word(0), word(1)) {
            PageEntry::Data { delta, lead, len } => {
                let end = lead.saturating_add(len).div_ceil(4);
                if let Some(payload) = words.get(lead / 4..end).filter(|_| cursor.number < cursor.last) {
                    cursor.time = cursor.time.wrapping_add(delta);
                    cursor.offset += end * 4;
                    let (number, time) = (cursor.number, cursor.time);
                    cursor.number += 1;
                    let lost = core::mem::take(&mut cursor.lost);
                    return Some(PlacedEvent { number, time, lost, payload });
                }
                (0, rest)
            }
            PageEntry::Padding { delta, size } => (delta, size.next_multiple_of(4)),
            PageEntry::TimeExtend(delta) => (delta, page::TIME_EXTEND_SIZE),
            PageEntry::TimeStamp(time) => {
                cursor.time = time | cursor.time & !((1 << 59) - 1);
                (0, page::TIME_EXTEND_SIZE)
            }
            PageEntry::End => (0, rest),
        };
        cursor.time = cursor.time.wrapping_add(delta);
        cursor.offset = cursor.offset.saturating_add(step).min(cursor.end);
        None
    }

    /// Looks at the block again: at what was added to the page, or at the page that has the next event.
    /// Whether there is more.
    #[cold]
    fn turn(&self, block: u32, cursor: &mut PlacedCursor) -> bool {
        // Events that the page had and that were not found: it was overwritten.
        cursor.lost += cursor.last - cursor.number;
        cursor.number = cursor.last;
        let Some(words) = self.block(block) else { return false };
        for _ in 0..TRIES {
            let Some(view) = View::of(self, words, Generation::Live) else { return false };
            if let Some(found) = self.turned(&view, cursor) {
                let has_more = found.offset < found.end;
                *cursor = found;
                return has_more;
            }
        }
        false
    }

    /// One attempt to look; None when a writer came in between.
    // Acquire: the position of consumers pairs with their compare-exchange (R8).
    fn turned(&self, view: &View<'_>, cursor: &PlacedCursor) -> Option<PlacedCursor> {
        let start = view.ring.next_event.load(Acquire).max(view.first_event);
        let is_here = cursor.sequence == view.tail_sequence && start <= cursor.number;
        if is_here && view.page(cursor.sequence, self).is_some() {
            let end = page::HEADER_SIZE + view.commit(cursor.sequence, self)? as usize;
            return Some(PlacedCursor { end, last: view.end(), ..*cursor });
        }
        let (_, oldest) = view.oldest(self)?;
        let asked = cursor.number.max(start);
        let wanted = asked.max(oldest);
        let sequence = view.find(wanted, self)?;
        let (index, _) = view.page(sequence, self)?;
        let number = view.first_event_of(sequence, self)?;
        let mut found = PlacedCursor {
            page: view.memory.page_offset(index),
            sequence,
            end: page::HEADER_SIZE + view.commit(sequence, self)? as usize,
            offset: page::HEADER_SIZE,
            time: view.time_stamp(sequence, self)?,
            number,
            last: match sequence == view.tail_sequence {
                true => view.end(),
                false => view.first_event_of(sequence + 1, self)?,
            },
            lost: 0,
        };
        while found.number < wanted && found.offset < found.end {
            self.entry(&mut found);
        }
        Some(PlacedCursor { lost: cursor.lost + (wanted - asked), ..found })
    }
}
