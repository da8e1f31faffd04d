//! The memory of a ring that a holder has taken: how many pages each block has there.
//!
//! Every ring has addresses for the most pages that the buffer can ever have, and memory for those that it
//! has now. Only pages are taken away. Slots stay, because writers look at them outside of sections.

use crate::buffer::Buffer;
use crate::holder::Holder;
use abi::buffer::{Block, Ring, Slot};
use core::ffi::CStr;
use core::ops::Range;
use core::sync::atomic::Ordering::{Relaxed, Release};
use shm::Errno;

impl Holder<'_> {
    /// Gives a ring `pages` pages in each block, at most as many as there is room for, and no number of a
    /// size. Nobody can be storing there. After an error it has the pages that it had before.
    pub(crate) fn equip(
        &self,
        path: &CStr,
        ring: usize,
        pages: impl Fn(u32, &Block) -> u32,
    ) -> Result<(), Errno> {
        let buffer = self.buffer;
        let wanted = || {
            buffer.indexed_blocks().filter_map(|(index, block)| {
                let ring = buffer.ring(block, ring)?;
                Some((ring, pages(index, block).min(ring.room.load(Relaxed))))
            })
        };
        let slots = wanted().filter_map(|(ring, pages)| slots(ring, pages));
        let ranges = slots.chain(wanted().filter_map(|(ring, pages)| buffer.page_range(ring, 0, pages)));
        let reserved = shm::reserve(path, buffer.segment(), ranges);
        if reserved.is_ok() {
            buffer.set_size(ring, 0);
            wanted().for_each(|(ring, pages)| ring.page_count.store(pages, Relaxed));
        }
        // What is too much, be it of before or of what was just tried. That it stays does no harm.
        let _ = self.trim(ring);
        reserved
    }

    /// Takes all pages of a ring away. Nobody can be storing there.
    pub(crate) fn unequip(&self, ring: usize) -> Result<(), Errno> {
        self.buffer.set_size(ring, 0);
        for part in self.buffer.blocks().filter_map(|block| self.buffer.ring(block, ring)) {
            part.page_count.store(0, Relaxed);
        }
        self.trim(ring)
    }

    /// Gives back the memory that a ring has beyond its pages.
    fn trim(&self, ring: usize) -> Result<(), Errno> {
        let buffer = self.buffer;
        let surplus = |block: &Block| {
            let ring = buffer.ring(block, ring)?;
            buffer.page_range(ring, ring.page_count.load(Relaxed), ring.room.load(Relaxed))
        };
        buffer
            .blocks()
            .filter_map(surplus)
            .try_for_each(|range| buffer.segment().remove(range.start, range.end - range.start))
    }
}

impl Buffer {
    /// Pages that a block has in a ring.
    pub(crate) fn pages(&self, block: &Block, ring: usize) -> u32 {
        self.ring(block, ring).map_or(0, |ring| ring.page_count.load(Relaxed))
    }

    /// Says which size a ring has, for who has taken it.
    pub(crate) fn set_size(&self, ring: usize, size: u64) {
        if let Some(entry) = self.kept(ring) {
            entry.size.store(size, Release);
        }
    }

    /// Where some of a ring's pages lie. None for no pages, and where damaged words would have them lie
    /// outside of what belongs to rings.
    fn page_range(&self, ring: &Ring, from: u32, to: u32) -> Option<Range<u64>> {
        let geometry = self.geometry();
        let first = ring.pages_offset.load(Relaxed);
        let at = |index: u32| first.checked_add(u64::from(index) * geometry.page_size);
        let range = at(from)?..at(to)?;
        let is_sane = first >= geometry.regions
            && first.is_multiple_of(geometry.page_size)
            && range.end <= self.segment().len() as u64;
        (is_sane && range.start < range.end).then_some(range)
    }
}

/// Where the slots of so many pages lie.
fn slots(ring: &Ring, pages: u32) -> Option<Range<u64>> {
    let start = ring.slots_offset.load(Relaxed);
    let end = start.checked_add(u64::from(pages) * size_of::<Slot>() as u64)?;
    Some(start..end)
}
