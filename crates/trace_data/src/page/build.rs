//! Making a page.

use abi::page::{
    ALIGNMENT, COMMIT_OFFSET, DELTA_LIMIT, EVENT_HEADER, HEADER_SIZE, MAX_SIZE, MAX_SMALL_PAYLOAD,
    TIME_EXTEND_SIZE, TYPE_TIME_EXTEND, event_size, event_word, time_extend,
};

/// The first delta that not even a time extend holds: 59 bits.
const EXTEND_LIMIT: u64 = 1 << 59;

/// Packs events into pages, one page after another.
///
/// ```
/// use trace_data::page::{Page, PageBuilder};
///
/// let mut builder = PageBuilder::new(4096);
/// assert!(builder.push(1000, b"first..."));
/// assert!(builder.push(1250, b"second.."));
/// let page = Page::new(builder.finish(None)).unwrap();
/// let times: Vec<u64> = page.events().map(|event| event.time).collect();
/// assert_eq!(times, [1000, 1250]);
/// ```
#[derive(Debug)]
pub struct PageBuilder {
    page: Vec<u8>,
    /// Bytes of `page` in use; 0 when the next event starts a page.
    end: usize,
    /// The time of the event pushed last.
    last: u64,
}

impl PageBuilder {
    /// A builder of pages of `page_size` bytes.
    ///
    /// # Panics
    ///
    /// When `page_size` is no multiple of 8 between 64 and [`MAX_SIZE`].
    pub fn new(page_size: usize) -> PageBuilder {
        let possible = (64..=MAX_SIZE).contains(&page_size) && page_size.is_multiple_of(8);
        assert!(possible, "no page has {page_size} bytes");
        PageBuilder { page: vec![0; page_size], end: 0, last: 0 }
    }

    /// Whether no event has been pushed since the page was started.
    pub fn is_empty(&self) -> bool {
        self.end <= HEADER_SIZE
    }

    /// Appends an event. False when it doesn't fit: finish the page and push it into the next.
    ///
    /// A payload of more than [`abi::page::max_payload`] bytes fits no page. Times are expected in
    /// order; one that lies before its predecessor is recorded as the predecessor's, as the kernel
    /// does for an event whose time it could not determine.
    pub fn push(&mut self, time: u64, payload: &[u8]) -> bool {
        if self.end == 0 {
            self.end = HEADER_SIZE;
        }
        let first = self.end == HEADER_SIZE;
        let delta = if first { 0 } else { time.saturating_sub(self.last) };
        if delta >= EXTEND_LIMIT {
            return false;
        }
        let extend = if delta >= DELTA_LIMIT { TIME_EXTEND_SIZE } else { 0 };
        let size = event_size(payload.len());
        if self.page.len() - self.end < size.saturating_add(extend) {
            return false;
        }
        if first {
            self.page[..8].copy_from_slice(&time.to_le_bytes());
            self.last = time;
        }
        if extend != 0 {
            self.put(&time_extend(TYPE_TIME_EXTEND, delta).to_le_bytes());
        }
        self.put_event(if extend == 0 { delta } else { 0 }, payload, size);
        self.last = self.last.max(time);
        true
    }

    /// Ends the page and returns it: `page_size` bytes, zeros after the data. The next push starts
    /// another page.
    ///
    /// `missed` is the number of events lost before this page. It is stored after the data
    /// where there is space, otherwise the page only says that there were some: see [`abi::page::finish`].
    pub fn finish(&mut self, missed: Option<u64>) -> &[u8] {
        let end = self.end.max(HEADER_SIZE);
        if self.end == 0 {
            self.page[..8].fill(0);
        }
        let commit = (end - HEADER_SIZE) as u64;
        self.page[COMMIT_OFFSET..HEADER_SIZE].copy_from_slice(&commit.to_le_bytes());
        abi::page::finish(&mut self.page, missed.unwrap_or(0));
        self.end = 0;
        &self.page
    }

    /// Writes an event of `size` bytes all in all; the caller has seen that it fits.
    fn put_event(&mut self, delta: u64, payload: &[u8], size: usize) {
        let next = self.end + size;
        if payload.len() > MAX_SMALL_PAYLOAD {
            self.put(&event_word(0, delta).to_le_bytes());
            self.put(&((size - EVENT_HEADER) as u32).to_le_bytes());
        } else {
            let words = (size - EVENT_HEADER) / ALIGNMENT;
            self.put(&event_word(words as u32, delta).to_le_bytes());
        }
        self.put(payload);
        if self.end < next {
            self.page[self.end..next].fill(0);
        }
        self.end = next;
    }

    fn put(&mut self, bytes: &[u8]) {
        let end = self.end + bytes.len();
        self.page[self.end..end].copy_from_slice(bytes);
        self.end = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Missed, Page};
    use abi::page::max_payload;
    use proptest::prelude::*;

    /// Packs all events, and returns the pages.
    fn pages(page_size: usize, events: &[(u64, Vec<u8>)]) -> Vec<Vec<u8>> {
        let mut builder = PageBuilder::new(page_size);
        let mut pages = Vec::new();
        for (time, payload) in events {
            if !builder.push(*time, payload) {
                pages.push(builder.finish(None).to_vec());
                assert!(builder.push(*time, payload), "an empty page takes any event");
            }
        }
        pages.push(builder.finish(None).to_vec());
        pages
    }

    #[test]
    fn the_commit_word_is_the_kernels() {
        let mut builder = PageBuilder::new(4096);
        builder.push(5, &[0; 12]);
        let page = builder.finish(Some(127)).to_vec();
        // Measured on a kernel: 0xffffffffc0000fe0 for 4064 bytes and a stored count.
        assert_eq!(page[8..16], 0xffff_ffff_c000_0010_u64.to_le_bytes());
        assert_eq!(page[32..40], 127_u64.to_le_bytes());
        assert_eq!(Page::new(&page).unwrap().missed, Missed::Count(127));
    }

    #[test]
    fn a_count_without_space_is_left_out() {
        let mut builder = PageBuilder::new(4096);
        assert!(builder.push(5, &vec![0; max_payload(4096)]));
        let page = Page::new(builder.finish(Some(3))).unwrap();
        assert_eq!(page.missed, Missed::Unknown);
        assert_eq!(page.events().count(), 1);
    }

    #[test]
    fn a_page_without_events_is_empty() {
        let mut builder = PageBuilder::new(4096);
        builder.push(5, b"abcd");
        builder.finish(None);
        assert!(builder.is_empty());
        assert!(builder.finish(None).iter().all(|&byte| byte == 0));
    }

    #[test]
    fn what_is_too_large_fits_no_page() {
        let mut builder = PageBuilder::new(4096);
        assert!(!builder.push(0, &vec![0; max_payload(4096) + 1]));
        assert!(builder.is_empty());
    }

    proptest! {
        #[test]
        fn events_survive_the_round_trip(
            page_size in prop::sample::select(vec![512_usize, 4096, 16384]),
            start in any::<u64>().prop_map(|time| time >> 4),
            deltas in prop::collection::vec((0_u32..62, any::<u64>(), 0_usize..300), 1..200),
        ) {
            let mut time = start;
            let mut events = Vec::new();
            for (shift, delta, length) in deltas {
                time = time.saturating_add(delta & ((1 << shift) - 1));
                events.push((time, vec![length as u8; length]));
            }
            let pages = pages(page_size, &events);
            let mut expected = events.iter();
            for page in &pages {
                for event in Page::new(page).unwrap().events() {
                    let (time, payload) = expected.next().unwrap();
                    prop_assert_eq!(event.time, *time);
                    prop_assert!(event.payload.starts_with(payload));
                    prop_assert_eq!(event.payload.len() % 4, 0);
                    prop_assert_ne!(event.payload.len(), 8);
                }
            }
            prop_assert!(expected.next().is_none());
        }

        #[test]
        fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            if let Some(page) = Page::new(&bytes) {
                let end = page.data.as_ptr_range();
                for event in page.events() {
                    prop_assert!(end.contains(&event.payload.as_ptr()) || event.payload.is_empty());
                }
            }
        }

        #[test]
        fn a_changed_page_is_read_without_harm(
            changes in prop::collection::vec((0_usize..4096, any::<u8>()), 1..20),
        ) {
            let events: Vec<_> = (0..80).map(|n| (n << 25, vec![n as u8; n as usize])).collect();
            let mut page = pages(4096, &events).remove(0);
            for (place, byte) in changes {
                page[place] = byte;
            }
            prop_assert!(Page::new(&page).unwrap().events().count() <= 4080 / 4);
        }
    }
}
