//! Pages without what is damaged in them.

use super::{BufferPages, Error, PageDamage, PageFault, SoundRecords};
use crate::bytes::u64_at;
use crate::merge::Pages;
use crate::page::{Cursor, Missed, Page};
use abi::page::{
    ALIGNMENT, COMMIT_LENGTH, COMMIT_OFFSET, HEADER_SIZE, MISSED_EVENTS, MISSED_STORED, SIGN_EXTENSION,
};
use core::convert::Infallible;
use std::io::{Read, Seek};
use std::sync::Arc;

/// The pages of some buffers, up to what is damaged in each of them: such a page is left out from the record
/// before that on, and the page after it says that events were lost. What can't be read is left out, too.
///
/// Cost: a look at each record.
#[derive(Debug)]
pub struct SoundPages<'a, R> {
    pages: BufferPages<'a, R>,
    records: Arc<SoundRecords>,
    streams: Vec<SoundStream>,
    /// What was wrong first.
    damage: Option<Error>,
    /// Pages that were found damaged after that.
    others: u64,
}

/// How far a stream has been looked at.
#[derive(Debug, Default)]
struct SoundStream {
    has_begun: bool,
    /// The page that comes next.
    ahead: Option<FoundPage>,
    /// The time of the last event so far.
    last: u64,
    /// Whether something was left out after it.
    is_missing: bool,
}

/// A page as it was found.
#[derive(Debug, Default)]
struct FoundPage {
    bytes: Vec<u8>,
    /// Where it is in the file.
    offset: u64,
}

/// How far a page is sound.
struct SoundPart {
    /// Bytes of events.
    len: usize,
    /// The time of the last of them.
    last: u64,
    /// What is wrong after them, or after the record that follows them.
    fault: Option<PageFault>,
    /// Where that is.
    found: usize,
}

impl<'a, R: Read + Seek> SoundPages<'a, R> {
    /// Those of `pages`, whose records look like these.
    pub fn new(pages: BufferPages<'a, R>, records: Arc<SoundRecords>) -> SoundPages<'a, R> {
        let mut streams = Vec::new();
        streams.resize_with(pages.streams(), SoundStream::default);
        SoundPages { pages, records, streams, damage: None, others: 0 }
    }

    /// What was found damaged so far, once.
    pub fn take_damage(&mut self) -> Option<Error> {
        let mut damage = self.damage.take();
        if let Some(Error::Damaged(damage)) = &mut damage {
            damage.others = std::mem::take(&mut self.others);
        }
        damage
    }

    fn note(&mut self, error: Error) {
        match self.damage {
            Some(_) => self.others += 1,
            None => self.damage = Some(error),
        }
    }

    /// Reads the next page that can be read into `bytes`.
    fn read(&mut self, stream: usize, mut bytes: Vec<u8>) -> Option<FoundPage> {
        loop {
            match self.pages.next_page(stream, &mut bytes) {
                Ok(true) => return Some(FoundPage { bytes, offset: self.pages.offset(stream) }),
                Ok(false) => return None,
                Err(error) => {
                    self.note(error);
                    self.streams[stream].is_missing = true;
                }
            }
        }
    }

    /// Cuts a page to what is sound. False where that is nothing.
    fn cut(&mut self, stream: usize, page: &mut Vec<u8>, offset: u64, is_after_loss: bool) -> bool {
        let page_size = self.pages.page_size();
        let SoundStream { ahead, last, .. } = &self.streams[stream];
        // The last page of a truncated file ends anywhere, which is known of the file.
        let is_truncated = page.len() < page_size && ahead.is_none();
        let part = SoundPart::of(page, page_size, (*last, ahead.as_ref()), &self.records);
        if let Some(fault) = part.fault {
            self.streams[stream].is_missing = true;
            if !is_truncated {
                let byte = if part.len == 0 { 0 } else { HEADER_SIZE + part.found };
                let cpu = self.pages.cpu(stream);
                self.note(PageDamage { cpu, offset, byte, fault, others: 0 }.into());
            }
            if part.len == 0 {
                return false;
            }
        }
        self.streams[stream].last = part.last;
        let (len, missed) = Page::new(page).map_or((0, Missed::None), |page| (page.data.len(), page.missed));
        let missed = if is_after_loss { missed.and(Missed::Unknown) } else { missed };
        if part.len != len || is_after_loss {
            seal(page, part.len, missed);
        }
        true
    }
}

impl<R: Read + Seek> Pages for SoundPages<'_, R> {
    type Error = Infallible;

    fn streams(&self) -> usize {
        self.pages.streams()
    }

    fn cpu(&self, stream: usize) -> u32 {
        self.pages.cpu(stream)
    }

    fn next_page(&mut self, stream: usize, page: &mut Vec<u8>) -> Result<bool, Infallible> {
        if !self.streams[stream].has_begun {
            self.streams[stream].has_begun = true;
            self.streams[stream].ahead = self.read(stream, Vec::new());
        }
        loop {
            let is_after_loss = std::mem::take(&mut self.streams[stream].is_missing);
            let Some(mut found) = self.streams[stream].ahead.take() else {
                // An empty page after all others says that events are missing up to the end.
                page.clear();
                page.extend([u64::MAX; HEADER_SIZE / size_of::<u64>()].map(u64::to_le_bytes).as_flattened());
                seal(page, 0, Missed::Unknown);
                return Ok(is_after_loss);
            };
            std::mem::swap(page, &mut found.bytes);
            self.streams[stream].ahead = self.read(stream, found.bytes);
            if self.cut(stream, page, found.offset, is_after_loss) {
                return Ok(true);
            }
        }
    }
}

impl SoundPart {
    /// That of a page of at most so many bytes, whose stream has come to a time, and goes on with a page.
    fn of(
        page: &[u8],
        page_size: usize,
        (last, ahead): (u64, Option<&FoundPage>),
        records: &SoundRecords,
    ) -> SoundPart {
        let nothing = |fault| SoundPart { len: 0, last, found: 0, fault: Some(fault) };
        let Some((start, length)) = begin(page, page_size) else { return nothing(PageFault::Header) };
        let is_ordered = records.are_ordered();
        let next = ahead.map(|ahead| begin(&ahead.bytes, page_size).map(|(next, _)| next));
        let end = next.flatten().filter(|next| is_ordered && *next >= last).unwrap_or(u64::MAX);
        if start > end || is_ordered && start < last {
            return nothing(PageFault::Order);
        }
        let data = Page::new(page).map_or(&[][..], |page| page.data);
        let (mut cursor, mut before) = (Cursor::new(start), start);
        let mut part = SoundPart { len: 0, last, found: 0, fault: None };
        // What is damaged may begin in the last record that looks sound.
        let mut kept = (0, last);
        while let Some((time, payload)) = cursor.next(data) {
            let is_in_order = !is_ordered || (before..=end).contains(&time);
            let is_aligned = payload.end.is_multiple_of(ALIGNMENT);
            part.fault = match data.get(payload) {
                Some(payload) if is_aligned && is_in_order => records.fault(payload),
                Some(_) if is_aligned => Some(PageFault::Time),
                _ => Some(PageFault::NoEvent),
            };
            if part.fault.is_some() {
                break;
            }
            kept = (part.len, part.last);
            (part.len, part.last, before) = (cursor.position(), time, time);
        }
        let is_whole = cursor.is_at_end(data) && data.len() == length;
        part.fault = part.fault.or((!is_whole).then_some(PageFault::NoEvent));
        part.found = part.len;
        let is_next_damaged = next.is_some_and(|next| next.is_none_or(|next| is_ordered && next < part.last));
        let is_truncated = page.len() < page_size && ahead.is_none();
        if is_next_damaged || part.fault.is_some() && !is_truncated {
            (part.len, part.last) = kept;
        }
        part
    }
}

/// The time of a page's first event, and how many bytes its events have. None where the header of a page of
/// at most so many bytes can't be so.
fn begin(page: &[u8], page_size: usize) -> Option<(u64, usize)> {
    let (time, commit) = (u64_at(page, 0)?, u64_at(page, COMMIT_OFFSET)?);
    let (flags, length) = (commit & !COMMIT_LENGTH & !SIGN_EXTENSION, (commit & COMMIT_LENGTH) as usize);
    let are_flags = [0, MISSED_EVENTS, MISSED_EVENTS | MISSED_STORED].contains(&flags)
        && [0, SIGN_EXTENSION].contains(&(commit & SIGN_EXTENSION));
    let fits = length <= page_size.saturating_sub(HEADER_SIZE) && length.is_multiple_of(ALIGNMENT);
    (are_flags && fits && (time, commit) != (0, 0)).then_some((time, length))
}

/// Ends a page after so many bytes of events.
fn seal(page: &mut Vec<u8>, len: usize, missed: Missed) {
    page.truncate(HEADER_SIZE + len);
    let flags = match missed {
        Missed::None => 0,
        Missed::Unknown => MISSED_EVENTS,
        Missed::Count(count) => {
            page.extend(count.to_le_bytes());
            MISSED_EVENTS | MISSED_STORED
        }
    };
    page[COMMIT_OFFSET..HEADER_SIZE].copy_from_slice(&(len as u64 | flags).to_le_bytes());
}
