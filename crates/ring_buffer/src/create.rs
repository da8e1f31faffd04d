//! Making a buffer.

use crate::buffer::Buffer;
use crate::geometry::Geometry;
use crate::layout::Layout;
use abi::buffer::{BLOCKS_OFFSET, Block, Clock, Control, Header, KeptState, KeptWord, MAGIC, MIN_PAGES};
use abi::buffer::{FIRST_SIZE, NO_GENERATION, Parts, Ring, Slot, Tail, VERSION};
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use shm::Segment;

/// The smallest lane.
const MIN_LANE_PAGES: u32 = 4;

/// Pages of a lane, where each CPU has `pages`.
pub(crate) fn lane_pages(pages: u32) -> u32 {
    (pages / 4).max(MIN_LANE_PAGES)
}

/// What buffer is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Specification<'a> {
    /// Bytes of a page: a power of two from 4096 to 524,288.
    pub page_size: u32,
    /// Pages of each CPU, at least 2.
    pub pages: u32,
    /// The most pages that a CPU can be given later ([`crate::Holder::resize`]). What is more than `pages`
    /// takes addresses in every process that maps the file, and no memory.
    pub most_pages: u32,
    /// For every CPU that this machine can have: whether pages are reserved for it. Writers on the
    /// others go to lanes.
    pub cpus: &'a [bool],
    /// Lanes. Each has a quarter of a CPU's pages, at least 4.
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
        let pages_are_sane = (MIN_PAGES..=self.most_pages).contains(&self.pages);
        (geometry.is_sane() && pages_are_sane).then_some(geometry)
    }

    /// Pages of every block, in order, where each CPU has `pages`.
    fn blocks_of(&self, pages: u32) -> impl Iterator<Item = u32> + Clone {
        let cpus = self.cpus.iter().map(move |reserved| if *reserved { pages } else { 0 });
        cpus.chain(core::iter::repeat_n(lane_pages(pages), self.lanes as usize))
    }

    /// What every block starts with, and has room for, in order.
    fn blocks(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        self.blocks_of(self.pages).zip(self.blocks_of(self.most_pages))
    }

    /// Bytes of the file. None when the wish makes no sense.
    pub fn file_size(&self) -> Option<u64> {
        Some(self.layout(&self.geometry()?)?.end)
    }

    /// The parts of the file that must have memory when the buffer is made, in order: all but what the first
    /// ring may want later, and what lies behind it. None when the wish makes no sense.
    pub fn reserved(&self) -> Option<impl Iterator<Item = Range<u64>> + Clone> {
        let page_size = u64::from(self.page_size);
        let layout = self.layout(&self.geometry()?)?;
        let first_page = layout.start + layout.slots_size;
        let pages = self.blocks().scan(first_page, move |next, (pages, room)| {
            let start = *next;
            *next = start + u64::from(room) * page_size;
            Some(start..start + u64::from(pages) * page_size)
        });
        Some(core::iter::once(0..first_page).chain(pages))
    }

    fn layout(&self, geometry: &Geometry) -> Option<Layout> {
        Layout::new(geometry, self.blocks_of(self.most_pages).map(u64::from).sum())
    }
}

impl Buffer {
    /// Makes a buffer in a segment that reads as zeros and has [`Specification::file_size`] bytes, of which
    /// [`Specification::reserved`] have memory. Recording is on. None for a specification
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
        for (block, (pages, room)) in blocks.iter().zip(wanted.blocks()) {
            fill_block(block, pages, room);
            for (index, ring) in geometry.rings(block).iter().enumerate().filter(|_| room > 0) {
                let region = layout.region(index);
                ring.slots_offset.store(region + before * size_of::<Slot>() as u64, Relaxed);
                ring.pages_offset.store(region + layout.slots_size + before * geometry.page_size, Relaxed);
            }
            start_block(block, &segment);
            before += u64::from(room);
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
        let (state, size) = if index == 0 { (KeptState::Spare, FIRST_SIZE) } else { (KeptState::Absent, 0) };
        kept.word.store(KeptWord::unused(state).0, Relaxed);
        kept.size.store(size, Relaxed);
    }
    header.sizes.store(FIRST_SIZE, Relaxed);
    header.control.store(if overwrite { 0 } else { Control::NO_OVERWRITE }, Relaxed);
    header.magic.store(MAGIC, Relaxed);
}

/// A block that has adopted no generation and of whose rings the first one has memory.
fn fill_block(block: &Block, pages: u32, room: u32) {
    block.seen.store(u64::MAX, Relaxed);
    block.parts.store(Parts::FIRST.0, Relaxed);
    for ring in &block.rings {
        ring.generation.store(NO_GENERATION, Relaxed);
        ring.room.store(room, Relaxed);
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
