//! Making a buffer.
//!
//! Relaxed is enough for all words here: nobody else has the file yet. Whoever hands it on, by its name or by
//! a word of the session, does so after that.

use crate::buffer::Buffer;
use crate::geometry::Geometry;
use crate::regions::Regions;
use abi::buffer::{
    BLOCKS_OFFSET, Block, BufferHeader, Clock, ControlWord, KeptState, KeptWord, MAGIC, MIN_PAGES,
};
use abi::buffer::{FIRST_SIZE, NO_GENERATION, Parts, Ring, RingPages, Slot, Tail, VERSION};
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use shm::Segment;

/// The smallest lane.
const MIN_LANE_PAGES: u32 = 4;

/// Pages of a lane, where each CPU has `pages`.
pub(crate) fn lane_pages(pages: u32) -> u32 {
    (pages / 4).max(MIN_LANE_PAGES)
}

/// The properties of a buffer that is to be made.
#[derive(Debug, Clone, Copy)]
pub struct Specification<'a> {
    /// Bytes of a page: a power of two from 4096 to 524,288.
    pub page_size: u32,
    /// Pages of each CPU, at least 2.
    pub pages: u32,
    /// The most pages that a CPU can be given later ([`crate::Holder::resize`]). What exceeds `pages` takes
    /// addresses in the file, and no memory.
    pub most_pages: u32,
    /// For every CPU that this machine can have: whether pages are reserved for it (R10). Writers on the
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
            growth: 0,
            end: 0,
        };
        let pages_are_sane = (MIN_PAGES..=self.most_pages).contains(&self.pages);
        (geometry.is_sane() && pages_are_sane).then_some(geometry)
    }

    /// Pages of every block, in order, when each CPU has `pages`.
    fn blocks_of(&self, pages: u32) -> impl Iterator<Item = u32> + Clone {
        let cpus = self.cpus.iter().map(move |reserved| if *reserved { pages } else { 0 });
        cpus.chain(core::iter::repeat_n(lane_pages(pages), self.lanes as usize))
    }

    /// The most pages that every block can have in each of its rings' homes, in order.
    fn blocks(&self) -> impl Iterator<Item = [u32; 2]> + Clone {
        let grown = if self.most_pages > self.pages { self.most_pages } else { 0 };
        let grown = self.blocks_of(grown).map(move |pages| if grown > 0 { pages } else { 0 });
        self.blocks_of(self.pages).zip(grown).map(|(first, grown)| [first, grown])
    }

    /// Bytes of the file. None when the specification makes no sense.
    pub fn file_size(&self) -> Option<u64> {
        let Layouts { first, grown } = self.layouts(&self.geometry()?)?;
        Some(grown.map_or(first.end, |grown| grown.end))
    }

    /// Bytes from the start of the file that a process has to map as long as the buffer has not grown. None
    /// when the specification makes no sense.
    pub fn mapped_size(&self) -> Option<u64> {
        Some(self.layouts(&self.geometry()?)?.first.end)
    }

    /// The bytes from the start of the file that must have memory when the buffer is made: up to the end of
    /// its first ring (R10). None when the specification makes no sense.
    pub fn reserved(&self) -> Option<Range<u64>> {
        let layout = self.layouts(&self.geometry()?)?.first;
        let pages: u64 = self.blocks_of(self.pages).map(u64::from).sum();
        Some(0..layout.first_page(0) + pages * u64::from(self.page_size))
    }

    fn layouts(&self, geometry: &Geometry) -> Option<Layouts> {
        let all = |pages| self.blocks_of(pages).map(u64::from).sum();
        let first = Regions::new(geometry.blocks_end(), geometry, all(self.pages))?;
        let grown = match self.most_pages > self.pages {
            true => Some(Regions::new(first.end, geometry, all(self.most_pages))?),
            false => None,
        };
        Some(Layouts { first, grown })
    }
}

/// Where the rings of a buffer lie.
struct Layouts {
    /// With as many pages as it is made with.
    first: Regions,
    /// With as many as it can have, if that is more.
    grown: Option<Regions>,
}

impl Buffer {
    /// Makes a buffer in a segment that reads as zeros and has [`Specification::file_size`] bytes, of which
    /// [`Specification::reserved`] have memory. Recording is on. None for a specification
    /// outside the limits, or another segment.
    pub fn create(segment: Segment, wanted: &Specification<'_>) -> Option<Buffer> {
        let geometry = wanted.geometry()?;
        let layouts = wanted.layouts(&geometry)?;
        let (regions, growth) = (layouts.first.start, layouts.first.end);
        let geometry = Geometry { regions, growth, end: wanted.file_size()?, ..geometry };
        if geometry.end != segment.len() as u64 {
            return None;
        }
        fill_header(segment.get(0)?, &geometry, wanted.overwrite);
        let blocks = segment.slice::<Block>(BLOCKS_OFFSET, geometry.blocks() as usize)?;
        for (block, most) in blocks.iter().zip(wanted.blocks()) {
            fill_block(block, most);
        }
        let homes = [Some(layouts.first), layouts.grown];
        for (home, layout) in homes.into_iter().enumerate().filter_map(|(home, layout)| Some((home, layout?)))
        {
            settle(blocks, home, &layout, &geometry);
        }
        for block in blocks {
            start_block(block, &segment);
        }
        Buffer::new(segment).ok()
    }
}

/// Enters where the pages of all blocks are in one of their rings' homes, one block after the other.
// Relaxed: see the module.
fn settle(blocks: &[Block], home: usize, layout: &Regions, geometry: &Geometry) {
    let mut before = 0;
    for block in blocks {
        let rings = geometry.rings(block).iter().enumerate();
        for (index, ring) in rings {
            if let Some(home) = ring.homes.get(home) {
                layout.settle(home, index, before, geometry.page_size);
            }
        }
        let most = block.rings.first().and_then(|ring| ring.most_pages.get(home));
        before += most.map_or(0, |most| u64::from(most.load(Relaxed)));
    }
}

// Relaxed: see the module.
fn fill_header(header: &BufferHeader, geometry: &Geometry, overwrite: bool) {
    header.version.store(VERSION, Relaxed);
    header.page_size.store(geometry.page_size as u32, Relaxed);
    header.file_size.store(geometry.end, Relaxed);
    header.identity.store(geometry.identity, Relaxed);
    header.cpus.store(geometry.cpus, Relaxed);
    header.lanes.store(geometry.lanes, Relaxed);
    header.rings.store(geometry.rings, Relaxed);
    header.clock.store(geometry.clock as u32, Relaxed);
    header.regions_offset.store(geometry.regions, Relaxed);
    header.growth_offset.store(geometry.growth, Relaxed);
    for (index, kept) in header.kept.iter().enumerate() {
        let (state, size) = if index == 0 { (KeptState::Spare, FIRST_SIZE) } else { (KeptState::Absent, 0) };
        kept.word.store(KeptWord::unused(state).0, Relaxed);
        kept.size.store(size, Relaxed);
    }
    header.sizes.store(FIRST_SIZE, Relaxed);
    header.control.store(if overwrite { 0 } else { ControlWord::NO_OVERWRITE }, Relaxed);
    header.magic.store(MAGIC, Relaxed);
}

/// A block that has adopted no generation and of whose rings the first one has memory.
// Relaxed: see the module.
fn fill_block(block: &Block, most: [u32; 2]) {
    block.seen.store(u64::MAX, Relaxed);
    block.parts.store(Parts::FIRST.0, Relaxed);
    for ring in &block.rings {
        ring.generation.store(NO_GENERATION, Relaxed);
        ring.most_pages.iter().zip(most).for_each(|(word, most)| word.store(most, Relaxed));
    }
    let ([first, ..], [pages, _]) = (&block.rings, most);
    first.pages.store(RingPages::new(pages, pages).0, Relaxed);
}

/// Puts the tail of a block to the start of its first ring.
// Relaxed: see the module.
fn start_block(block: &Block, segment: &Segment) -> Option<()> {
    let ring: &Ring = block.rings.first().filter(|ring| ring.pages.load(Relaxed) > 0)?;
    let home = ring.homes.first()?;
    segment.get::<Slot>(home.slots_offset.load(Relaxed))?.sequence.store(1, Relaxed);
    block.tail.store(Tail::new(home.pages_offset.load(Relaxed), 0, 0).0, Relaxed);
    Some(())
}
