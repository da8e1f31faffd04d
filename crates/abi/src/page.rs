//! A page of events, byte for byte as the kernel's ring buffer lays it out.
//!
//! ```text
//! offset 0   u64  time_stamp   time of the page's first event, in units of the buffer's clock
//! offset 8   u64  commit       bytes of event data that follow, and flags (see below)
//! offset 16  events, back to back, each 4-byte aligned
//! ```
//!
//! An event starts with one little-endian word, `type_len` in its 5 low bits and in the other 27
//! the time since the previous event (or since the page's own stamp):
//!
//! ```text
//! type_len   what follows the word
//!   1..=28   payload of type_len * 4 bytes
//!   0        u32 length (payload + 4: it counts itself), then the payload
//!   29       padding: u32 length, then that much filler; a delta of 0 ends the page
//!   30       time extend: u32 holding the bits of the delta from 27 up
//!   31       time stamp: the same, absolute
//! ```
//!
//! Source: `include/linux/ring_buffer.h` and `kernel/trace/ring_buffer.c` of Linux 6.18, and
//! `events/header_page`, `events/header_event` of a running kernel.

/// Bytes before the first event of a page.
pub const HEADER_SIZE: usize = 16;
/// Offset of the `commit` word in a page.
pub const COMMIT_OFFSET: usize = 8;
/// The page size that a buffer has unless it was made with another.
pub const DEFAULT_SIZE: usize = 4096;
/// The largest page: the kernel's sub-buffer order 7.
pub const MAX_SIZE: usize = 4096 << 7;

/// The bits of `commit` that are a length. The kernel keeps flags from bit 20 up.
pub const COMMIT_LENGTH: u64 = (1 << 20) - 1;
/// Flag in `commit`: events were lost before this page.
pub const MISSED_EVENTS: u64 = 1 << 31;
/// Flag in `commit`: the number of lost events stands after the data, as a `u64`.
pub const MISSED_STORED: u64 = 1 << 30;

/// Every event starts at a multiple of this.
pub const ALIGNMENT: usize = 4;
/// Bytes of the word that starts an event.
pub const EVENT_HEADER: usize = 4;
/// The largest payload whose length fits `type_len`.
pub const MAX_SMALL_PAYLOAD: usize = 28 * 4;
/// Bytes of a time extend or an absolute time stamp.
pub const TIME_EXTEND_SIZE: usize = 8;
/// The first delta that does not fit an event's word.
pub const DELTA_LIMIT: u64 = 1 << 27;

/// `type_len` of padding.
pub const TYPE_PADDING: u32 = 29;
/// `type_len` of a time extend.
pub const TYPE_TIME_EXTEND: u32 = 30;
/// `type_len` of an absolute time stamp.
pub const TYPE_TIME_STAMP: u32 = 31;

/// The word that starts an event.
pub const fn event_word(type_len: u32, delta: u64) -> u32 {
    (delta as u32) << 5 | type_len
}

/// The 8 bytes of a time extend (or, with [`TYPE_TIME_STAMP`], of an absolute stamp), as the
/// little-endian word they make together.
pub const fn time_extend(type_len: u32, delta: u64) -> u64 {
    event_word(type_len, delta & (DELTA_LIMIT - 1)) as u64 | (delta >> 27) << 32
}

/// What stands at some place of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageEntry {
    /// An event.
    Data {
        /// Ticks since the entry before.
        delta: u64,
        /// Bytes from the entry to its payload.
        lead: usize,
        /// Bytes of payload.
        len: usize,
    },
    /// Filler of `size` bytes, all in all.
    Padding {
        /// Ticks since the entry before.
        delta: u64,
        /// Bytes to the next entry.
        size: usize,
    },
    /// Ticks that don't fit an event's word. [`TIME_EXTEND_SIZE`] bytes.
    TimeExtend(u64),
    /// The time itself, but for its 5 high bits. [`TIME_EXTEND_SIZE`] bytes.
    TimeStamp(u64),
    /// The page ends here although its commit says otherwise.
    End,
}

/// Takes apart the entry that starts with `word`, followed by `next` (0 where nothing follows).
pub const fn entry(word: u32, next: u32) -> PageEntry {
    let delta = (word >> 5) as u64;
    match word & 31 {
        0 if next < EVENT_HEADER as u32 => PageEntry::End,
        0 => PageEntry::Data { delta, lead: 2 * EVENT_HEADER, len: next as usize - EVENT_HEADER },
        TYPE_PADDING if delta == 0 => PageEntry::End,
        TYPE_PADDING => PageEntry::Padding { delta, size: EVENT_HEADER.saturating_add(next as usize) },
        TYPE_TIME_EXTEND => PageEntry::TimeExtend(delta | (next as u64) << 27),
        TYPE_TIME_STAMP => PageEntry::TimeStamp(delta | (next as u64) << 27),
        len => PageEntry::Data { delta, lead: EVENT_HEADER, len: len as usize * 4 },
    }
}

/// The sign bits that the kernel's commit words carry above [`MISSED_EVENTS`], because it adds the flag as a
/// negative `int`.
pub const SIGN_EXTENSION: u64 = !0 << 32;

/// Makes of a copied page what the kernel hands to its readers, and returns how many bytes of it are in use.
///
/// When `lost` events were lost before it, its commit word says so, and the number is stored after its
/// events, where there is space for it in `page`. All that follows is zeroed. A page without space for a
/// header is left as it is.
///
/// Source: `ring_buffer_read_page` in `kernel/trace/ring_buffer.c`, and pages that a kernel has written.
pub fn finish(page: &mut [u8], lost: u64) -> usize {
    let Some(word) = page.get(COMMIT_OFFSET..).and_then(|rest| rest.first_chunk()) else { return page.len() };
    let length = u64::from_le_bytes(*word) & COMMIT_LENGTH;
    let (mut commit, mut end) = (length, page.len().min(HEADER_SIZE + length as usize));
    if lost > 0 {
        commit |= SIGN_EXTENSION | MISSED_EVENTS;
        if let Some(count) = page.get_mut(end..).and_then(|rest| rest.first_chunk_mut()) {
            *count = lost.to_le_bytes();
            commit |= MISSED_STORED;
            end += size_of_val(count);
        }
    }
    page[COMMIT_OFFSET..HEADER_SIZE].copy_from_slice(&commit.to_le_bytes());
    page[end..].fill(0);
    end
}

/// Bytes that a payload of `len` bytes takes in a page, its word included.
///
/// As in the kernel there is no event of 12 bytes: whatever is there can be turned into a time
/// extend and a discarded event.
pub const fn event_size(len: usize) -> usize {
    let len = if len == 0 { 1 } else { len };
    let head = if len > MAX_SMALL_PAYLOAD { 2 * EVENT_HEADER } else { EVENT_HEADER };
    let size = (len + head).next_multiple_of(ALIGNMENT);
    if size == 12 { 16 } else { size }
}

/// The largest payload that a page of `page_size` bytes can hold.
pub const fn max_payload(page_size: usize) -> usize {
    page_size - HEADER_SIZE - 2 * EVENT_HEADER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_sizes_are_the_kernels() {
        // From the description of rb_calculate_event_length and from measured pages.
        for (len, size) in [(0, 8), (1, 8), (4, 8), (5, 16), (8, 16), (12, 16), (13, 20), (16, 20)] {
            assert_eq!(event_size(len), size, "payload of {len}");
        }
        assert_eq!(event_size(112), 116);
        assert_eq!(event_size(113), 124);
        assert_eq!(event_size(216), 224);
        assert_eq!(max_payload(4096), 4072);
        assert_eq!(event_size(max_payload(4096)), 4096 - HEADER_SIZE);
    }

    #[test]
    fn a_page_says_what_was_lost_before_it() {
        let mut page = [7; 64];
        page[COMMIT_OFFSET..HEADER_SIZE].copy_from_slice(&20_u64.to_le_bytes());
        let commit = |page: &[u8]| u64::from_le_bytes(*page[COMMIT_OFFSET..].first_chunk().unwrap());
        assert_eq!((finish(&mut page, 0), commit(&page)), (36, 20));
        assert!(page[36..].iter().all(|byte| *byte == 0) && page[16..36] == [7; 20]);
        // Measured on a kernel: 0xffffffffc0000fe0 for 4064 bytes and a stored count.
        assert_eq!((finish(&mut page, 127), commit(&page)), (44, 0xffff_ffff_c000_0014));
        assert_eq!((page[36], page[37..].iter().max()), (127, Some(&0)));
        assert_eq!(finish(&mut page[..44], 1), 44, "just enough for it");
        assert_eq!((finish(&mut page[..43], 1), commit(&page)), (36, 0xffff_ffff_8000_0014));
        assert_eq!((finish(&mut page[..20], 1), finish(&mut page[..9], 1)), (20, 9), "damaged");
    }

    #[test]
    fn a_measured_time_extend() {
        // 0.3 s of idleness as seen in a kernel's page: bytes 3c9c2d3e 02000000 read little-endian
        // give a delta of 31777129 + (2 << 27) under type 30... the low word is 0x3e2d9c3e there.
        let delta = 31_777_129 + (2 << 27);
        let word = time_extend(TYPE_TIME_EXTEND, delta);
        assert_eq!(word & 31, 30);
        assert_eq!((word as u32) >> 5, 31_777_129);
        assert_eq!(word >> 32, 2);
    }
}
