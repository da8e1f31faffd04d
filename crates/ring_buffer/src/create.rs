//! Making a buffer.

use crate::buffer::Buffer;
use crate::clock;
use crate::geometry::Geometry;
use abi::buffer::{BLOCKS_OFFSET, Block, Clock, Control, Header, MAGIC, MIN_PAGES, NO_GENERATION};
use abi::buffer::{Ring, Slot, Tail, VERSION};
use core::sync::atomic::Ordering::Relaxed;
use shm::Segment;

/// The smallest lane.
const MIN_LANE_PAGES: u32 = 4;

/// What buffer is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Specification<'a> {
    /// Bytes of a page: a power of two from 4096 to 524,288.
    pub page_size: u32,
    /// Pages of each CPU, at least 2.
    pub pages: u32,
    /// For every CPU that this machine can have: whether pages are reserved for it. Writers on the
    /// others go to lanes.
    pub cpus: &'a [bool],
    /// Lanes. Each has a quarter of a CPU's pages.
    pub lanes: u32,
    /// Rings of each block. Only the first gets pages here.
    pub rings: u32,
    /// What times are counted in.
    pub clock: Clock,
    /// Whether a full ring overwrites its oldest page.
    pub overwrite: bool,
    /// Which session the buffer belongs to.
    pub identity: u64,
}

impl Specification<'_> {
    fn geometry(&self) -> Option<Geometry> {
        let geometry = Geometry {
            page_size: u64::from(self.page_size),
            cpus: u32::try_from(self.cpus.len()).ok()?,
            lanes: self.lanes,
            rings: self.rings,
            clock: self.clock,
            identity: self.identity,
        };
        (geometry.is_sane() && self.pages >= MIN_PAGES).then_some(geometry)
    }

    /// Pages of every block, in order.
    fn pages(&self) -> impl Iterator<Item = u32> {
        let lane = (self.pages / 4).max(MIN_LANE_PAGES);
        let cpus = self.cpus.iter().map(|reserved| if *reserved { self.pages } else { 0 });
        cpus.chain(core::iter::repeat_n(lane, self.lanes as usize))
    }

    /// Bytes of the file: what the buffer takes in memory. None when the wish makes no sense.
    pub fn file_size(&self) -> Option<u64> {
        Some(self.layout(&self.geometry()?)?.end)
    }

    fn layout(&self, geometry: &Geometry) -> Option<Layout> {
        let total: u64 = self.pages().map(u64::from).sum();
        let slots = geometry.blocks_end();
        let slots_end = slots.checked_add(total.checked_mul(size_of::<Slot>() as u64)?)?;
        let pages = slots_end.checked_next_multiple_of(geometry.page_size)?;
        let end = pages.checked_add(total.checked_mul(geometry.page_size)?)?;
        Some(Layout { slots, pages, end })
    }
}

/// Where the two kinds of memory start, and where the file ends.
#[derive(Debug, Clone, Copy)]
struct Layout {
    slots: u64,
    pages: u64,
    end: u64,
}

impl Buffer {
    /// Makes a buffer in a segment that reads as zeros and has [`Specification::file_size`] bytes. Recording
    /// is on. None for a specification outside the limits, or another segment.
    pub fn create(segment: Segment, wanted: &Specification<'_>) -> Option<Buffer> {
        let geometry = wanted.geometry()?;
        let layout = wanted.layout(&geometry)?;
        if layout.end != segment.len() as u64 {
            return None;
        }
        fill_header(segment.get(0)?, &geometry, layout.end, wanted.overwrite);
        let blocks = segment.slice::<Block>(BLOCKS_OFFSET, geometry.blocks() as usize)?;
        let (mut slots, mut pages) = (layout.slots, layout.pages);
        for (block, count) in blocks.iter().zip(wanted.pages()) {
            fill_block(block, count, slots, pages);
            if let Some(slot) = segment.get::<Slot>(slots).filter(|_| count > 0) {
                slot.sequence.store(1, Relaxed);
                block.last_time.store(clock::now(geometry.clock), Relaxed);
            }
            slots += u64::from(count) * size_of::<Slot>() as u64;
            pages += u64::from(count) * geometry.page_size;
        }
        Buffer::new(segment).ok()
    }
}

fn fill_header(header: &Header, geometry: &Geometry, file_size: u64, overwrite: bool) {
    header.version.store(VERSION, Relaxed);
    header.page_size.store(geometry.page_size as u32, Relaxed);
    header.file_size.store(file_size, Relaxed);
    header.identity.store(geometry.identity, Relaxed);
    header.cpus.store(geometry.cpus, Relaxed);
    header.lanes.store(geometry.lanes, Relaxed);
    header.rings.store(geometry.rings, Relaxed);
    header.clock.store(geometry.clock as u32, Relaxed);
    header.control.store(if overwrite { 0 } else { Control::NO_OVERWRITE }, Relaxed);
    header.magic.store(MAGIC, Relaxed);
}

/// A block whose tail is at the start of its first ring and that has adopted no generation yet: its
/// first writer does.
fn fill_block(block: &Block, pages: u32, slots_offset: u64, pages_offset: u64) {
    block.seen.store(u64::MAX, Relaxed);
    for ring in &block.rings {
        ring.generation.store(NO_GENERATION, Relaxed);
    }
    if let Some(ring) = block.rings.first().filter(|_| pages > 0) {
        fill_ring(ring, pages, slots_offset, pages_offset);
        block.tail.store(Tail::new(pages_offset, 0, 0).0, Relaxed);
    }
}

fn fill_ring(ring: &Ring, pages: u32, slots_offset: u64, pages_offset: u64) {
    ring.slots_offset.store(slots_offset, Relaxed);
    ring.pages_offset.store(pages_offset, Relaxed);
    ring.page_count.store(pages, Relaxed);
}
