//! An event that fits some registers.

use crate::event_head::EventHead;
use crate::record::RecordBuffer;

/// Words of payload that it has at most.
const WORDS: usize = 3;

/// An event of up to 24 bytes of payload, as words: none of it goes through memory on its way into the
/// buffer.
///
/// ```
/// use ring_buffer::ShortEvent;
///
/// let mut record = ShortEvent::of([abi::common::word(300, 0, 0, 4711), 42, 7], 20).record();
/// assert_eq!((record.len(), record.event().payload().len()), (20, 20));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ShortEvent {
    words: [u64; WORDS],
    len: usize,
}

impl ShortEvent {
    /// One with these words of payload, of which so many bytes are used.
    #[inline(always)]
    pub const fn of(words: [u64; WORDS], len: usize) -> ShortEvent {
        ShortEvent { words, len: if len < WORDS * 8 { len } else { WORDS * 8 } }
    }

    /// Its words.
    #[inline(always)]
    pub const fn words(&self) -> [u64; WORDS] {
        self.words
    }

    /// Bytes of them that are used.
    #[expect(clippy::len_without_is_empty, reason = "it says how much of the words is used")]
    #[inline(always)]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// What a section needs to know of it.
    #[inline(always)]
    pub(crate) const fn head(&self) -> EventHead {
        EventHead::of(WORDS, self.len)
    }

    /// A record with what it has, to be written in other ways.
    #[inline(always)]
    pub fn record(self) -> RecordBuffer<4> {
        RecordBuffer::of_words(self.words, self.len)
    }
}
