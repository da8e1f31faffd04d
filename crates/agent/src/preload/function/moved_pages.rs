//! Memory for moved code: pages in many places, as the bytes that a jump shares with what follows it say
//! where it can lead.

use super::instruction_jump::MovedTargets;
use super::moved_site::{BACK, CALL, MovedEntry, MovedSite, PAST_RED_ZONE, PAST_WORDS, WORDS};
#[cfg(feature = "static_program")]
use crate::preload::arch::go_entry;
use crate::preload::arch::{moved_entry, probe_entry, system_call, system_call_entry};
use crate::preload::memory::stack;
use core::ops::Range;
use planner::{JumpWindow, MovedInstruction};
use rustix::mm::{MapFlags, ProtFlags};
use shm::PAGE;
use text_poke::{CodeArea, JUMP_LEN, NotApplied, jump};

/// The most bytes of a site's code, but for what leaves the call out: an instruction, what is past its words,
/// what moves the stack pointer and back, a call, a jump.
const CODE: u64 =
    15 + (PAST_WORDS.len() + PAST_RED_ZONE.len() + BACK.len() + planner::JUMP_LEN) as u64 + WORDS + CALL;

/// Bytes of the jumps that a page begins with.
const JUMPS: u64 = (MovedEntry::ALL.len() * JUMP_LEN) as u64;

/// So many pages at most are made at a time, and the last ones of them are looked at for space.
const PAGES: usize = 16_384;
const LOOKED_AT: usize = 128;

/// Pages where a jump has a choice.
const LARGE: u64 = 16 * PAGE as u64;

/// How many places are tried for a page.
const PLACES: u64 = 16;

/// How far the heap is given space to grow: beyond that libc's takes other memory.
const HEAP: u64 = 256 << 20;

/// Pages that are being written.
pub(super) struct OpenPages {
    /// The code that they are for.
    text: Range<u64>,
    /// Where the heap may grow, and from where on there is the first thread's stack.
    heap: Range<u64>,
    stack: u64,
    /// Memory for [`PAGES`] of them, of which so many are there.
    table: *mut OpenPage,
    count: usize,
}

/// A page, or several, with space at its end.
struct OpenPage {
    area: CodeArea,
    /// Where that begins.
    free: u64,
}

const TABLE: usize = PAGES * size_of::<OpenPage>();

impl OpenPages {
    /// None yet. None at all where there is no memory.
    pub(super) fn new(text: Range<u64>) -> Option<OpenPages> {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, where the kernel likes.
        let table = unsafe {
            rustix::mm::mmap_anonymous(core::ptr::null_mut(), TABLE, protection, MapFlags::PRIVATE)
        };
        // SAFETY: it changes nothing.
        let heap = unsafe { system_call::call(libc::SYS_brk, [0; 6]) } as u64;
        let stack = stack::of_first_thread().map_or(u64::MAX, |range| range.start as u64);
        let heap = heap..heap.saturating_add(HEAP);
        Some(OpenPages { text, heap, stack, table: table.ok()?.cast(), count: 0 })
    }

    /// Writes code for an instruction. Where the jump to it leads; None where there is no space for it.
    pub(super) fn write(&mut self, site: &MovedSite<'_>) -> Option<u64> {
        let targets = site.window.targets();
        let index = self.with_space(&targets).or_else(|| self.open(&site.window))?;
        let page = self.page(index)?;
        let at = page.place(&targets)?;
        site.window.jump(at)?;
        let mut writing = Writing::begin(page, site, at);
        writing.put_site(site)?;
        writing.end()?;
        Some(at)
    }

    /// As [`OpenPages::write`], where any address will do, with a way that leaves the call out: the jumps to
    /// the two differ in one byte.
    pub(super) fn write_both(&mut self, site: &MovedSite<'_>) -> Option<MovedTargets> {
        let targets = site.window.targets();
        let index = self.with_space(&targets).or_else(|| self.open(&site.window))?;
        let page = self.page(index)?;
        let end = site.address + planner::JUMP_LEN as u64;
        let first = page.place(&targets)?;
        let has_space = |at: &u64| at.wrapping_sub(end) & 0xff < 0xff - CODE;
        let on = (0..256).map(|further| first + further).find(has_space)?;
        let mut writing = Writing::begin(page, site, on);
        writing.put_site(site)?;
        let off = writing.at;
        writing.put_moved(site)?;
        writing.put_relative(0xe9, site.address + site.len as u64)?;
        writing.end()?;
        Some(MovedTargets { on, off })
    }

    fn page(&mut self, index: usize) -> Option<&mut OpenPage> {
        // SAFETY: so many were written, and this has them alone.
        (index < self.count).then(|| unsafe { &mut *self.table.add(index) })
    }

    /// One of the last pages, in which there is space for a site at one of these addresses.
    fn with_space(&mut self, targets: &Range<u64>) -> Option<usize> {
        let first = self.count.saturating_sub(LOOKED_AT);
        (first..self.count)
            .rev()
            .find(|index| self.page(*index).and_then(|page| page.place(targets)).is_some())
    }

    /// A new page, to which jumps can lead.
    fn open(&mut self, window: &JumpWindow) -> Option<usize> {
        if self.count == PAGES {
            return None;
        }
        let mut area = match window.is_free() {
            true => CodeArea::near(&self.text, LARGE)?,
            false => self.area_for(&window.targets())?,
        };
        let mut free = area.pages().start;
        for entry in MovedEntry::ALL {
            let called = match entry {
                MovedEntry::First => moved_entry::called_first as *const (),
                MovedEntry::Later => moved_entry::called_later as *const (),
                MovedEntry::Anywhere => probe_entry::called as *const (),
                MovedEntry::SystemCallEnter | MovedEntry::SystemCallExit => {
                    system_call_entry::called as *const ()
                }
                #[cfg(feature = "static_program")]
                MovedEntry::Go | MovedEntry::GoSystemCallEnter => go_entry::called as *const (),
            };
            area.write(free, &jump(called as u64));
            free += JUMP_LEN as u64;
        }
        // SAFETY: within the table, after those that were written.
        unsafe { self.table.add(self.count).write(OpenPage { area, free }) };
        self.count += 1;
        Some(self.count - 1)
    }

    /// Memory for code at one of these addresses: what is free, and stays so (M3).
    fn area_for(&self, targets: &Range<u64>) -> Option<CodeArea> {
        let size = PAGE as u64;
        if targets.end - targets.start < 2 * size {
            // The only pages where it can be.
            let start = targets.start.checked_sub(JUMPS + WORDS)? & !(size - 1);
            let end = targets.end.checked_add(CODE)?.checked_next_multiple_of(size)?;
            return self.area_at(start..end);
        }
        let first = targets.start.next_multiple_of(size);
        let last = targets.end.checked_sub(size)?;
        let step = (targets.end.saturating_sub(first) / PLACES).next_multiple_of(size);
        let places = (0..PLACES).map(|index| first.saturating_add(index * step));
        places.filter(|start| *start <= last).find_map(|start| self.area_at(start..start + size))
    }

    /// These pages, if they are free, and stay so.
    fn area_at(&self, pages: Range<u64>) -> Option<CodeArea> {
        let is_ours =
            (pages.end <= self.heap.start || pages.start >= self.heap.end) && pages.end <= self.stack;
        CodeArea::at(pages).ok().filter(|_| is_ours)
    }

    /// Makes all of them code.
    pub(super) fn seal(mut self) -> Result<(), NotApplied> {
        let mut result = Ok(());
        for index in 0..core::mem::take(&mut self.count) {
            // SAFETY: so many were written, and each is taken once.
            let page = unsafe { self.table.add(index).read() };
            if result.is_ok() {
                result = page.area.seal().map(drop);
            }
        }
        result
    }
}

impl Drop for OpenPages {
    fn drop(&mut self) {
        for index in 0..self.count {
            // SAFETY: so many were written, and nobody has taken them.
            drop(unsafe { self.table.add(index).read() });
        }
        // SAFETY: its own mapping.
        let _ = unsafe { rustix::mm::munmap(self.table.cast(), TABLE) };
    }
}

impl OpenPage {
    /// Where the next site's code may be, of these addresses: at a multiple of eight, if there is a choice.
    fn place(&self, targets: &Range<u64>) -> Option<u64> {
        let free = (self.free + WORDS).max(targets.start);
        let at = if targets.end - targets.start < 8 { free } else { free.next_multiple_of(8) };
        (at < targets.end && at + CODE <= self.area.pages().end).then_some(at)
    }
}

/// Code that is being written to a page.
struct Writing<'a> {
    page: &'a mut OpenPage,
    /// Where its next byte goes.
    at: u64,
    /// Whether all had space.
    is_complete: bool,
}

impl<'a> Writing<'a> {
    /// For a site to which the jump leads at an address.
    fn begin(page: &'a mut OpenPage, site: &MovedSite<'_>, at: u64) -> Writing<'a> {
        let at = if site.entry.moves_first() { at } else { at - WORDS };
        Writing { page, at, is_complete: true }
    }

    /// All of a site, with its words. None where something is out of reach.
    fn put_site(&mut self, site: &MovedSite<'_>) -> Option<()> {
        let is_first = site.entry.moves_first();
        if is_first {
            self.put_moved(site)?;
            self.put(&PAST_WORDS);
        }
        self.put(&site.stack.to_word().to_le_bytes());
        self.put(&site.word.to_le_bytes());
        self.put(&(site.address + 1).to_le_bytes());
        let keeps_red_zone = site.entry.keeps_red_zone();
        self.put(if keeps_red_zone { &PAST_RED_ZONE } else { &[] });
        let entry = self.page.area.pages().start + (site.entry as usize * JUMP_LEN) as u64;
        match site.entry.before_jump() {
            Some(instruction) => {
                self.put(&instruction);
                self.put_relative(0xe9, entry)?;
            }
            None => self.put_relative(0xe8, entry)?,
        }
        self.put(if keeps_red_zone { &BACK } else { &[] });
        if !is_first {
            self.put_moved(site)?;
        }
        self.put_relative(0xe9, site.address + site.len as u64)
    }

    /// Keeps it, if all had space.
    fn end(self) -> Option<()> {
        self.page.free = self.at;
        self.is_complete.then_some(())
    }

    fn put(&mut self, bytes: &[u8]) {
        self.is_complete &= self.page.area.write(self.at, bytes);
        self.at += bytes.len() as u64;
    }

    /// The instruction itself. None where it can't be moved to here.
    fn put_moved(&mut self, site: &MovedSite<'_>) -> Option<()> {
        self.put(MovedInstruction::new(site.code, site.address, self.at)?.bytes());
        Some(())
    }

    /// A call or a jump. None where it can't lead there.
    fn put_relative(&mut self, opcode: u8, target: u64) -> Option<()> {
        let end = self.at + planner::JUMP_LEN as u64;
        let distance = i32::try_from(target.wrapping_sub(end).cast_signed()).ok()?;
        let [a, b, c, d] = distance.to_le_bytes();
        self.put(&[opcode, a, b, c, d]);
        Some(())
    }
}
