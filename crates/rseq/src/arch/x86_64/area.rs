//! Where libc keeps the area of the calling thread.

use core::arch::{asm, global_asm};

// glibc has these two since 2.35. Weak, so that the library loads where they are missing.
global_asm!(".weak __rseq_offset", ".weak __rseq_size");

/// The address at this offset from the thread pointer.
#[inline(always)]
pub(crate) fn at_thread_pointer(offset: isize) -> *mut u8 {
    let address;
    // SAFETY: the ABI keeps the thread pointer's own address at fs:0.
    unsafe {
        asm!("add {}, fs:[0]", inlateout(reg) offset => address, options(pure, readonly, nostack));
    }
    address
}

/// `__rseq_offset`, if libc has it.
#[inline(always)]
pub(crate) fn area_offset() -> Option<isize> {
    let offset: *const isize;
    // SAFETY: reads the linker's entry for the symbol: its address, or null.
    unsafe {
        asm!("mov {}, qword ptr [rip + __rseq_offset@GOTPCREL]", out(reg) offset,
            options(pure, readonly, nostack, preserves_flags));
    }
    // SAFETY: not null, so it is libc's constant.
    (!offset.is_null()).then(|| unsafe { *offset })
}

/// The calling thread's area, if libc has one.
#[inline(always)]
pub(crate) fn thread_area() -> Option<*mut u8> {
    area_offset().map(at_thread_pointer)
}
