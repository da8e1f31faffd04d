//! Where the rings of a new buffer lie.

use crate::geometry::Geometry;
use abi::buffer::Slot;

/// The parts of a file: behind the blocks, one region for each ring.
///
/// A region has room for the slots of all blocks, then for the pages of all blocks: for as many as the
/// buffer can ever have. What a ring does not use takes addresses and no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Where the first region starts.
    pub(crate) start: u64,
    /// Bytes of slots in each, up to the first page.
    pub(crate) slots_size: u64,
    /// Bytes of each.
    pub(crate) region_size: u64,
    /// Where the file ends.
    pub(crate) end: u64,
}

impl Layout {
    /// The layout of a buffer whose rings have room for `pages` pages in all blocks together. None when that
    /// is more than a file can have.
    pub(crate) fn new(geometry: &Geometry, pages: u64) -> Option<Layout> {
        let start = geometry.blocks_end().checked_next_multiple_of(geometry.page_size)?;
        let slots = pages.checked_mul(size_of::<Slot>() as u64)?;
        let slots_size = slots.checked_next_multiple_of(geometry.page_size)?;
        let region_size = slots_size.checked_add(pages.checked_mul(geometry.page_size)?)?;
        let end = start.checked_add(region_size.checked_mul(u64::from(geometry.rings))?)?;
        Some(Layout { start, slots_size, region_size, end })
    }

    /// Where the region of a ring starts.
    pub(crate) fn region(&self, ring: usize) -> u64 {
        self.start + self.region_size * ring as u64
    }
}
