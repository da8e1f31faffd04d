//! An event that ends with a text, all in registers.

use abi::buffer::Tail;
use abi::page::{EVENT_HEADER, event_size};
pub use core::arch::x86_64::__m128i as Bytes;

/// Words before the text at most.
const WORDS: usize = 3;

/// An event of a few words, which end at `START`, and a text after them, of up to [`TextEvent::MOST`] bytes
/// with what ends it: none of it goes through memory on its way into the buffer.
#[derive(Debug, Clone, Copy)]
pub struct TextEvent<const START: usize> {
    pub(crate) words: [u64; WORDS],
    pub(crate) text: [Bytes; 2],
    /// What it adds to a tail.
    pub(crate) step: u64,
}

impl<const START: usize> TextEvent<START> {
    /// Bytes of the longest text, with the zero byte that ends it.
    pub const MOST: usize = size_of::<[Bytes; 2]>();

    /// One with these words, as many as there are before its text, which has so many bytes. What is after
    /// them is zeros.
    #[inline(always)]
    pub fn of(words: [u64; WORDS], text: [Bytes; 2], len: usize) -> TextEvent<START> {
        const { assert!(START.is_multiple_of(8) && START > 8 && START <= WORDS * 8) };
        let step = Tail::step((START + len.clamp(1, Self::MOST) + EVENT_HEADER).next_multiple_of(4) as u64);
        const { assert!(event_size(START + 1) == (START + 1 + EVENT_HEADER).next_multiple_of(4)) };
        TextEvent { words, text, step }
    }
}
