//! The objects of the process, as the dynamic linker has mapped them: where they are, their build ids.
//!
//! Everything is read where it lies in memory.

use core::ffi::CStr;
use core::ops::Range;
use core::ptr::with_exposed_provenance;
use libc::{
    Elf64_Ehdr, Elf64_Phdr, PF_W, PF_X, PT_DYNAMIC, PT_GNU_RELRO, PT_LOAD, PT_NOTE, PT_PHDR, dl_phdr_info,
};
use shm::PAGE;
use text_poke::Text;

/// An object that is mapped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoadedObject<'a> {
    /// What is added to its own addresses.
    pub(crate) base: u64,
    /// Its path; empty for the program itself.
    pub(crate) path: &'a CStr,
    headers: &'a [Elf64_Phdr],
}

/// What is added to the addresses of the program whose headers the kernel has mapped there.
///
/// Static programs have no header that says where they were to be, but all start with the file's header,
/// which these follow.
pub(crate) fn base_of_program(headers: &[Elf64_Phdr]) -> u64 {
    let address = headers.as_ptr().addr() as u64;
    let known = headers.iter().find(|header| header.p_type == PT_PHDR).map(|own| own.p_vaddr);
    let follows = || {
        let first = headers.iter().find(|header| header.p_type == PT_LOAD && header.p_offset == 0)?;
        Some(first.p_vaddr + size_of::<Elf64_Ehdr>() as u64)
    };
    known.or_else(follows).map_or(0, |own| address.wrapping_sub(own))
}

impl<'a> LoadedObject<'a> {
    /// The object that `dl_iterate_phdr` reports.
    ///
    /// # Safety
    ///
    /// `info` is what `dl_iterate_phdr` gives its callback.
    pub(crate) unsafe fn of(info: *const dl_phdr_info) -> LoadedObject<'a> {
        // SAFETY: the caller's promise. The name is never null.
        unsafe {
            let headers = core::slice::from_raw_parts((*info).dlpi_phdr, (*info).dlpi_phnum.into());
            LoadedObject { base: (*info).dlpi_addr, path: CStr::from_ptr((*info).dlpi_name), headers }
        }
    }

    /// The object whose first byte is at an address.
    ///
    /// # Safety
    ///
    /// It is mapped there as a whole, was linked for address 0, and is never unmapped.
    pub(crate) unsafe fn at(start: usize) -> LoadedObject<'static> {
        let file = with_exposed_provenance::<Elf64_Ehdr>(start);
        // SAFETY: the caller's promise: it begins with its header, which says where the others are.
        let headers = unsafe {
            let first = with_exposed_provenance(start.wrapping_add((*file).e_phoff as usize));
            core::slice::from_raw_parts(first, (*file).e_phnum.into())
        };
        LoadedObject { base: start as u64, path: c"", headers }
    }

    fn headers_of(&self, kind: u32) -> impl Iterator<Item = &Elf64_Phdr> {
        self.headers.iter().filter(move |header| header.p_type == kind)
    }

    /// The lowest address of its segments and the one after the highest, before `base` is added.
    pub(crate) fn span(&self) -> (u64, u64) {
        let low = self.headers_of(PT_LOAD).map(|header| header.p_vaddr).min();
        let high = self.headers_of(PT_LOAD).map(|header| header.p_vaddr + header.p_memsz).max();
        (low.unwrap_or(0), high.unwrap_or(0))
    }

    /// Its first segment with code: whole pages.
    pub(crate) fn text(&self) -> Option<Text> {
        let header = self.headers_of(PT_LOAD).find(|header| header.p_flags & PF_X != 0)?;
        let start = self.base.wrapping_add(header.p_vaddr);
        let end = start.wrapping_add(header.p_memsz).next_multiple_of(PAGE as u64);
        let pages = start & !(PAGE as u64 - 1)..end;
        Some(Text { pages, is_writable: header.p_flags & PF_W != 0 })
    }

    /// Whether `address` is in it.
    pub(crate) fn contains(&self, address: usize) -> bool {
        let (low, high) = self.span();
        let address = (address as u64).wrapping_sub(self.base);
        (low..high).contains(&address)
    }

    /// Its dynamic section. None where it has none.
    pub(crate) fn dynamic(&self) -> Option<*const [u64; 2]> {
        let header = self.headers_of(PT_DYNAMIC).next()?;
        Some(with_exposed_provenance(self.base.wrapping_add(header.p_vaddr) as usize))
    }

    /// Whether it has a segment of data at an address: that can be written, unless it is
    /// [`LoadedObject::read_only_pages`].
    pub(crate) fn is_data(&self, address: usize) -> bool {
        let address = (address as u64).wrapping_sub(self.base);
        self.headers_of(PT_LOAD)
            .filter(|header| header.p_flags & PF_W != 0)
            .any(|header| (header.p_vaddr..header.p_vaddr + header.p_memsz).contains(&address))
    }

    /// The pages of its data that the dynamic linker has made read-only once it had relocated them.
    pub(crate) fn read_only_pages(&self) -> Range<usize> {
        let range = self.headers_of(PT_GNU_RELRO).next().map(|header| {
            let start = self.base.wrapping_add(header.p_vaddr) as usize;
            start & !(PAGE - 1)..start.wrapping_add(header.p_memsz as usize) & !(PAGE - 1)
        });
        range.unwrap_or(0..0)
    }

    /// Its build id; empty when it has none.
    pub(crate) fn build_id(&self) -> &'a [u8] {
        self.headers_of(PT_NOTE).find_map(|header| self.build_id_in(header)).unwrap_or_default()
    }

    fn build_id_in(&self, header: &Elf64_Phdr) -> Option<&'a [u8]> {
        const GNU_BUILD_ID: u32 = 3;
        let address = (self.base + header.p_vaddr) as usize as *const u8;
        // SAFETY: the dynamic linker has mapped the segment.
        let mut notes = unsafe { core::slice::from_raw_parts(address, header.p_filesz as usize) };
        loop {
            let (sizes, rest) = notes.split_first_chunk::<12>()?;
            let word = |at: usize| {
                let bytes = sizes.get(at..).and_then(|bytes| bytes.first_chunk());
                bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
            };
            let (name_len, text_len) = (word(0) as usize, word(4) as usize);
            let (name, rest) = rest.split_at_checked(name_len.checked_next_multiple_of(4)?)?;
            let (text, rest) = rest.split_at_checked(text_len.checked_next_multiple_of(4)?)?;
            if word(8) == GNU_BUILD_ID && name == b"GNU\0" {
                return text.get(..text_len);
            }
            notes = rest;
        }
    }
}
