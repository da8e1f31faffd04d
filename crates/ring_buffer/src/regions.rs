//! Where the rings of a new buffer lie.

use crate::geometry::Geometry;
use abi::buffer::{Home, Slot};
use core::sync::atomic::Ordering::Relaxed;

/// Regions that follow one another, one for each ring.
///
/// A region has the slots of all blocks, then the pages of all blocks: as many as the rings can have there.
/// Unused pages take addresses in the file and no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Regions {
    /// Where the first region starts.
    pub(crate) start: u64,
    /// Bytes of slots in each, up to the first page.
    pub(crate) slots_size: u64,
    /// Bytes of each.
    region_size: u64,
    /// Where the last one ends.
    pub(crate) end: u64,
}

impl Regions {
    /// The regions of rings that have at most `pages` pages in all blocks together, from `start` on. None
    /// when that is more than a file can have.
    pub(crate) fn new(start: u64, geometry: &Geometry, pages: u64) -> Option<Regions> {
        let start = start.checked_next_multiple_of(geometry.page_size)?;
        let slots = pages.checked_mul(size_of::<Slot>() as u64)?;
        let slots_size = slots.checked_next_multiple_of(geometry.page_size)?;
        let region_size = slots_size.checked_add(pages.checked_mul(geometry.page_size)?)?;
        let end = start.checked_add(region_size.checked_mul(u64::from(geometry.rings))?)?;
        Some(Regions { start, slots_size, region_size, end })
    }

    /// Where the region of a ring starts.
    fn region(&self, ring: usize) -> u64 {
        self.start + self.region_size * ring as u64
    }

    /// Where the first page of a ring's region is.
    pub(crate) fn first_page(&self, ring: usize) -> u64 {
        self.region(ring) + self.slots_size
    }

    /// Enters where a block has its slots and pages in a ring's region, after `before` pages of other blocks.
    // Relaxed: the file is being made, and nobody else has it yet.
    pub(crate) fn settle(&self, home: &Home, ring: usize, before: u64, page_size: u64) {
        home.slots_offset.store(self.region(ring) + before * size_of::<Slot>() as u64, Relaxed);
        home.pages_offset.store(self.first_page(ring) + before * page_size, Relaxed);
    }
}
