//! Events: where they are described, where they are wanted, and their filters.

use super::{EVENTS, FILTERS_OFFSET};
use crate::atomic::AtomicU64;
use crate::instance::INSTANCE_WORDS;

/// Bytes for filters: short ones for all events of the agent take an eighth, one takes a seventh at most.
pub const FILTERS: usize = 1 << 18;

/// What the ids of events begin with that are not the kernel's own of `ftrace`. The kernel numbers its events
/// from below and has some thousand: what it is asked to record by one of these ids, as `perf record` does,
/// it refuses. KernelShark keeps an id as a signed integer of 16 bits.
const EVENT_IDS: u16 = 0x7000;
const _: () = assert!(EVENT_IDS as usize + EVENTS - 1 <= i16::MAX as usize);
/// The id of the first event: the entries of smaller ones belong to the kernel's own `ftrace` events.
pub const FIRST_EVENT: u16 = EVENT_IDS + FIRST_INDEX;
const FIRST_INDEX: u16 = 32;

/// Where a table that has an entry for each event has that of an id. An id that is none has that of another.
#[inline(always)]
pub const fn event_index(id: u16) -> usize {
    const { assert!(EVENTS.is_power_of_two() && (EVENT_IDS as usize).is_multiple_of(EVENTS)) };
    id as usize & (EVENTS - 1)
}

/// The id of the event that has this entry.
pub const fn event_id(index: usize) -> u16 {
    let index = index as u16;
    if index < FIRST_INDEX { index } else { EVENT_IDS | index }
}

/// Whether an id is one that only the kernel gives: to an event of its own that is not of `ftrace`.
pub const fn is_of_kernel(id: u16) -> bool {
    event_id(event_index(id)) != id
}

/// An event: where its description is.
#[derive(Debug)]
#[repr(C)]
pub struct EventEntry {
    /// Offset in the heap << 32 | bytes; published by one store, from 0. The text is `system`, a zero byte,
    /// `name`, a zero byte, and the `format` file's text from the first field that is not common on. Those
    /// of one that was declared by a format of printf(3) follow a zero byte and this. Those
    /// of the agent have none there: all who use the session know it, as they have the same
    /// [`ControlHeader::agent`](super::ControlHeader::agent).
    pub description: AtomicU64,
}

/// Where an event is wanted: a bit for each instance.
#[derive(Debug)]
#[repr(C)]
pub struct Switches {
    /// Its records are wanted there.
    pub on: [AtomicU64; INSTANCE_WORDS],
    /// A filter says which of them, on or not: there is a [`filter_word`] for it.
    pub filtered: [AtomicU64; INSTANCE_WORDS],
    /// Something is done there when it happens, on or not: the kernel's soft mode.
    pub triggered: [AtomicU64; INSTANCE_WORDS],
    /// The latency tracer there looks at it, on or not.
    pub watched: [AtomicU64; INSTANCE_WORDS],
    /// Other than 0 while it is dropped from the first instance, on there or not, as recording costs too
    /// much.
    pub dropped: AtomicU64,
    /// Other than 0 while nothing is to be done with it anywhere, whatever else is here says: it is a
    /// tracepoint with a format, and [those are stopped](super::ControlHeader::tracepoints_stopped).
    pub stopped: AtomicU64,
}

/// Whether the event of this id is one that a tracer of functions writes: by the kernel's ids.
pub const fn is_of_tracer(id: u16) -> bool {
    matches!(id, 1 | 10 | 11 | 12 | 20)
}

/// What an event's enabled word is when there is nothing to do.
pub const OFF: u64 = 0;
/// It is enabled where it is written to the first instance's buffer, and nothing else is to be looked at.
pub const FIRST_ALONE: u64 = 1;
/// It is enabled where its [`Switches`] say what is to be done. A [`filter_word`] is as [`FIRST_ALONE`], but
/// that this filter says whether it is written.
pub const BY_SWITCHES: u64 = 2;
/// There is nothing to do with it, but processes are called to look what functions are wanted. One that has
/// looked takes it for [`OFF`].
pub const CALLING: u64 = 3;
/// There is nothing to do with it, but a latency tracer looks at its call.
pub const WATCHED: u64 = 4;

/// The word for a filter that starts `offset` words after [`FILTERS_OFFSET`]. It is there as a word with
/// its lengths (words of the program << 32 | bytes of the text), the program, and the text.
///
/// No two filters that were stored one after the other have the same `number`, whose highest bit doesn't
/// count. So who finds the same word before and after he has read a filter has read all of it, though its
/// place may be used again at any time.
pub const fn filter_word(number: u32, offset: u32) -> u64 {
    FILTER_WORD | (number as u64) << 32 | (offset as u64 + 1)
}

/// The bit that all words of filters have, and no other words that stand where they may.
const FILTER_WORD: u64 = 1 << 63;

/// Whether a word is a [`filter_word`].
pub const fn is_filter_word(word: u64) -> bool {
    word & FILTER_WORD != 0
}

/// Where the filter of a word starts, in words. None where there is no filter.
pub const fn filter_offset(word: u64) -> Option<u32> {
    (word as u32).checked_sub(1)
}

/// The word with a filter's lengths.
pub const fn filter_lengths(words: u32, text: u32) -> u64 {
    (words as u64) << 32 | text as u64
}

const _: () = assert!(FILTERS_OFFSET.is_multiple_of(8) && FILTERS.is_multiple_of(8));
