//! Functions that are written byte by byte, into a file that is mapped like an object's text.

use core::ops::Range;
use core::ptr::null_mut;
use rustix::fd::OwnedFd;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use text_poke::Text;

/// Code that has been written, and isn't mapped yet.
#[derive(Debug)]
pub struct WrittenText {
    file: OwnedFd,
    len: usize,
}

impl WrittenText {
    /// These bytes.
    pub fn new(bytes: &[u8]) -> Result<WrittenText, String> {
        let file = memfd_create("text", MemfdFlags::CLOEXEC).map_err(|error| format!("memfd: {error}"))?;
        let written = rustix::io::pwrite(&file, bytes, 0).map_err(|error| format!("memfd: {error}"))?;
        if written < bytes.len() {
            return Err("memfd: no space".to_string());
        }
        Ok(WrittenText { file, len: bytes.len().next_multiple_of(shm::PAGE) })
    }

    /// Maps it, as the dynamic linker maps text: privately. All pages have been read.
    pub fn map(&self) -> Result<MappedText, String> {
        let (protection, flags) = (ProtFlags::READ | ProtFlags::EXEC, MapFlags::PRIVATE | MapFlags::POPULATE);
        // SAFETY: memory that nobody has.
        let mapped = unsafe { mmap(null_mut(), self.len, protection, flags, &self.file, 0) };
        let start = mapped.map_err(|error| format!("mmap: {error}"))?.expose_provenance() as u64;
        let pages = Range { start, end: start + self.len as u64 };
        Ok(MappedText { text: [Text { pages, is_writable: false }] })
    }
}

/// Code that can be executed, until this is dropped.
#[derive(Debug)]
pub struct MappedText {
    pub text: [Text; 1],
}

impl MappedText {
    /// Where it begins.
    pub fn address(&self) -> u64 {
        self.text[0].pages.start
    }

    /// Calls the function of one argument at `offset`.
    ///
    /// # Safety
    ///
    /// There is one, which takes and leaves registers as the ABI has it.
    pub unsafe fn call(&self, offset: usize, argument: u64) {
        let function = core::ptr::with_exposed_provenance::<()>(self.address() as usize + offset);
        // SAFETY: the caller's promise.
        unsafe { core::mem::transmute::<*const (), extern "C" fn(u64)>(function)(argument) }
    }
}

impl Drop for MappedText {
    fn drop(&mut self) {
        let Range { start, end } = self.text[0].pages;
        // SAFETY: whoever executes it borrows this.
        let _ =
            unsafe { munmap(core::ptr::with_exposed_provenance_mut(start as usize), (end - start) as usize) };
    }
}
