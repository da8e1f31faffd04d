//! Events that end with a slice of memory, copied from where it lies.

use crate::event_head::EventHead;
use abi::buffer::Tail;
use abi::page;
use core::marker::PhantomData;

/// Words before the slice, the common fields among them.
pub const SLICE_LEAD: usize = 4;

/// The least bytes of a slice: with fewer an event is small, and is written as a [`crate::RecordBuffer`].
pub const LEAST_SLICE: usize = page::MAX_SMALL_PAYLOAD - SLICE_LEAD * 8 + 16;

/// The most bytes of a slice: what fits a page of the default size, in a lane, too.
pub const MOST_SLICE: usize = 3968;

/// Bytes that a slice is a multiple of.
pub const SLICE_STEP: usize = 16;

/// An event of some words and a slice of memory after them. The slice is copied once, into the buffer: so it
/// takes nothing of the recording thread's stack.
#[derive(Debug)]
#[repr(C)]
pub struct Sliced<'a> {
    head: EventHead,
    lead: [u64; SLICE_LEAD],
    from: *const u8,
    lifetime: PhantomData<&'a u8>,
}

impl Sliced<'_> {
    /// An event of these words and `len` bytes at `from`. None where that is less than [`LEAST_SLICE`], more
    /// than [`MOST_SLICE`], or no multiple of [`SLICE_STEP`].
    ///
    /// # Safety
    ///
    /// `len` bytes can be read there, as long as the event lives. Others may change them meanwhile.
    pub unsafe fn new(lead: [u64; SLICE_LEAD], from: *const u8, len: usize) -> Option<Self> {
        if !(LEAST_SLICE..=MOST_SLICE).contains(&len) || !len.is_multiple_of(SLICE_STEP) {
            return None;
        }
        let payload = SLICE_LEAD * 8 + len;
        let size = page::event_size(payload);
        let head = EventHead {
            step: Tail::step(size as u64),
            footprint: size as u64,
            type_len: 0,
            words: (payload / 8) as u64,
            len: payload as u64,
        };
        Some(Sliced { head, lead, from, lifetime: PhantomData })
    }

    /// Where its [`EventHead`] is, and after it what is copied.
    pub(crate) fn address(&self) -> *const EventHead {
        &raw const self.head
    }

    /// Its sizes.
    pub(crate) fn head(&self) -> EventHead {
        self.head
    }

    /// The payload's words.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        let slice = (SLICE_LEAD..self.head.words as usize).map(|index| {
            let word = self.from.wrapping_add((index - SLICE_LEAD) * 8).cast::<u64>();
            // SAFETY: the promise of `new`: that many bytes are readable as long as the event lives.
            unsafe { word.read_unaligned() }
        });
        self.lead.into_iter().chain(slice)
    }
}

const _: () = {
    assert!(LEAST_SLICE.is_multiple_of(SLICE_STEP) && MOST_SLICE.is_multiple_of(SLICE_STEP));
    assert!(LEAST_SLICE + SLICE_LEAD * 8 > page::MAX_SMALL_PAYLOAD);
    // In a lane the CPU precedes the payload.
    assert!(page::event_size(8 + SLICE_LEAD * 8 + MOST_SLICE) <= page::DEFAULT_SIZE - page::HEADER_SIZE);
};
