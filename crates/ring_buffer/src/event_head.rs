//! What a writer needs to know of an event.

use abi::buffer::Tail;
use abi::page;

/// Words that a writer always copies, so that small events need no loop.
pub(crate) const UNROLLED: usize = 4;

/// What a writer needs to know of an event. The payload follows it in memory; the sections reach
/// both by their offsets.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct EventHead {
    /// What the event adds to the tail.
    pub(crate) step: u64,
    /// Bytes after the tail that the fast path may touch: at most as many as there are left in the page.
    /// Where fewer are left the slow path stores the event's own bytes and no others.
    pub(crate) footprint: u64,
    /// `type_len` of its first word.
    pub(crate) type_len: u64,
    /// Words of payload.
    pub(crate) words: u64,
    /// Bytes of payload.
    pub(crate) len: u64,
}

impl EventHead {
    /// Bytes that the event takes in a page.
    pub(crate) fn size(&self) -> u64 {
        self.step >> 16
    }

    /// That of an event with so many words of payload, `len` bytes of them in use.
    #[inline(always)]
    pub(crate) const fn of(words: usize, len: usize) -> EventHead {
        let size = page::event_size(len);
        let large = len > page::MAX_SMALL_PAYLOAD;
        let lead = if large { 2 * page::EVENT_HEADER } else { page::EVENT_HEADER };
        let copied = if words < UNROLLED { UNROLLED } else { words } * 8;
        let touched = lead + copied;
        EventHead {
            step: Tail::step(size as u64),
            footprint: if touched < size { size } else { touched } as u64,
            type_len: if large { 0 } else { ((size - page::EVENT_HEADER) / 4) as u64 },
            words: words as u64,
            len: len as u64,
        }
    }
}
