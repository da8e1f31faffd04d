//! Where this object itself is mapped, and the program.

use crate::preload::arch::linker;
use crate::preload::object::borrowed::auxiliary;
use crate::preload::object::elf::base_of_program;
use core::ffi::{CStr, c_char};
use core::ops::Range;
use core::slice::from_raw_parts;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;
use libc::{Elf64_Phdr, PF_R, PT_LOAD};
use shm::PAGE;
use trace_event::lasts;

/// The addresses of this object, from its first to its last.
pub(crate) fn span() -> Range<usize> {
    let Range { start, end } = linker::own_object();
    start & !(PAGE - 1)..end.next_multiple_of(PAGE)
}

/// The program's segments that can be read: most have three or four. Start and end of each; 0 after the last.
static SEGMENTS: [[AtomicUsize; 2]; 6] = [const { [const { AtomicUsize::new(0) }; 2] }; 6];

/// Notes where the program's segments are, as the kernel has mapped them.
pub(crate) fn remember_program() {
    let (headers, count) = (auxiliary(libc::AT_PHDR), auxiliary(libc::AT_PHNUM));
    if headers == 0 {
        return;
    }
    // SAFETY: the kernel says where the program's headers are; they are mapped with it.
    let headers = unsafe { from_raw_parts(headers as usize as *const Elf64_Phdr, count as usize) };
    let base = base_of_program(headers) as usize;
    let readable = headers.iter().filter(|header| header.p_type == PT_LOAD && header.p_flags & PF_R != 0);
    for ([start, end], header) in SEGMENTS.iter().zip(readable) {
        let first = base.wrapping_add(header.p_vaddr as usize);
        let pages = first & !(PAGE - 1)..first.wrapping_add(header.p_memsz as usize).next_multiple_of(PAGE);
        start.store(pages.start, Relaxed);
        end.store(pages.end, Relaxed);
        if header.p_flags == PF_R {
            // The last such segment is where linkers put constant texts.
            lasts(&pages);
        }
    }
}

/// The path that was executed, as it was given.
pub(crate) fn program() -> &'static CStr {
    match auxiliary(libc::AT_EXECFN) as usize as *const c_char {
        path if path.is_null() => c"",
        // SAFETY: the kernel keeps the text on the stack, for good.
        path => unsafe { CStr::from_ptr(path) },
    }
}

/// The program's segment that an address is in, in whole pages: so the kernel has mapped it. None for another
/// address.
///
/// It can be read, unless the program has unmapped a part of itself.
pub(crate) fn segment_of(address: usize) -> Option<Range<usize>> {
    let segments = SEGMENTS.iter().map(|[start, end]| start.load(Relaxed)..end.load(Relaxed));
    segments.into_iter().find(|segment| segment.contains(&address))
}
