//! Memory for moved code: pages in many places, as the bytes that a jump shares with what follows it say
//! where it can lead.

use super::moved_site::{BACK, CALL, MovedEntry, MovedSite, PAST_RED_ZONE};
use crate::preload::arch::{moved_entry, probe_entry, system_call};
use crate::preload::memory::stack;
use core::ops::Range;
use planner::{JumpWindow, MovedInstruction};
use rustix::mm::{MapFlags, ProtFlags};
use shm::PAGE;
use text_poke::{CodeArea, JUMP_LEN, NotApplied, jump};

/// The most bytes of a site's code: what moves the stack pointer and back, a call, an instruction, a jump.
const CODE: u64 = (PAST_RED_ZONE.len() + BACK.len()) as u64 + CALL + 15 + 5;

/// Bytes of words before it.
const WORDS: u64 = 24;

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
        let entry = page.area.pages().start + (site.entry as usize * JUMP_LEN) as u64;
        let (before, after): (&[u8], &[u8]) =
            if site.entry == MovedEntry::Anywhere { (&PAST_RED_ZONE, &BACK) } else { (&[], &[]) };
        let called = at + before.len() as u64 + CALL;
        let instruction = called + after.len() as u64;
        let moved = MovedInstruction::new(site.code, site.address, instruction)?;
        let end = instruction + moved.bytes().len() as u64 + planner::JUMP_LEN as u64;
        let call = relative(0xe8, called, entry)?;
        let back = relative(0xe9, end, site.address + site.len as u64)?;
        site.window.jump(at)?;
        let mut to = at - WORDS;
        let mut put = |bytes: &[u8]| {
            let is_written = page.area.write(to, bytes);
            to += bytes.len() as u64;
            is_written
        };
        let is_written = put(&site.stack.to_word().to_le_bytes())
            && put(&site.word.to_le_bytes())
            && put(&(site.address + 1).to_le_bytes())
            && put(before)
            && put(&call)
            && put(after)
            && put(moved.bytes())
            && put(&back);
        page.free = to;
        is_written.then_some(at)
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

/// An instruction that ends at `end` and leads to `target`.
fn relative(opcode: u8, end: u64, target: u64) -> Option<[u8; 5]> {
    let distance = i32::try_from(target.wrapping_sub(end).cast_signed()).ok()?;
    let [a, b, c, d] = distance.to_le_bytes();
    Some([opcode, a, b, c, d])
}
