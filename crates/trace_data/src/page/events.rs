//! A page that is read event by event, together with how far.

use super::{Cursor, Missed, Page, TimedEvent};
use core::ops::Range;

/// The events of a page that it owns.
///
/// ```
/// use trace_data::page::{PageBuilder, PageEvents};
///
/// let mut builder = PageBuilder::new(4096);
/// assert!(builder.push(1000, b"an event"));
/// let mut events = PageEvents::new(builder.finish(None).to_vec());
/// assert!(events.event().is_none() && events.advance());
/// assert_eq!(events.event().unwrap().time, 1000);
/// assert!(!events.advance() && events.event().is_none());
/// ```
#[derive(Debug, Default)]
pub struct PageEvents {
    page: Vec<u8>,
    /// Where the events are in the page.
    data: Range<usize>,
    missed: Missed,
    cursor: Cursor,
    /// The event that it is at: when, and where its payload is in the page.
    current: Option<(u64, Range<usize>)>,
}

impl PageEvents {
    /// Those of `page`, before the first one. None in bytes that are no page.
    pub fn new(page: Vec<u8>) -> PageEvents {
        let Some(found) = Page::new(&page) else { return PageEvents { page, ..PageEvents::default() } };
        let start = abi::page::HEADER_SIZE;
        PageEvents {
            data: start..start + found.data.len(),
            missed: found.missed,
            cursor: Cursor::new(found.time_stamp),
            current: None,
            page,
        }
    }

    /// The page's memory, to be used for the next one.
    pub fn into_page(self) -> Vec<u8> {
        self.page
    }

    /// Whether events were lost before the page.
    pub fn missed(&self) -> Missed {
        self.missed
    }

    /// Goes on to the next event. False at the end of the page.
    #[inline]
    pub fn advance(&mut self) -> bool {
        let Range { start, end } = self.data;
        let next = self.page.get(start..end).and_then(|data| self.cursor.next(data));
        self.current = next.map(|(time, payload)| (time, start + payload.start..start + payload.end));
        self.current.is_some()
    }

    /// The time of the event that it is at.
    #[inline]
    pub fn time(&self) -> Option<u64> {
        self.current.as_ref().map(|(time, _)| *time)
    }

    /// The event that it is at. None before the first one, and after the last.
    #[inline]
    pub fn event(&self) -> Option<TimedEvent<'_>> {
        let (time, payload) = self.current.as_ref()?;
        Some(TimedEvent { time: *time, payload: self.page.get(payload.clone())? })
    }
}
