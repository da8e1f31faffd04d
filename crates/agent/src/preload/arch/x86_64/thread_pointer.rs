//! The thread pointer.

use core::arch::asm;

/// What libc's descriptor of the calling thread is found by.
pub(crate) fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: the thread pointer's first word is itself.
    unsafe { asm!("mov {0}, fs:[0]", out(reg) pointer, options(pure, readonly, nostack, preserves_flags)) };
    pointer
}
