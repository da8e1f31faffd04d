//! What a writer can write.

use crate::arch;
use crate::event_head::EventHead;
use crate::record::EncodedEvent;
use crate::sliced::Sliced;
use crate::target::Target;
use abi::buffer::Block;
use rseq::{Area, Outcome};

/// An event that can be written: one whose payload is contiguous, or one that ends with a slice of memory.
pub(crate) trait Writable: Copy {
    /// Its sizes.
    fn head(&self) -> EventHead;

    /// The payload's words.
    fn words(&self) -> impl Iterator<Item = u64>;

    /// Writes it to the block of `cpu` with the stamp `time`, or the last event's where that is later.
    ///
    /// # Safety
    ///
    /// `area` is the calling thread's, `block` is that of `cpu` in the segment that `target` describes.
    unsafe fn append_at(
        self,
        area: Area,
        cpu: u32,
        block: *const Block,
        target: &Target,
        time: u64,
    ) -> Outcome;
}

impl Writable for EncodedEvent<'_> {
    fn head(&self) -> EventHead {
        EncodedEvent::head(self)
    }

    fn words(&self) -> impl Iterator<Item = u64> {
        EncodedEvent::words(self)
    }

    unsafe fn append_at(
        self,
        area: Area,
        cpu: u32,
        block: *const Block,
        target: &Target,
        time: u64,
    ) -> Outcome {
        // SAFETY: the caller's promise, handed on: the area is its thread's, the block that of `cpu`.
        unsafe { arch::append_at(area, cpu, block, target, self, time) }
    }
}

impl Writable for &Sliced<'_> {
    fn head(&self) -> EventHead {
        Sliced::head(self)
    }

    fn words(&self) -> impl Iterator<Item = u64> {
        Sliced::words(self)
    }

    unsafe fn append_at(
        self,
        area: Area,
        cpu: u32,
        block: *const Block,
        target: &Target,
        time: u64,
    ) -> Outcome {
        // SAFETY: the caller's promise, handed on; and that of `Sliced::new`, that the slice is readable.
        unsafe { arch::append_sliced_at(area, cpu, block, target, self, time) }
    }
}
