//! A buffer file, mapped.

use crate::geometry::{Geometry, UnusableBuffer};
use abi::buffer::{Block, BufferHeader, ControlWord};
use core::ops::Range;
use core::sync::atomic::Ordering::{Acquire, Relaxed};
use shm::Segment;

/// A buffer file that this process has mapped: the words that everybody shares.
#[derive(Debug)]
pub struct Buffer {
    segment: Segment,
    geometry: Geometry,
}

impl Buffer {
    /// The buffer in `segment`, after a check of its header.
    pub fn new(segment: Segment) -> Result<Buffer, UnusableBuffer> {
        segment.touch(0);
        let geometry = Geometry::of(&segment)?;
        Ok(Buffer { segment, geometry })
    }

    /// The buffer's fixed sizes and offsets.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Whether snapshots can be kept at all.
    pub fn keeps_snapshots(&self) -> bool {
        self.geometry.rings > 1
    }

    /// The addresses that are mapped of it.
    pub fn mapped(&self) -> Range<usize> {
        self.segment.addresses()
    }

    /// Has core dumps of the process leave it out.
    pub fn leave_out_of_dumps(&self) {
        self.segment.leave_out_of_dumps();
    }

    pub(crate) fn segment(&self) -> &Segment {
        &self.segment
    }

    /// The shared header.
    pub(crate) fn header(&self) -> &BufferHeader {
        // SAFETY: `Geometry::of` has found a header there. The segment's base is a page's.
        unsafe { &*self.segment.base().cast::<BufferHeader>() }
    }

    /// The block of a CPU, or of a lane: lanes follow the CPUs.
    pub(crate) fn block(&self, block: u32) -> Option<&Block> {
        if block >= self.geometry.blocks() {
            return None;
        }
        self.segment.get(self.geometry.block_offset(block))
    }

    /// All blocks, with their indices.
    pub(crate) fn indexed_blocks(&self) -> impl Iterator<Item = (u32, &Block)> {
        (0..self.geometry.blocks()).filter_map(|index| Some((index, self.block(index)?)))
    }

    /// All blocks.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.indexed_blocks().map(|(_, block)| block)
    }

    /// Where the block of a CPU is. The caller has compared `cpu` with the geometry's.
    #[inline(always)]
    pub(crate) fn block_address(&self, cpu: u32) -> *const Block {
        let blocks = self.segment.base().wrapping_add(abi::buffer::BLOCKS_OFFSET as usize);
        blocks.cast::<Block>().cast_const().wrapping_add(cpu as usize)
    }

    /// Bytes of pages that a block has for its live events; 0 for one without memory. A resize changes it.
    pub fn capacity(&self, block: u32) -> u64 {
        let pages = self.block(block).map_or(0, |block| self.pages(block, self.control().ring()));
        u64::from(pages) * self.geometry.page_size
    }

    /// Bytes of the smallest per-CPU buffer that has memory; 1 where none has.
    pub fn smallest_capacity(&self) -> u64 {
        let capacities = (0..self.geometry.cpus).map(|cpu| self.capacity(cpu));
        capacities.filter(|capacity| *capacity > 0).min().unwrap_or(1)
    }

    /// The control word now.
    // Relaxed: a hint. What is done by it is guarded, or compared again by compare-exchange (R11).
    pub fn control(&self) -> ControlWord {
        ControlWord(self.header().control.load(Relaxed))
    }

    /// The control word now, for a caller that goes on to look at what was done before it was changed.
    // Acquire: pairs with the AcqRel changes of the word in `control`, `snapshot` and `exchange`: entries of
    // the pool, resets and sizes that were stored before one are seen after it (R13, R16).
    pub(crate) fn acquire_control(&self) -> ControlWord {
        ControlWord(self.header().control.load(Acquire))
    }
}
