//! Making a buffer.

use crate::buffer::Buffer;
use crate::geometry::Geometry;
use crate::layout::Layout;
use abi::buffer::{BLOCKS_OFFSET, Block, Clock, Control, Header, KeptState, KeptWord, MAGIC, MIN_PAGES};
use abi::buffer::{NO_GENERATION, Ring, Slot, Tail, VERSION};
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
    /// Rings of each block: the live one, and one for each snapshot that can be kept. The others are as
    /// large as the first, and get their memory when they are wanted ([`crate::Holder::reserve`]).
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
            regions: 0,
            region_size: 0,
        };
        (geometry.is_sane() && self.pages >= MIN_PAGES).then_some(geometry)
    }

    /// Pages of every block, in order.
    fn pages(&self) -> impl Iterator<Item = u32> {
        let lane = (self.pages / 4).max(MIN_LANE_PAGES);
        let cpus = self.cpus.iter().map(|reserved| if *reserved { self.pages } else { 0 });
        cpus.chain(core::iter::repeat_n(lane, self.lanes as usize))
    }

    /// Bytes of the file. None when the wish makes no sense.
    pub fn file_size(&self) -> Option<u64> {
        Some(self.layout(&self.geometry()?)?.end)
    }

    /// Bytes at the start of the file that must have memory when the buffer is made: all but what lies
    /// behind the first ring. What the buffer takes in memory, as long as it has no spare rings.
    pub fn reserved_size(&self) -> Option<u64> {
        Some(self.layout(&self.geometry()?)?.region(1))
    }

    fn layout(&self, geometry: &Geometry) -> Option<Layout> {
        Layout::new(geometry, self.pages().map(u64::from).sum())
    }
}

impl Buffer {
    /// Makes a buffer in a segment that reads as zeros and has [`Specification::file_size`] bytes, of which
    /// the first [`Specification::reserved_size`] have memory. Recording is on. None for a specification
    /// outside the limits, or another segment.
    pub fn create(segment: Segment, wanted: &Specification<'_>) -> Option<Buffer> {
        let geometry = wanted.geometry()?;
        let layout = wanted.layout(&geometry)?;
        let geometry = Geometry { regions: layout.start, region_size: layout.region_size, ..geometry };
        if layout.end != segment.len() as u64 {
            return None;
        }
        fill_header(segment.get(0)?, &geometry, layout.end, wanted.overwrite);
        let blocks = segment.slice::<Block>(BLOCKS_OFFSET, geometry.blocks() as usize)?;
        let mut before = 0;
        for (block, count) in blocks.iter().zip(wanted.pages()) {
            fill_block(block, count);
            for (index, ring) in geometry.rings(block).iter().enumerate().filter(|_| count > 0) {
                let region = layout.region(index);
                ring.slots_offset.store(region + before * size_of::<Slot>() as u64, Relaxed);
                ring.pages_offset.store(region + layout.slots_size + before * geometry.page_size, Relaxed);
            }
            start_block(block, &segment);
            before += u64::from(count);
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
    header.regions_offset.store(geometry.regions, Relaxed);
    header.region_size.store(geometry.region_size, Relaxed);
    for (index, kept) in header.kept.iter().enumerate() {
        let state = if index == 0 { KeptState::Spare } else { KeptState::Absent };
        kept.word.store(KeptWord::unused(state).0, Relaxed);
    }
    header.control.store(if overwrite { 0 } else { Control::NO_OVERWRITE }, Relaxed);
    header.magic.store(MAGIC, Relaxed);
}

/// A block that has adopted no generation and of whose rings the first one has memory.
fn fill_block(block: &Block, pages: u32) {
    block.seen.store(u64::MAX, Relaxed);
    for ring in &block.rings {
        ring.generation.store(NO_GENERATION, Relaxed);
        ring.room.store(pages, Relaxed);
    }
    if let Some(ring) = block.rings.first() {
        ring.page_count.store(pages, Relaxed);
    }
}

/// Puts the tail of a block to the start of its first ring.
fn start_block(block: &Block, segment: &Segment) -> Option<()> {
    let ring: &Ring = block.rings.first().filter(|ring| ring.page_count.load(Relaxed) > 0)?;
    segment.get::<Slot>(ring.slots_offset.load(Relaxed))?.sequence.store(1, Relaxed);
    block.tail.store(Tail::new(ring.pages_offset.load(Relaxed), 0, 0).0, Relaxed);
    Some(())
}
