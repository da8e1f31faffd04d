//! An event that fits some registers.

use crate::event_head::EventHead;
use crate::record::RecordBuffer;

/// Words of payload that it has at most.
const WORDS: usize = 3;

/// An event of `LEN` bytes of payload, up to 24, as words: none of it goes through memory on its way into the
/// buffer, and how long it is is part of the instructions.
///
/// ```
/// use ring_buffer::ShortEvent;
///
/// let mut record = ShortEvent::<20>::of([abi::common::word(300, 0, 0, 4711), 42, 7]).record();
/// assert_eq!((record.len(), record.event().payload().len()), (20, 20));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ShortEvent<const LEN: usize>([u64; WORDS]);

impl<const LEN: usize> ShortEvent<LEN> {
    /// What it adds to a tail.
    pub(crate) const STEP: u64 = EventHead::of(WORDS, LEN).step;
    /// `type_len` of its first word.
    pub(crate) const TYPE_LEN: u64 = EventHead::of(WORDS, LEN).type_len;

    /// One with these words of payload.
    #[inline(always)]
    pub const fn of(words: [u64; WORDS]) -> ShortEvent<LEN> {
        const { assert!(LEN <= WORDS * 8) };
        ShortEvent(words)
    }

    /// Its words.
    #[inline(always)]
    pub const fn words(&self) -> [u64; WORDS] {
        self.0
    }

    /// A record with what it has, to be written in other ways.
    #[inline(always)]
    pub fn record(self) -> RecordBuffer<4> {
        RecordBuffer::of_words(self.0, LEN)
    }
}
