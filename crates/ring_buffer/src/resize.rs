//! Resizing: recording goes on in another ring, of the new size.
//!
//! A ring's size is changed only while nobody uses it (R17). So the buffer is as large as the ring that is
//! live, and gets another size by one compare-exchange of the control word, like a snapshot: no writer is
//! waited for, and the old events are kept or freed, as is wanted. Each size has an id, which the rings of
//! that size have; a snapshot takes only a ring of the live one's size (R16).
//!
//! A caller that is killed before the control word has changed leaves the buffer as it was, with a ring that
//! the next one cleans up; one that is killed after that leaves the old events as a snapshot.

use crate::create::lane_pages;
use crate::holder::Holder;
use crate::memory::most_pages;
use crate::snapshot::Snapshot;
use abi::buffer::{Block, ControlWord, KeptState, MIN_PAGES, RingPages};
use core::ffi::CStr;
use core::sync::atomic::Ordering::{AcqRel, Relaxed};
use shm::Errno;

/// What becomes of the events in a buffer that is resized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// They are a snapshot.
    Keep,
    /// They are freed.
    Discard,
}

/// Why a buffer was not resized. It is as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotResized {
    /// The buffer was made for fewer pages.
    TooLarge {
        /// The most that it was made for.
        most: u32,
    },
    /// Every ring holds a snapshot, or may still be written to.
    NoRing,
    /// Somebody else resizes the buffer.
    Contended,
    /// The system has no memory, or refuses it: what open(2) or fallocate(2) said.
    System(Errno),
}

impl core::fmt::Display for NotResized {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            NotResized::TooLarge { most } => write!(f, "the buffer can have at most {most} pages"),
            NotResized::NoRing => f.write_str("no ring is free to take the new size: free a snapshot first"),
            NotResized::Contended => f.write_str("the buffer is resized by somebody else"),
            NotResized::System(error) => write!(f, "no memory for the new size: {error}"),
        }
    }
}

impl core::error::Error for NotResized {}

impl Holder<'_> {
    /// Gives every CPU that has pages `pages` of them, at least 2, and every lane a quarter of that. `path`
    /// is the file that holds the buffer. The old events are kept as the returned snapshot, or freed; nothing
    /// happens when all have so many already. Rings that are spare get the new size as well, and memory
    /// that is not used any more goes ([`Holder::release`]).
    ///
    /// Can be called while others write and read. There must be a ring that is not live and holds no
    /// snapshot. Cost: about 0.3 ms per MB of new memory, and what a release costs. Not async-signal-safe.
    pub fn resize(&self, path: &CStr, pages: u32, content: Content) -> Result<Option<Snapshot>, NotResized> {
        let cpus = self.buffer.geometry().cpus;
        self.resize_to(path, content, |index, now| match now {
            0 => 0,
            _ if index < cpus => pages.max(MIN_PAGES),
            _ => lane_pages(pages),
        })
    }

    /// Gives one CPU, or lane, `pages` pages, at least 2. As [`Holder::resize`]: what the others have is
    /// kept or freed, too.
    pub fn resize_block(
        &self,
        path: &CStr,
        block: u32,
        pages: u32,
        content: Content,
    ) -> Result<Option<Snapshot>, NotResized> {
        self.resize_to(path, content, |index, now| if index == block { pages.max(MIN_PAGES) } else { now })
    }

    /// Gives each block the pages that `pages` says for its index and the pages that it has.
    // AcqRel: an id of a size is used once; the counter carries nothing else (R16).
    fn resize_to(
        &self,
        path: &CStr,
        content: Content,
        pages: impl Fn(u32, u32) -> u32,
    ) -> Result<Option<Snapshot>, NotResized> {
        let buffer = self.buffer;
        let live = buffer.control().ring();
        let size = buffer.size(live);
        let wanted = |index: u32, block: &Block| pages(index, buffer.pages(block, live));
        if !self.check(live, wanted)? {
            return Ok(None);
        }
        let spares = buffer.spare_rings();
        let taken = self.vacate(size, true).ok_or(NotResized::NoRing)?;
        let size_id = buffer.header().sizes.fetch_add(1, AcqRel).wrapping_add(1);
        if let Err(error) = self.equip(path, taken.ring, wanted) {
            self.put(taken, taken.before);
            return Err(NotResized::System(error));
        }
        buffer.set_size(taken.ring, size_id);
        // The pages were counted while the ring that was live then had this size, and still has it (R16).
        let is_same = |control: ControlWord| buffer.size(control.ring()) == size && buffer.size(live) == size;
        let switched = buffer.switch(|control| is_same(control).then_some(taken.ring));
        // Live, or, if somebody else came first, spare and of no use (R13).
        self.put(taken, taken.before.turned(KeptState::Spare));
        if let Ok(snapshot) = switched
            && content == Content::Discard
        {
            self.discard(snapshot);
        }
        while buffer.spare_rings() < spares && self.reserve(path).is_ok() {}
        self.release_unfit();
        match (switched, content) {
            (Ok(snapshot), Content::Keep) => Ok(Some(snapshot)),
            (Ok(_), Content::Discard) => Ok(None),
            (Err(_), _) => Err(NotResized::Contended),
        }
    }

    /// Whether any block gets another count of pages; an error where the buffer was made for fewer.
    // Relaxed: the live ring's pages don't change (R17).
    fn check(&self, live: usize, wanted: impl Fn(u32, &Block) -> u32) -> Result<bool, NotResized> {
        let mut differs = false;
        for (index, block) in self.buffer.indexed_blocks() {
            let Some(ring) = self.buffer.ring(block, live) else { continue };
            let (wanted, most) = (wanted(index, block), most_pages(ring));
            if wanted > most {
                return Err(NotResized::TooLarge { most });
            }
            differs |= wanted != RingPages(ring.pages.load(Relaxed)).count();
        }
        Ok(differs)
    }
}
