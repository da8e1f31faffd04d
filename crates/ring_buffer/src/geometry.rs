//! Where things are in a buffer file.

use abi::atomic::AtomicU64;
use abi::buffer::{BLOCKS_OFFSET, Block, BufferHeader, Clock, MAGIC, MAX_CPUS, MAX_LANES, MAX_RINGS};
use abi::buffer::{MIN_PAGES, Ring, RingPages, Slot, Tail, VERSION};
use abi::page;
use core::sync::atomic::Ordering::Relaxed;
use shm::Segment;

/// Why a file is not a buffer that this library can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusableBuffer {
    /// The file starts with something else.
    NotABuffer,
    /// Made by another version of lookback; holds the version found.
    Version(u32),
    /// The file is shorter than its header says, or its geometry makes no sense.
    Damaged,
}

impl core::fmt::Display for UnusableBuffer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            UnusableBuffer::NotABuffer => f.write_str("not a lookback buffer"),
            UnusableBuffer::Version(found) => {
                write!(f, "buffer layout version {found}, expected {VERSION}")
            }
            UnusableBuffer::Damaged => f.write_str("damaged buffer file"),
        }
    }
}

impl core::error::Error for UnusableBuffer {}

/// A private, checked copy of a buffer's fixed sizes and offsets (R12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes of a page.
    pub page_size: u64,
    /// CPU blocks.
    pub cpus: u32,
    /// Lanes, whose blocks follow.
    pub lanes: u32,
    /// Rings of each block.
    pub rings: u32,
    /// The clock in whose units times are.
    pub clock: Clock,
    /// Which session the buffer belongs to.
    pub identity: u64,
    /// Offset of the first ring's slots and pages.
    pub regions: u64,
    /// Offset of the memory that only grown rings use: a process that maps the buffer up to there can use it
    /// until one has grown.
    pub growth: u64,
    /// Where the buffer ends.
    pub end: u64,
}

impl Geometry {
    /// Reads and checks the header of `segment`.
    // Relaxed: nothing changes these words after the file was made.
    pub fn of(segment: &Segment) -> Result<Geometry, UnusableBuffer> {
        let header: &BufferHeader = segment.get(0).ok_or(UnusableBuffer::NotABuffer)?;
        if header.magic.load(Relaxed) != MAGIC {
            return Err(UnusableBuffer::NotABuffer);
        }
        let version = header.version.load(Relaxed);
        if version != VERSION {
            return Err(UnusableBuffer::Version(version));
        }
        let geometry = Geometry {
            page_size: u64::from(header.page_size.load(Relaxed)),
            cpus: header.cpus.load(Relaxed),
            lanes: header.lanes.load(Relaxed),
            rings: header.rings.load(Relaxed),
            clock: Clock::from_word(header.clock.load(Relaxed)).ok_or(UnusableBuffer::Damaged)?,
            identity: header.identity.load(Relaxed),
            regions: header.regions_offset.load(Relaxed),
            growth: header.growth_offset.load(Relaxed),
            end: header.file_size.load(Relaxed),
        };
        let mapped = segment.len() as u64;
        let sane = geometry.is_sane()
            && geometry.blocks_end() <= geometry.regions
            && geometry.regions <= geometry.growth
            && (mapped == geometry.growth || mapped == geometry.end)
            && [geometry.regions, geometry.growth, geometry.end]
                .iter()
                .all(|offset| offset.is_multiple_of(geometry.page_size));
        if sane { Ok(geometry) } else { Err(UnusableBuffer::Damaged) }
    }

    /// Whether the sizes are within their limits.
    pub fn is_sane(&self) -> bool {
        self.page_size.is_power_of_two()
            && (page::DEFAULT_SIZE as u64..=page::MAX_SIZE as u64).contains(&self.page_size)
            && (1..=MAX_CPUS).contains(&self.cpus)
            && self.lanes <= MAX_LANES
            && (1..=MAX_RINGS as u32).contains(&self.rings)
    }

    /// Blocks of both kinds.
    pub fn blocks(&self) -> u32 {
        self.cpus + self.lanes
    }

    /// File offset of a block.
    pub fn block_offset(&self, block: u32) -> u64 {
        BLOCKS_OFFSET + u64::from(block) * size_of::<Block>() as u64
    }

    /// File offset of the end of the last block.
    pub fn blocks_end(&self) -> u64 {
        self.block_offset(self.blocks())
    }

    /// Bytes of events that fit a page.
    pub fn page_capacity(&self) -> u64 {
        self.page_size - page::HEADER_SIZE as u64
    }

    /// The rings of `block` that this buffer uses.
    pub fn rings<'a>(&self, block: &'a Block) -> &'a [Ring] {
        block.rings.get(..self.rings as usize).unwrap_or(&[])
    }
}

/// Why the memory of a ring can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoMemory {
    /// It has none, or the words make no sense.
    Damaged,
    /// This process has not mapped it.
    NotMapped,
}

/// Where a ring's memory is: a copy, checked against the segment (R12).
#[derive(Debug, Clone, Copy)]
pub(crate) struct RingMemory {
    pages_offset: u64,
    slots_offset: u64,
    page_count: u64,
    page_size: u64,
}

impl RingMemory {
    /// The memory of `ring`, as far as `segment` has it mapped.
    pub(crate) fn of(ring: &Ring, geometry: &Geometry, segment: &Segment) -> Result<RingMemory, NoMemory> {
        let memory = RingMemory::described(ring, geometry).ok_or(NoMemory::Damaged)?;
        let is_mapped = memory.end() <= segment.len() as u64
            && segment.slice::<Slot>(memory.slots_offset, memory.page_count as usize).is_some();
        if is_mapped { Ok(memory) } else { Err(NoMemory::NotMapped) }
    }

    /// The memory of `ring`, mapped or not; None when it has none, or the words don't fit the buffer.
    // Relaxed: the homes never change. The pages do only while nobody uses the ring (R17), and whoever finds
    // it live, spare or kept has acquired that word after them.
    fn described(ring: &Ring, geometry: &Geometry) -> Option<RingMemory> {
        let pages = RingPages(ring.pages.load(Relaxed));
        let home = ring.homes.get(pages.home())?;
        let memory = RingMemory {
            pages_offset: home.pages_offset.load(Relaxed),
            slots_offset: home.slots_offset.load(Relaxed),
            page_count: u64::from(pages.count()),
            page_size: geometry.page_size,
        };
        let length = memory.page_count.checked_mul(geometry.page_size)?;
        let slots = memory.page_count * size_of::<Slot>() as u64;
        let sane = memory.page_count >= u64::from(MIN_PAGES)
            && memory.pages_offset >= geometry.regions
            && memory.slots_offset >= geometry.regions
            && memory.pages_offset.is_multiple_of(geometry.page_size)
            && memory.slots_offset.is_multiple_of(align_of::<Slot>() as u64)
            && memory.pages_offset.checked_add(length)? <= geometry.end
            && memory.slots_offset.checked_add(slots)? <= geometry.end;
        sane.then_some(memory)
    }

    /// Offset of the end of the last page.
    fn end(&self) -> u64 {
        self.pages_offset + self.page_count * self.page_size
    }

    /// Pages in the ring.
    pub(crate) fn page_count(&self) -> u64 {
        self.page_count
    }

    /// Which of the ring's pages lies at file offset `page_offset`, if one does.
    pub(crate) fn index_of(&self, page_offset: u64) -> Option<u64> {
        let distance = page_offset.checked_sub(self.pages_offset)?;
        distance.checked_div(self.page_size).filter(|index| *index < self.page_count)
    }

    /// The index that follows `index`.
    pub(crate) fn after(&self, index: u64) -> u64 {
        if index + 1 < self.page_count { index + 1 } else { 0 }
    }

    /// The index `pages` before `index`; None where that is more than once around.
    pub(crate) fn before(&self, index: u64, pages: u64) -> Option<u64> {
        let left = self.page_count.checked_sub(pages)?;
        Some(if index >= pages { index - pages } else { index + left })
    }

    /// File offset of a page.
    pub(crate) fn page_offset(&self, index: u64) -> u64 {
        self.pages_offset + index * self.page_size
    }

    /// The slot of a page.
    pub(crate) fn slot<'a>(&self, index: u64, segment: &'a Segment) -> Option<&'a Slot> {
        segment.get(self.slots_offset + index * size_of::<Slot>() as u64)
    }
}

/// The page under a tail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TailPage<'a> {
    pub(crate) ring: &'a Ring,
    pub(crate) memory: RingMemory,
    pub(crate) index: u64,
    pub(crate) slot: &'a Slot,
}

impl<'a> TailPage<'a> {
    /// Finds the page that `tail` is in (R12). An error when it is in none, or in one that is not mapped.
    pub(crate) fn of(
        tail: Tail,
        block: &'a Block,
        geometry: &Geometry,
        segment: &'a Segment,
    ) -> Result<TailPage<'a>, NoMemory> {
        let page_offset = tail.page_offset(geometry.page_size);
        let here = geometry.rings(block).iter().find_map(|ring| {
            let memory = RingMemory::of(ring, geometry, segment).ok()?;
            let index = memory.index_of(page_offset)?;
            Some(TailPage { ring, memory, index, slot: memory.slot(index, segment)? })
        });
        here.ok_or_else(|| match (segment.len() as u64..geometry.end).contains(&page_offset) {
            true => NoMemory::NotMapped,
            false => NoMemory::Damaged,
        })
    }

    /// File offset of the page.
    pub(crate) fn page_offset(&self) -> u64 {
        self.memory.page_offset(self.index)
    }
}

/// The two words of a page's header.
pub(crate) fn page_header(page_offset: u64, segment: &Segment) -> Option<&[AtomicU64]> {
    segment.slice(page_offset, 2)
}
