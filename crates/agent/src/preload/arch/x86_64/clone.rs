//! The first instructions of a child that clone(2) has made.
//!
//! # Safety
//!
//! The child of a clone(2) starts here, with what its parent has left for it as its argument. The parent
//! waits or has given it a copy, so that is still there.

use crate::preload::process::clone_start::{CloneStart, begin_clone};
use core::arch::naked_asm;
use core::mem::offset_of;

/// The first function of such a child.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn clone_started(_start: &CloneStart) -> i32 {
    naked_asm!(
        ".cfi_startproc",
        "push rdi",
        ".cfi_adjust_cfa_offset 8",
        "call {begin}",
        "pop rdi",
        ".cfi_adjust_cfa_offset -8",
        "mov rax, [rdi + {START}]",
        "mov rdi, [rdi + {ARGUMENT}]",
        "jmp rax",
        ".cfi_endproc",
        begin = sym begin_clone,
        START = const offset_of!(CloneStart, start),
        ARGUMENT = const offset_of!(CloneStart, argument),
    )
}
