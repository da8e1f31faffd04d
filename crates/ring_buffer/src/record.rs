//! An event on its way into the buffer.

use crate::event_head::{EventHead, UNROLLED};
use abi::site::{HEAD_WORDS, Payload, WORDS};
use core::marker::PhantomData;
use core::mem::{MaybeUninit, offset_of};

/// Words up to which a loop is quicker than a call.
const SHORT: usize = 16;

/// An event with up to `WORDS` words of payload, built on the caller's stack.
///
/// The payload starts with the common fields ([`abi::common`]); the others follow in the order and
/// with the alignment of the event's format. What does not fit is left out, never written beyond.
///
/// ```
/// use ring_buffer::RecordBuffer;
///
/// let mut record = RecordBuffer::<8>::new();
/// record.push(abi::common::word(300, 0, 0, 4711));
/// record.push(42);
/// let at = record.push_bytes(b"twelve bytes");
/// assert_eq!((at, record.len()), (16, 28));
/// ```
///
/// Async-signal-safe. Cost: a store per word.
#[derive(Debug)]
#[repr(C)]
pub struct RecordBuffer<const WORDS: usize> {
    head: EventHead,
    payload: [MaybeUninit<u64>; WORDS],
}

impl<const WORDS: usize> RecordBuffer<WORDS> {
    /// An event without payload.
    #[inline(always)]
    #[expect(clippy::new_without_default, reason = "an empty event is not a useful default")]
    pub fn new() -> Self {
        const {
            assert!(WORDS >= UNROLLED, "writers copy that many words without looking");
            assert!(offset_of!(RecordBuffer<WORDS>, payload) == size_of::<EventHead>());
        }
        let head = EventHead { step: 0, footprint: 0, type_len: 0, words: 0, len: 0 };
        RecordBuffer { head, payload: [const { MaybeUninit::uninit() }; WORDS] }
    }

    /// An event of these words, of which so many bytes are used.
    #[inline(always)]
    pub(crate) fn of_words<const COUNT: usize>(words: [u64; COUNT], len: usize) -> Self {
        let mut record = Self::new();
        words.into_iter().for_each(|word| record.push(word));
        record.head.len = len as u64;
        record
    }

    /// Appends a word. The payload so far is filled up to a multiple of 8 bytes.
    #[inline(always)]
    pub fn push(&mut self, word: u64) {
        let index = self.head.words as usize;
        if let Some(to) = self.payload.get_mut(index) {
            to.write(word);
            self.head.words = index as u64 + 1;
            self.head.len = self.head.words * 8;
        }
    }

    /// Appends 4 bytes.
    #[inline(always)]
    pub fn push_half(&mut self, half: u32) {
        if self.head.len.is_multiple_of(8) {
            let words = self.head.words;
            self.push(u64::from(half));
            self.head.len -= 4 * (self.head.words - words);
            return;
        }
        let index = (self.head.words as usize).wrapping_sub(1);
        if let Some(word) = self.payload.get_mut(index) {
            // SAFETY: the last word was pushed, with only its low half used.
            let low = unsafe { word.assume_init() };
            word.write(low & 0xffff_ffff | u64::from(half) << 32);
            self.head.len = self.head.words * 8;
        }
    }

    /// Appends bytes and gives their offset in the payload. The last word's other bytes are 0, and
    /// not part of the payload if nothing follows.
    ///
    /// Whole words are built in registers: bytes that went through memory in other sizes would make
    /// the section's loads wait for them.
    #[inline(always)]
    pub fn push_bytes(&mut self, bytes: &[u8]) -> u32 {
        let at = self.head.words * 8;
        let (whole, rest) = bytes.as_chunks::<8>();
        if whole.len() <= SHORT {
            for word in whole {
                self.push(u64::from_le_bytes(*word));
            }
        } else {
            self.push_words(whole);
        }
        if !rest.is_empty() {
            self.push(last_word(bytes, rest));
        }
        let fits = WORDS as u64 * 8 - at;
        let len = if (bytes.len() as u64) < fits { bytes.len() as u64 } else { fits };
        self.head.len = at + len;
        at as u32
    }

    /// Appends `len` bytes of text from `text` and a zero byte; gives the text's offset in the payload.
    ///
    /// # Safety
    ///
    /// So many bytes can be read there. That another thread changes them meanwhile is no harm.
    pub unsafe fn push_text(&mut self, text: *const u8, len: usize) -> u32 {
        let at = self.head.words * 8;
        let most = (WORDS as u64 * 8).saturating_sub(at + 1) as usize;
        let len = if len < most { len } else { most };
        for word in 0..len / 8 {
            // SAFETY: the caller's promise.
            self.push(unsafe { text.add(word * 8).cast::<u64>().read_unaligned() });
        }
        let whole = len & !7;
        let mut last = 0;
        for index in (whole..len).rev() {
            // SAFETY: the caller's promise.
            last = last << 8 | u64::from(unsafe { text.add(index).read() });
        }
        self.push(last);
        self.head.len = at + len as u64 + 1;
        at as u32
    }

    /// Appends many whole words.
    #[inline(never)]
    fn push_words(&mut self, words: &[[u8; 8]]) {
        let free = self.payload.get_mut(self.head.words as usize..).unwrap_or_default();
        self.head.words += free.len().min(words.len()) as u64;
        for (to, from) in free.iter_mut().zip(words) {
            to.write(u64::from_le_bytes(*from));
        }
    }

    /// Bytes of payload so far.
    #[expect(clippy::len_without_is_empty, reason = "it says how much of the record is used")]
    pub fn len(&self) -> usize {
        self.head.len as usize
    }

    /// The event, ready to be written.
    #[inline(always)]
    pub fn event(&mut self) -> EncodedEvent<'_> {
        self.head = EventHead::of(self.head.words as usize, self.head.len as usize);
        EncodedEvent { record: (&raw const *self).cast(), lifetime: PhantomData }
    }
}

/// The 1 to 7 bytes `rest` at the end of `bytes`, as a word.
#[inline(always)]
fn last_word(bytes: &[u8], rest: &[u8]) -> u64 {
    if let Some(last) = bytes.last_chunk::<8>() {
        // One load that ends where the bytes end, shifted to where `rest` starts.
        return u64::from_le_bytes(*last) >> (64 - 8 * rest.len());
    }
    rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// A finished [`RecordBuffer`], whatever its size, or an event that was built elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct EncodedEvent<'a> {
    record: *const EventHead,
    lifetime: PhantomData<&'a EventHead>,
}

impl<'a> EncodedEvent<'a> {
    /// The event whose payload a program has built, `len` bytes or as many as there are. What is known of it
    /// is written before it, so it needs no copy.
    ///
    /// # Safety
    ///
    /// So many bytes of the payload have been written, and the rest of the last word.
    #[inline(always)]
    pub unsafe fn of(payload: &'a mut Payload, len: usize) -> EncodedEvent<'a> {
        const BEFORE: usize = HEAD_WORDS * 8 - size_of::<EventHead>();
        const { assert!(offset_of!(Payload, words) == BEFORE + size_of::<EventHead>() && WORDS >= UNROLLED) };
        let len = if len < WORDS * 8 { len } else { WORDS * 8 };
        let record = (&raw mut *payload).wrapping_byte_add(BEFORE).cast::<EventHead>();
        // SAFETY: the words before the payload are ours.
        unsafe { record.write(EventHead::of(len.div_ceil(8), len)) };
        EncodedEvent { record, lifetime: PhantomData }
    }
}

impl EncodedEvent<'_> {
    /// The payload: what a reader will find.
    #[inline(always)]
    pub fn payload(&self) -> &[u8] {
        // SAFETY: the payload follows the head in the record, see `RecordBuffer::new`; so many bytes of it
        // have been written.
        unsafe { core::slice::from_raw_parts(self.record.add(1).cast(), self.head().len as usize) }
    }

    /// The payload's first word; 0 where there is none.
    #[inline(always)]
    pub fn first_word(&self) -> u64 {
        // Each word by itself: they have just been stored, and a wider load would have to wait until they are
        // in the cache.
        // SAFETY: points to the record that is borrowed for as long as this event lives.
        let words = unsafe { (&raw const (*self.record).words).read() };
        // SAFETY: the payload follows the head in the record, and its first word has been pushed.
        if words == 0 { 0 } else { unsafe { self.record.add(1).cast::<u64>().read() } }
    }

    /// Where its [`EventHead`] is, and after it the payload.
    #[inline(always)]
    pub(crate) fn address(&self) -> *const EventHead {
        self.record
    }

    /// Its sizes.
    #[inline(always)]
    pub(crate) fn head(&self) -> EventHead {
        // SAFETY: points to the record that is borrowed for as long as this event lives.
        unsafe { *self.record }
    }

    /// The payload's words.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        // SAFETY: the payload follows the head in the record, see `RecordBuffer::new`.
        let payload = unsafe { self.record.add(1) }.cast::<u64>();
        // SAFETY: the first `words` words of the payload have been pushed.
        (0..self.head().words as usize).map(move |index| unsafe { *payload.add(index) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn bytes_of_every_length_arrive_padded_with_zeros() {
        let text = *b"abcdefghijklmnopqrstuvwxyz";
        for len in 0..=text.len() {
            let mut record = RecordBuffer::<8>::new();
            record.push(1);
            assert_eq!(record.push_bytes(&text[..len]), 8);
            assert_eq!(record.len(), 8 + len);
            assert_eq!(record.event().payload(), [&1u64.to_le_bytes(), &text[..len]].concat());
            let words: Vec<u64> = record.event().words().collect();
            let bytes: Vec<u8> = words[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
            assert_eq!(&bytes[..len], &text[..len]);
            assert!(bytes[len..].iter().all(|byte| *byte == 0));
        }
    }

    #[test]
    fn halves_share_a_word() {
        let mut record = RecordBuffer::<4>::new();
        record.push_half(1);
        assert_eq!(record.len(), 4);
        record.push_half(2);
        record.push_half(3);
        record.push(4);
        record.push_half(5);
        assert_eq!(record.len(), 28);
        record.push_half(6);
        record.push_half(7);
        assert_eq!(record.len(), 32);
        assert!(record.event().words().eq([1 | 2 << 32, 3, 4, 5 | 6 << 32]));
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let mut record = RecordBuffer::<4>::new();
        record.push_bytes(&[7; 100]);
        record.push(1);
        assert_eq!(record.len(), 32);
        assert_eq!(record.event().words().count(), 4);
    }

    #[test]
    fn an_event_that_a_program_has_built_is_written_as_it_is() {
        let mut payload =
            Payload { head: [9; HEAD_WORDS], words: core::array::from_fn(|index| index as u64) };
        // SAFETY: all words are there.
        let event = unsafe { EncodedEvent::of(&mut payload, 30) };
        let mut record = RecordBuffer::<8>::new();
        record.push_bytes(&[1; 30]);
        let (built, usual) = (event.head(), record.event().head());
        assert_eq!(
            (built.step, built.footprint, built.type_len),
            (usual.step, usual.footprint, usual.type_len)
        );
        assert!(event.words().eq(0..4));
        // SAFETY: all words are there.
        assert_eq!(unsafe { EncodedEvent::of(&mut payload, 1000) }.words().count(), WORDS);
    }

    #[test]
    fn footprint_covers_what_is_copied() {
        let mut record = RecordBuffer::<4>::new();
        record.push(1);
        record.push(2);
        let head = record.event().head();
        assert_eq!((head.step, head.footprint, head.type_len), (20 << 16 | 1, 36, 4));
    }
}
