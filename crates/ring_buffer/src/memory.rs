//! The memory of a ring that a holder has claimed: how many pages each block has there.
//!
//! The pages of a ring change only while a holder has claimed it, and with the proof that nobody stores there
//! (R15, R17). So Relaxed is enough for the counts: whoever uses the ring next has acquired its entry, or the
//! control word, after them.
//!
//! Every ring has two homes in the file: one for as many pages as the buffer was made with, which every
//! process maps, and one for the most that it can ever have. It has memory for the pages that it has now.
//! Only pages are taken away. Slots stay, because writers look at them outside of sections.

use crate::buffer::Buffer;
use crate::holder::Holder;
use abi::buffer::{Block, Ring, RingPages, Slot};
use core::ffi::CStr;
use core::ops::Range;
use core::sync::atomic::Ordering::{Relaxed, Release};
use shm::Errno;

impl Holder<'_> {
    /// Gives a ring `pages` pages in each block, limited by its addresses in the file, and no id of a size.
    /// The caller has claimed the ring, and nobody can be storing there (R17). After an error it has the
    /// pages that it had before.
    // Relaxed: see the module.
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
                Some((ring, settled(ring, pages(index, block))))
            })
        };
        let slots = wanted().filter_map(|(ring, pages)| slots(ring, pages));
        let ranges = slots.chain(
            wanted().filter_map(|(ring, pages)| buffer.page_range(ring, pages.home(), 0, pages.count())),
        );
        let reserved = shm::reserve(path, buffer.segment(), ranges);
        if reserved.is_ok() {
            buffer.set_size(ring, 0);
            wanted().for_each(|(ring, pages)| ring.pages.store(pages.0, Relaxed));
        }
        // The surplus, be it of before or of what was just tried. If it stays, it does no harm.
        let _ = self.trim(ring);
        reserved
    }

    /// Frees all pages of a ring. The caller has claimed the ring, and nobody can be storing there (R15).
    // Relaxed: see the module.
    pub(crate) fn unequip(&self, ring: usize) -> Result<(), Errno> {
        self.buffer.set_size(ring, 0);
        for part in self.buffer.blocks().filter_map(|block| self.buffer.ring(block, ring)) {
            part.pages.store(0, Relaxed);
        }
        self.trim(ring)
    }

    /// Frees the memory that a ring has beyond its pages, in both of its homes.
    // Relaxed: the caller has claimed the ring; the homes never change.
    fn trim(&self, ring: usize) -> Result<(), Errno> {
        let buffer = self.buffer;
        let surplus = |block: &Block, home: usize| {
            let ring = buffer.ring(block, ring)?;
            let pages = RingPages(ring.pages.load(Relaxed));
            let used = if pages.home() == home { pages.count() } else { 0 };
            buffer.page_range(ring, home, used, ring.most_pages.get(home)?.load(Relaxed))
        };
        let blocks = buffer.blocks();
        blocks
            .flat_map(|block| [0, 1].map(|home| surplus(block, home)))
            .flatten()
            .try_for_each(|range| buffer.segment().remove(range.start, range.end - range.start))
    }
}

impl Buffer {
    /// Pages that a block has in a ring.
    // Relaxed: see the module.
    pub(crate) fn pages(&self, block: &Block, ring: usize) -> u32 {
        self.ring(block, ring).map_or(0, |ring| RingPages(ring.pages.load(Relaxed)).count())
    }

    /// Enters the id of a ring's size, for the holder that has claimed it (R17); 0 for none.
    // Release: pairs with the Acquire of `Buffer::size`: whoever sees the id sees the pages (R16).
    pub(crate) fn set_size(&self, ring: usize, size: u64) {
        if let Some(entry) = self.kept(ring) {
            entry.size.store(size, Release);
        }
    }

    /// Where some of a ring's pages lie in one of its homes. None for no pages, and where damaged words would
    /// have them lie outside of what belongs to rings (R12).
    // Relaxed: the homes never change.
    fn page_range(&self, ring: &Ring, home: usize, from: u32, to: u32) -> Option<Range<u64>> {
        let geometry = self.geometry();
        let first = ring.homes.get(home)?.pages_offset.load(Relaxed);
        let at = |index: u32| first.checked_add(u64::from(index) * geometry.page_size);
        let range = at(from)?..at(to)?;
        let is_sane = first >= geometry.regions
            && first.is_multiple_of(geometry.page_size)
            && range.end <= self.segment().len() as u64;
        (is_sane && range.start < range.end).then_some(range)
    }
}

/// `pages` pages of a ring, or the most that it can have, in the home where they fit.
fn settled(ring: &Ring, pages: u32) -> RingPages {
    RingPages::new(pages.min(most_pages(ring)), first_home(ring))
}

/// The most pages that a ring can have.
// Relaxed: it never changes.
pub(crate) fn most_pages(ring: &Ring) -> u32 {
    ring.most_pages.iter().map(|most| most.load(Relaxed)).max().unwrap_or(0)
}

/// The most pages that a ring can have in its first home.
// Relaxed: it never changes.
fn first_home(ring: &Ring) -> u32 {
    ring.most_pages.first().map_or(0, |most| most.load(Relaxed))
}

/// Where the slots of a ring's pages lie.
// Relaxed: the homes never change.
fn slots(ring: &Ring, pages: RingPages) -> Option<Range<u64>> {
    let start = ring.homes.get(pages.home())?.slots_offset.load(Relaxed);
    let end = start.checked_add(u64::from(pages.count()) * size_of::<Slot>() as u64)?;
    Some(start..end)
}
