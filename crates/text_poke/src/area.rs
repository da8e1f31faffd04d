//! Memory for code that sites call: near their text, or where a punned call leads.

use crate::apply::NotApplied;
use core::ops::Range;
use core::ptr::with_exposed_provenance_mut;
use rustix::io::Errno;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// Pages that can be written, and not executed until they are sealed. Unless that happens they are unmapped.
#[derive(Debug)]
pub struct CodeArea {
    pages: Range<u64>,
}

/// The distances from a text at which space is looked for: this, and so often twice the one before.
const NEAREST: u64 = 1 << 16;
const DOUBLINGS: u32 = 14;

/// How many bytes [`jump`] has.
pub const JUMP_LEN: usize = 14;

/// The instruction that jumps to `target`, wherever that is, and leaves all registers as they are.
pub fn jump(target: u64) -> [u8; JUMP_LEN] {
    let mut bytes = [0; JUMP_LEN];
    // jmp [rip + 0], and what is there.
    for (place, byte) in
        bytes.iter_mut().zip([0xff, 0x25, 0, 0, 0, 0].into_iter().chain(target.to_le_bytes()))
    {
        *place = byte;
    }
    bytes
}

impl CodeArea {
    /// `len` bytes, of whole pages, that every call in `text` reaches. None where there is no space.
    ///
    /// They are below the text if that can be, as a program's heap grows above it, else as far above it as
    /// they are reached. Cost: a system call for each place that is tried, mostly one, 30 at most.
    pub fn near(text: &Range<u64>, len: u64) -> Option<CodeArea> {
        let distances = || (0..=DOUBLINGS).map(|doubling| NEAREST << doubling);
        let below = distances().filter_map(|distance| text.start.checked_sub(distance)?.checked_sub(len));
        let above = distances().rev().filter_map(|distance| text.end.checked_add(distance));
        let reach = i32::MAX as u64;
        let is_reached = |start: &u64| {
            let end = start.saturating_add(len);
            text.end.saturating_sub(*start) < reach && end.saturating_sub(text.start) < reach
        };
        let reached = below.chain(above).filter(is_reached);
        reached.filter_map(|start| CodeArea::at(start..start + len).ok()).next()
    }

    /// These pages, if nothing is there yet.
    pub fn at(pages: Range<u64>) -> Result<CodeArea, Errno> {
        let (start, len) = pointer(&pages);
        let flags = MapFlags::PRIVATE | MapFlags::FIXED_NOREPLACE;
        // SAFETY: the kernel maps nothing over what is there.
        let mapped = unsafe { mmap_anonymous(start, len, ProtFlags::READ | ProtFlags::WRITE, flags) }?;
        let mapped = mapped.expose_provenance() as u64;
        let area = CodeArea { pages: mapped..mapped.wrapping_add(len as u64) };
        // A kernel that doesn't know the flag takes the address for a hint.
        if area.pages.start == pages.start { Ok(area) } else { Err(Errno::EXIST) }
    }

    /// Its addresses.
    pub fn pages(&self) -> &Range<u64> {
        &self.pages
    }

    /// Writes code at `address`. False where that is not within the area.
    pub fn write(&mut self, address: u64, code: &[u8]) -> bool {
        let end = address.checked_add(code.len() as u64);
        let is_within = address >= self.pages.start && end.is_some_and(|end| end <= self.pages.end);
        if is_within {
            let place = with_exposed_provenance_mut::<u8>(address as usize);
            // SAFETY: within the pages, which can be written, and which nobody else knows.
            unsafe { place.copy_from_nonoverlapping(code.as_ptr(), code.len()) };
        }
        is_within
    }

    /// Makes it code: it can't be written from now on, and is never unmapped. Its addresses.
    pub fn seal(self) -> Result<Range<u64>, NotApplied> {
        let (start, len) = pointer(&self.pages);
        // SAFETY: nobody else knows the pages.
        let sealed = unsafe { mprotect(start, len, MprotectFlags::READ | MprotectFlags::EXEC) };
        sealed.map_err(|error| NotApplied::Forbidden { text: self.pages.start, error })?;
        let pages = self.pages.clone();
        core::mem::forget(self);
        Ok(pages)
    }
}

impl Drop for CodeArea {
    fn drop(&mut self) {
        let (start, len) = pointer(&self.pages);
        // SAFETY: nobody else knows the pages.
        let _ = unsafe { munmap(start, len) };
    }
}

fn pointer(pages: &Range<u64>) -> (*mut core::ffi::c_void, usize) {
    let len = pages.end.saturating_sub(pages.start) as usize;
    (with_exposed_provenance_mut(pages.start as usize), len)
}
