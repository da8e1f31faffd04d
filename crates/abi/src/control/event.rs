//! Events: where they are described, where they are on, and their filters.

use super::FILTERS_OFFSET;
use crate::atomic::AtomicU64;
use crate::instance::{INSTANCE_BITS, INSTANCES};

/// Bytes for filters: short ones for all events of the agent take an eighth, one takes a seventh at most.
pub const FILTERS: usize = 1 << 18;

/// The bits of an event's enabled word that say where a filter decides what is recorded of it, for some
/// instances' bits. Set only where it is on, so a word that isn't 0 is that of an event that is.
pub const fn filtered(instances: u64) -> u64 {
    instances << 32
}

/// An event: where its description and its filters are.
#[derive(Debug)]
#[repr(C)]
pub struct EventEntry {
    /// Offset in the heap << 32 | bytes; published by one store, from 0. The text is `system`, a zero byte,
    /// `name`, a zero byte, and the `format` file's text from the first field that is not common on.
    pub description: AtomicU64,
    /// A [`filter_word`] for each instance; 0 where there is no filter. Replaced by one store, when the new
    /// one is complete.
    pub filters: [AtomicU64; INSTANCES],
}

/// The word for a filter that starts `offset` words behind [`FILTERS_OFFSET`]. It is there as a word with
/// its lengths (words of the program << 32 | bytes of the text), the program, and the text.
///
/// No two filters that were stored one after the other have the same `number`. So who finds the same word
/// before and after he has read a filter has read all of it, though its place may be used again at any time.
pub const fn filter_word(number: u32, offset: u32) -> u64 {
    (number as u64) << 32 | (offset as u64 + 1)
}

/// Where the filter of a word starts, in words. None where there is no filter.
pub const fn filter_offset(word: u64) -> Option<u32> {
    (word as u32).checked_sub(1)
}

/// The word with a filter's lengths.
pub const fn filter_lengths(words: u32, text: u32) -> u64 {
    (words as u64) << 32 | text as u64
}

const _: () =
    assert!(FILTERS_OFFSET.is_multiple_of(8) && FILTERS.is_multiple_of(8) && INSTANCE_BITS >> 32 == 0);
