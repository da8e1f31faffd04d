//! Packing records into pages.

use super::Record;
use crate::page::{Missed, PageBuilder};
use abi::page::{HEADER_SIZE, TIME_EXTEND_SIZE, event_size};

/// Packs the records of one CPU into pages, with the losses before them.
///
/// Only a page's header can report a loss, and the count stands after the page's events. So a record
/// with a loss before it starts a page, in which the packer leaves space for the count.
///
/// ```
/// use trace_data::page::{Missed, Page};
/// use trace_data::record::{PagePacker, Record};
///
/// let mut packer = PagePacker::new(4096);
/// let record = Record { cpu: 0, time: 1000, payload: b"an event", lost: Missed::None };
/// let after_loss = Record { time: 2000, lost: Missed::Count(7), ..record };
/// assert!(packer.push(&record) && !packer.push(&after_loss));
/// assert_eq!(Page::new(packer.finish().unwrap()).unwrap().missed, Missed::None);
/// assert!(packer.push(&after_loss));
/// assert_eq!(Page::new(packer.finish().unwrap()).unwrap().missed, Missed::Count(7));
/// ```
#[derive(Debug)]
pub struct PagePacker {
    builder: PageBuilder,
    /// Bytes of a page that are there for events.
    capacity: usize,
    /// Bytes of them that are in use at most.
    used: usize,
    /// Events lost before the page.
    missed: u64,
}

impl PagePacker {
    /// A packer into pages of `page_size` bytes.
    ///
    /// # Panics
    ///
    /// As [`PageBuilder::new`].
    pub fn new(page_size: usize) -> PagePacker {
        let capacity = page_size.saturating_sub(HEADER_SIZE);
        PagePacker { builder: PageBuilder::new(page_size), capacity, used: 0, missed: 0 }
    }

    /// Whether the page has no record.
    pub fn is_empty(&self) -> bool {
        self.builder.is_empty()
    }

    /// Puts a record into the page. False when it belongs into the next one: [`PagePacker::finish`] this
    /// one, and push it again. A record that an empty page refuses fits no page.
    pub fn push(&mut self, record: &Record<'_>) -> bool {
        let size = event_size(record.payload.len()) + TIME_EXTEND_SIZE;
        let ends_page = record.lost != Missed::None
            || self.missed > 0 && self.used + size + size_of_val(&self.missed) > self.capacity;
        let is_first = self.is_empty();
        if ends_page && !is_first || !self.builder.push(record.time, record.payload) {
            return false;
        }
        if is_first {
            self.missed = record.lost.count();
        }
        self.used += size;
        true
    }

    /// Ends the page, and returns it: zeros after the events. None for one without a record.
    pub fn finish(&mut self) -> Option<&[u8]> {
        if self.is_empty() {
            return None;
        }
        self.used = 0;
        Some(self.builder.finish(Some(std::mem::take(&mut self.missed))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    #[test]
    fn a_full_page_says_how_much_was_lost_before_it() {
        let mut packer = PagePacker::new(4096);
        let mut missed = Vec::new();
        for time in 0..1000 {
            let lost = if time % 300 == 1 { Missed::Count(7) } else { Missed::None };
            let record = Record { cpu: 0, time, payload: &[0; 28], lost };
            if !packer.push(&record) {
                missed.push(Page::new(packer.finish().unwrap()).unwrap().missed);
                assert!(packer.push(&record));
            }
        }
        missed.push(Page::new(packer.finish().unwrap()).unwrap().missed);
        assert_eq!(packer.finish(), None);
        missed.retain(|missed| *missed != Missed::None);
        assert_eq!(missed, [Missed::Count(7); 4]);
    }
}
