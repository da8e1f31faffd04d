//! The functions that the kernel gets as handlers, see [`crate::preload::signal::handler`].
//!
//! # Safety
//!
//! The kernel calls a thunk as a handler with `SA_SIGINFO`, or whoever handles signals between us and it
//! does. All registers that a handler gets reach the program's handler as they were.

use crate::preload::signal::deliver::{THUNKS, delivered};
use core::arch::naked_asm;

/// Bytes of a thunk's code.
pub(crate) const THUNK_SIZE: usize = 16;

/// The thunks, each with its number in eax.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn thunks() {
    naked_asm!(
        ".cfi_startproc",
        ".set lookback_thunk, 0",
        ".rept {THUNKS}",
        ".byte 0xb8",               // mov eax,
        ".long lookback_thunk",
        ".byte 0xe9",               // jmp
        ".long {deliver} - . - 4",
        ".balign {SIZE}",
        ".set lookback_thunk, lookback_thunk + 1",
        ".endr",
        ".cfi_endproc",
        THUNKS = const THUNKS,
        SIZE = const THUNK_SIZE,
        deliver = sym deliver,
    )
}

/// What all thunks jump to. The handler gets the registers and the stack that the kernel has made for it.
#[unsafe(naked)]
unsafe extern "C" fn deliver() {
    naked_asm!(
        ".cfi_startproc",
        "push rdi",
        ".cfi_adjust_cfa_offset 8",
        "push rsi",
        ".cfi_adjust_cfa_offset 8",
        "push rdx",
        ".cfi_adjust_cfa_offset 8",
        "mov ecx, eax",
        "call {delivered}",     // rax: the program's handler
        "pop rdx",
        ".cfi_adjust_cfa_offset -8",
        "pop rsi",
        ".cfi_adjust_cfa_offset -8",
        "pop rdi",
        ".cfi_adjust_cfa_offset -8",
        "mov r11, rax",
        "xor eax, eax",
        "jmp r11",
        ".cfi_endproc",
        delivered = sym delivered,
    )
}
