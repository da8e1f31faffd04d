//! Walking over the entries of a page that has been copied.

use abi::page::{self, PageEntry};

/// A data event in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageEvent {
    /// Where its entry starts, counted from the start of the page.
    pub offset: usize,
    /// Its time less its own delta: the page's time stamp if the event were the page's first.
    pub base: u64,
    /// Its time.
    pub time: u64,
    /// Where its payload starts.
    pub payload: usize,
    /// Bytes of payload.
    pub len: usize,
}

impl PageEvent {
    /// Bytes that it takes in the page, with its header.
    pub fn size(&self) -> usize {
        self.payload - self.offset + self.len.next_multiple_of(page::ALIGNMENT)
    }
}

/// The data events of a page, oldest first. Whatever the page holds: the walk ends, and every event
/// lies within the page.
///
/// Cost: a few ns per event.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    page: &'a [u8],
    end: usize,
    offset: usize,
    time: u64,
}

impl<'a> Walk<'a> {
    /// Walks over `page`, a private copy.
    pub fn new(page: &'a [u8]) -> Walk<'a> {
        let commit = word64(page, page::COMMIT_OFFSET) & page::COMMIT_LENGTH;
        let end = page.len().min(page::HEADER_SIZE.saturating_add(commit as usize));
        Walk { page, end, offset: page::HEADER_SIZE, time: word64(page, 0) }
    }
}

impl Iterator for Walk<'_> {
    type Item = PageEvent;

    fn next(&mut self) -> Option<PageEvent> {
        while self.offset + page::EVENT_HEADER <= self.end {
            let offset = self.offset;
            let word = word32(self.page, offset);
            match page::entry(word, word32(self.page, offset + page::EVENT_HEADER)) {
                PageEntry::Data { delta, lead, len } => {
                    let base = self.time;
                    self.time = base.wrapping_add(delta);
                    self.offset = (offset + lead).checked_add(len.checked_next_multiple_of(4)?)?;
                    let payload = offset + lead;
                    let found = PageEvent { offset, base, time: self.time, payload, len };
                    return (self.offset <= self.end).then_some(found);
                }
                PageEntry::Padding { delta, size } => {
                    self.time = self.time.wrapping_add(delta);
                    self.offset = offset.checked_add(size)?;
                }
                PageEntry::TimeExtend(delta) => {
                    self.time = self.time.wrapping_add(delta);
                    self.offset = offset + page::TIME_EXTEND_SIZE;
                }
                PageEntry::TimeStamp(time) => {
                    self.time = time | self.time & !((1 << 59) - 1);
                    self.offset = offset + page::TIME_EXTEND_SIZE;
                }
                PageEntry::End => return None,
            }
        }
        None
    }
}

fn word32(page: &[u8], offset: usize) -> u32 {
    page.get(offset..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word))
}

fn word64(page: &[u8], offset: usize) -> u64 {
    page.get(offset..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u64::from_le_bytes(*word))
}
