//! A place in a page's data, and the time there.

use crate::bytes::u32_at;
use abi::page::{PageEntry, TIME_EXTEND_SIZE, TYPE_PADDING, entry, event_word};
use core::ops::Range;

/// The bits of a time that an absolute stamp leaves out.
const STAMP_HIGH_BITS: u64 = 0xf8 << 56;

/// Steps through the entries of a page's data. Apart from the data, so that who owns a page can
/// keep both side by side.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cursor {
    position: usize,
    time: u64,
}

impl Cursor {
    /// Before the first event of a page that starts at `time_stamp`.
    pub(crate) fn new(time_stamp: u64) -> Cursor {
        Cursor { position: 0, time: time_stamp }
    }

    /// The next event's time and the range of `data` that is its payload. None at the end, and at bytes that
    /// are no event.
    ///
    /// Every step moves at least 4 bytes on, so a page of any content comes to its end.
    #[inline]
    pub(crate) fn next(&mut self, data: &[u8]) -> Option<(u64, Range<usize>)> {
        loop {
            let position = self.position;
            let word = u32_at(data, position)?;
            // The second word belongs to the entry for some types only; after the last entry
            // there is none.
            let next = u32_at(data, position + 4).unwrap_or(0);
            match entry(word, next) {
                PageEntry::Data { delta, lead, len } => {
                    let start = position + lead;
                    let end = start.saturating_add(len);
                    if end > data.len() {
                        return None;
                    }
                    self.position = end;
                    self.time = self.time.wrapping_add(delta);
                    return Some((self.time, start..end));
                }
                PageEntry::Padding { delta: _, size } => {
                    // A discarded event. The kernel's readers leave its delta out of the sum, and
                    // so do we; libtraceevent adds it.
                    self.position = position.saturating_add(size);
                }
                PageEntry::TimeExtend(delta) => {
                    self.time = self.time.wrapping_add(delta);
                    self.position = position + TIME_EXTEND_SIZE;
                }
                PageEntry::TimeStamp(stamp) => {
                    self.time = absolute(stamp, self.time);
                    self.position = position + TIME_EXTEND_SIZE;
                }
                PageEntry::End => return None,
            }
        }
    }

    /// How far it has come.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Whether it has come to the end of `data`, or to padding that ends a page.
    pub(crate) fn is_at_end(&self, data: &[u8]) -> bool {
        let is_padding = |word: u32| word == event_word(TYPE_PADDING, 0);
        self.position == data.len() || u32_at(data, self.position).is_some_and(is_padding)
    }
}

/// The full time of an absolute stamp, whose 5 high bits are those of the time before, one up when
/// the stamp would go back otherwise. As `rb_fix_abs_ts` in `kernel/trace/ring_buffer.c`.
fn absolute(stamp: u64, before: u64) -> u64 {
    let high = before & STAMP_HIGH_BITS;
    if high == 0 {
        return stamp;
    }
    let time = stamp | high;
    if time < before { time.wrapping_add(1 << 59) } else { time }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_stamps_take_the_high_bits_of_the_time_before() {
        assert_eq!(absolute(7, 5), 7);
        assert_eq!(absolute(7, 1 << 60), (1 << 60) | 7);
        assert_eq!(absolute(7, (1 << 60) | 9), (1 << 60) + (1 << 59) + 7);
    }

    #[test]
    fn a_discarded_event_is_skipped_with_its_delta() {
        let mut data = Vec::new();
        data.extend(event_word(1, 5).to_le_bytes());
        data.extend([1; 4]);
        data.extend(event_word(29, 1000).to_le_bytes());
        data.extend(8u32.to_le_bytes());
        data.extend([0; 4]);
        data.extend(event_word(1, 2).to_le_bytes());
        data.extend([2; 4]);
        let mut cursor = Cursor::new(100);
        assert_eq!(cursor.next(&data), Some((105, 4..8)));
        assert_eq!(cursor.next(&data), Some((107, 24..28)));
        assert_eq!(cursor.next(&data), None);
    }

    #[test]
    fn an_event_that_reaches_out_of_the_data_ends_it() {
        let data = event_word(3, 0).to_le_bytes();
        let mut cursor = Cursor::new(0);
        assert_eq!(cursor.next(&data), None);
        assert_eq!(cursor.next(&data), None);
    }
}
