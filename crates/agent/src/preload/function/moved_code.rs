//! Code for functions that were not built to be traced: what their first instructions jump to.
//!
//! ```text
//! function:  jmp T        in the place of one instruction, see the crate `planner`
//!            next
//!
//! T - 16:    the function's address
//! T - 8:     an address within the instruction
//! T:         call the page's first jump, or its second     -> the agent records the call
//! T + 5:     the instruction that was replaced
//!            jmp next
//! ```
//!
//! Where T may be depends on the bytes that the jump shares with the next instruction, so there are pages in
//! many places. Each begins with two jumps to the agent.
//!
//! Invariants:
//! * **M1** A page is written before it is code, and never again: sites that come later have pages of their
//!   own.
//! * **M2** What was made stays (F2), as does the site's choice of it.
//! * **M3** No page is where the program's heap or its first stack may grow.

use super::objects::TracedObject;
use super::site_entry::SiteEntry;
use super::traced_site::TracedSite;
use crate::preload::arch::moved_entry;
use crate::preload::arch::system_call;
use crate::preload::memory::stack;
use core::ops::Range;
use core::ptr::with_exposed_provenance;
use planner::{EntryPoint, EntryPointPlace, FunctionCode, JumpWindow, MovedInstruction, entry_points};
use rustix::mm::{MapFlags, ProtFlags};
use shm::PAGE;
use text_poke::{CodeArea, JUMP_LEN, NotApplied, jump};

/// From where a call returns to in moved code back to the address of the function.
const FUNCTION_BEFORE: u64 = 16 + CALL;
/// And to the address within the instruction.
pub(crate) const WITHIN_BEFORE: u64 = 8 + CALL;

/// Bytes of a call.
const CALL: u64 = 5;
/// The most bytes of a site's code: a call, an instruction, a jump.
const CODE: u64 = CALL + 15 + 5;

/// So many pages at most are made at a time, and the last ones of them are looked at for space.
const PAGES: usize = 16_384;
const LOOKED_AT: usize = 128;

/// Pages where a jump has a choice.
const LARGE: u64 = 16 * PAGE as u64;

/// How many places are tried for a page.
const PLACES: u64 = 16;

/// How far the heap is given space to grow: beyond that libc's takes other memory.
const HEAP: u64 = 256 << 20;

/// The function whose moved code a call returns to.
#[inline(always)]
pub(super) fn function_before(moved: u64) -> u64 {
    // SAFETY: the entry of moved code was called from there; what is made has that word there.
    unsafe { *with_exposed_provenance::<u64>((moved - FUNCTION_BEFORE) as usize) }
}

/// Makes code for sites of an object that are wanted and have none yet: where their functions have a place
/// for the jump, and memory is free where that leads.
pub(super) fn make(object: &TracedObject) -> Result<(), NotApplied> {
    let sites = || object.sites.all().iter();
    let is_new = |site: &&TracedSite| site.is_wanted() && !site.entry.is_made();
    if !sites().any(|site| is_new(&site)) {
        return Ok(());
    }
    let Some(mut pages) = OpenPages::new(object.text.pages.clone()) else { return Ok(()) };
    for site in sites().filter(is_new) {
        let code = object.file.function_code(site.address.wrapping_sub(object.base));
        let function = FunctionCode { start: site.address, code };
        let points = entry_points(&function).into_iter().flatten();
        let made = points.into_iter().find_map(|point| {
            let code = function.code.get(point.offset..)?;
            let moved = pages.write(&function, &point, code)?;
            SiteEntry::new(&point, code, moved)
        });
        site.entry.choose(made);
    }
    let sealed = pages.seal();
    sites().for_each(|site| site.entry.keep(sealed.is_ok()));
    sealed
}

/// Pages that are being written.
struct OpenPages {
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
    fn new(text: Range<u64>) -> Option<OpenPages> {
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

    /// Writes code for a function, one of whose instructions `code` begins with. Where it is; None where
    /// there is no space for it.
    fn write(&mut self, function: &FunctionCode<'_>, point: &EntryPoint, code: &[u8]) -> Option<u64> {
        let instruction = function.start.wrapping_add(point.offset as u64);
        let targets = point.window.targets();
        let index = self.with_space(&targets).or_else(|| self.open(&point.window))?;
        let page = self.page(index)?;
        let at = page.place(&targets)?;
        let jumps = page.area.pages().start;
        let entry = if point.place == EntryPointPlace::First { jumps } else { jumps + JUMP_LEN as u64 };
        let moved = MovedInstruction::new(code, instruction, at + CALL)?;
        let end = at + CALL + moved.bytes().len() as u64 + planner::JUMP_LEN as u64;
        let call = relative(0xe8, at + CALL, entry)?;
        let back = relative(0xe9, end, instruction + point.len as u64)?;
        point.window.jump(at)?;
        let mut to = at - 16;
        let mut put = |bytes: &[u8]| {
            let is_written = page.area.write(to, bytes);
            to += bytes.len() as u64;
            is_written
        };
        let is_written = put(&function.start.to_le_bytes())
            && put(&(instruction + 1).to_le_bytes())
            && put(&call)
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
            false => self.page_in(&window.targets())?,
        };
        let start = area.pages().start;
        area.write(start, &jump(moved_entry::called_first as *const () as u64));
        area.write(start + JUMP_LEN as u64, &jump(moved_entry::called_later as *const () as u64));
        // SAFETY: within the table, after those that were written.
        unsafe { self.table.add(self.count).write(OpenPage { area, free: start + 2 * JUMP_LEN as u64 }) };
        self.count += 1;
        Some(self.count - 1)
    }

    /// A page at one of these addresses: one that is free, and stays so (M3).
    fn page_in(&self, targets: &Range<u64>) -> Option<CodeArea> {
        let first = targets.start.next_multiple_of(PAGE as u64);
        let last = targets.end.checked_sub(PAGE as u64)?;
        let step = (targets.end.saturating_sub(first) / PLACES).next_multiple_of(PAGE as u64);
        let places = (0..PLACES).map(|index| first.saturating_add(index * step));
        let is_ours = |start: &u64| {
            let end = start + PAGE as u64;
            *start <= last && (end <= self.heap.start || *start >= self.heap.end) && end <= self.stack
        };
        places.filter(is_ours).find_map(|start| CodeArea::at(start..start + PAGE as u64).ok())
    }

    /// Makes all of them code.
    fn seal(mut self) -> Result<(), NotApplied> {
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
    /// Where the next site's code may be, of these addresses.
    fn place(&self, targets: &Range<u64>) -> Option<u64> {
        let at = (self.free + 16).max(targets.start).next_multiple_of(8);
        (at < targets.end && at + CODE <= self.area.pages().end).then_some(at)
    }
}

/// An instruction that ends at `end` and leads to `target`.
fn relative(opcode: u8, end: u64, target: u64) -> Option<[u8; 5]> {
    let distance = i32::try_from(target.wrapping_sub(end).cast_signed()).ok()?;
    let [a, b, c, d] = distance.to_le_bytes();
    Some([opcode, a, b, c, d])
}
