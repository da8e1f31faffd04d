//! The functions that the kernel gets as handlers, see [`crate::preload::signal::handler`].
//!
//! # Safety
//!
//! The kernel calls a thunk as a handler with `SA_SIGINFO`, or whoever handles signals between us and it
//! does. All registers that a handler gets reach the program's handler as they were.

use super::resting::rests_at_77;
use crate::preload::signal::action::THUNKS;
use crate::preload::signal::deliver::{delivered, handler_returned};
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
        "lea r8, [rsp + 24]",   // where the handler's return address is
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

/// Where in [`returned`] a handler returns to.
pub(crate) const RETURNED: usize = 1;

/// Where a handler returns to: to libc's code that calls sigreturn(2), after that was said. To unwinders and
/// debuggers it is as that: the frame of a signal, whose registers are in the context at the stack pointer.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn returned() {
    naked_asm!(
        ".cfi_startproc simple",
        ".cfi_signal_frame",
        // DW_CFA_def_cfa_expression: DW_OP_breg7 gregs[RSP], DW_OP_deref
        ".cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 0x06",
        // DW_CFA_expression: a register by DWARF's number, DW_OP_breg7 its place
        ".cfi_escape 0x10, 8, 2, 0x77, 0x28",
        ".cfi_escape 0x10, 9, 2, 0x77, 0x30",
        ".cfi_escape 0x10, 10, 2, 0x77, 0x38",
        ".cfi_escape 0x10, 11, 3, 0x77, 0xc0, 0",
        ".cfi_escape 0x10, 12, 3, 0x77, 0xc8, 0",
        ".cfi_escape 0x10, 13, 3, 0x77, 0xd0, 0",
        ".cfi_escape 0x10, 14, 3, 0x77, 0xd8, 0",
        ".cfi_escape 0x10, 15, 3, 0x77, 0xe0, 0",
        ".cfi_escape 0x10, 5, 3, 0x77, 0xe8, 0",
        ".cfi_escape 0x10, 4, 3, 0x77, 0xf0, 0",
        ".cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0",
        ".cfi_escape 0x10, 3, 3, 0x77, 0x80, 1",
        ".cfi_escape 0x10, 1, 3, 0x77, 0x88, 1",
        ".cfi_escape 0x10, 0, 3, 0x77, 0x90, 1",
        ".cfi_escape 0x10, 2, 3, 0x77, 0x98, 1",
        ".cfi_escape 0x10, 7, 3, 0x77, 0xa0, 1",
        ".cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1",
        // Unwinders look one byte before an address that is returned to.
        "nop",
        "77:",
        rests_at_77!("0"),
        "mov rdi, rsp",
        "call {returned}",      // rax: libc's code
        "jmp rax",
        ".cfi_endproc",
        returned = sym handler_returned,
    )
}
