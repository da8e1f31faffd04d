//! What sites call: code near each object, which jumps to [`called`].
//!
//! A call reaches 2 GiB, and this object may be farther away. So each object has an *island*, a jump by an
//! address in memory. A site of one-byte nops can only call the address that is the nops themselves, 1.87 GB
//! below it ([`text_poke::plan::entry::punned_target`]): there it finds a jump to the island.
//!
//! F2: what is mapped here stays, as a thread may be in it at any time. Its pages are written, then executed,
//! and never both at a time.

use crate::preload::arch::function_entry::called;
use core::ops::Range;
use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use rustix::io::Errno;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags};
use shm::PAGE;
use text_poke::plan::entry::punned_target;

/// The trampolines of an object. Only who has the turn looks at them.
#[derive(Debug)]
pub(super) struct Trampolines {
    /// Where sites of whole nops call; 0 as long as there are none.
    island: AtomicU64,
    /// Where those of one-byte nops call, if there is memory.
    punned: [AtomicU64; 2],
}

/// Bytes of a jump to it.
const JUMP: usize = 5;

impl Trampolines {
    /// None yet.
    pub(super) const fn new() -> Trampolines {
        Trampolines { island: AtomicU64::new(0), punned: [const { AtomicU64::new(0) }; 2] }
    }

    /// Makes those for sites in order, in code that is in `text`, unless they are there. Errors: no addresses
    /// are free where they are needed, or no memory is.
    // Relaxed: one turn at a time, see `Turn`.
    pub(super) fn make(
        &self,
        text: &Range<u64>,
        sites: impl Iterator<Item = u64> + Clone,
    ) -> Result<(), Errno> {
        if self.island.load(Relaxed) != 0 {
            return Ok(());
        }
        let page = PAGE as u64;
        let first = sites.clone().next().unwrap_or(text.start);
        let last = sites.clone().last().unwrap_or(first);
        let start = punned_target(first) & !(page - 1);
        let end = (punned_target(last) + JUMP as u64).next_multiple_of(page);
        // Below the program there may be nothing.
        let is_below = start < end && end < text.start;
        let punned = if is_below { map(start, end + page) } else { Err(Errno::RANGE) };
        match punned {
            Ok(mapped) => {
                let island = end;
                // SAFETY: all in what was mapped just now.
                unsafe {
                    write_island(island);
                    sites.for_each(|site| write_jump(punned_target(site), island));
                }
                protect(mapped)?;
                let [low, high] = &self.punned;
                low.store(start, Relaxed);
                high.store(end, Relaxed);
                self.island.store(island, Relaxed);
            }
            Err(_) => {
                let island = map_near(text)?;
                // SAFETY: in what was mapped just now.
                unsafe { write_island(island) };
                protect(island..island + page)?;
                self.island.store(island, Relaxed);
            }
        }
        Ok(())
    }

    /// What the site at an address is to call, if its bytes let it choose, or if its only choice is there.
    pub(super) fn target(&self, site: u64) -> u64 {
        let punned = punned_target(site);
        let [low, high] = self.punned.each_ref().map(|end| end.load(Relaxed));
        if (low..high).contains(&punned) { punned } else { self.island.load(Relaxed) }
    }
}

/// Maps memory at just these addresses, to be written.
fn map(start: u64, end: u64) -> Result<Range<u64>, Errno> {
    let flags = MapFlags::PRIVATE | MapFlags::FIXED_NOREPLACE;
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    let address = with_exposed_provenance_mut(start as usize);
    // SAFETY: nothing that is there is replaced.
    let mapped = unsafe { rustix::mm::mmap_anonymous(address, (end - start) as usize, protection, flags) }?;
    if mapped.expose_provenance() as u64 == start {
        return Ok(start..end);
    }
    // A kernel that doesn't know the flag takes the address for a wish.
    // SAFETY: mapped just now.
    let _ = unsafe { rustix::mm::munmap(mapped, (end - start) as usize) };
    Err(Errno::EXIST)
}

/// A page that calls from all of `text` reach.
fn map_near(text: &Range<u64>) -> Result<u64, Errno> {
    /// How many places are tried on either side, and how far apart.
    const TRIES: u64 = 512;
    const STEP: u64 = 1 << 21;
    let page = PAGE as u64;
    let below = (1..TRIES).filter_map(|index| text.start.checked_sub(index * STEP));
    let above = (1..TRIES).filter_map(|index| text.end.checked_add(index * STEP));
    let places =
        below.chain(above).map(|address| address & !(page - 1)).filter(|address| *address >= 1 << 16);
    places
        .map(|start| map(start, start + page))
        .find_map(Result::ok)
        .map(|mapped| mapped.start)
        .ok_or(Errno::NOMEM)
}

/// Has it executed, and written no more.
fn protect(mapped: Range<u64>) -> Result<(), Errno> {
    let start = with_exposed_provenance_mut(mapped.start as usize);
    let flags = MprotectFlags::READ | MprotectFlags::EXEC;
    // SAFETY: our own memory.
    unsafe { rustix::mm::mprotect(start, (mapped.end - mapped.start) as usize, flags) }
}

/// # Safety
///
/// There is memory for it.
unsafe fn write_island(at: u64) {
    // jmp [rip]
    let jump = [0xff, 0x25, 0, 0, 0, 0];
    let target = (called as *const () as u64).to_le_bytes();
    // SAFETY: the caller's promise.
    unsafe { with_exposed_provenance_mut::<([u8; 6], [u8; 8])>(at as usize).write((jump, target)) };
}

/// # Safety
///
/// There is memory for it.
unsafe fn write_jump(at: u64, island: u64) {
    let distance = island.wrapping_sub(at + JUMP as u64) as u32;
    let [one, two, three, four] = distance.to_le_bytes();
    // SAFETY: the caller's promise.
    unsafe { with_exposed_provenance_mut::<[u8; JUMP]>(at as usize).write([0xe9, one, two, three, four]) };
}
