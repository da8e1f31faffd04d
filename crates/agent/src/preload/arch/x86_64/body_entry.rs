//! What traced functions call at sites in their body: calls of `mcount`, and sites of attributes.
//!
//! # Safety
//!
//! A compiler has left the site for a call that changes no register but the flags.

use super::vector_registers::{restore_vectors, save_vectors};
use crate::preload::function::record_in_body;
use core::arch::naked_asm;

/// Records the call, and returns to the function. The stack is the function's own, with the return address to
/// it on top.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn called() {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbp, 0",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "push rax",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "push r8",
        "push r9",
        "push r10",
        "push r11",
        "lea rdi, [rbp - 72]",
        save_vectors!(),
        "call {record}",
        restore_vectors!(),
        "lea rsp, [rbp - 72]",
        "pop r11",
        "pop r10",
        "pop r9",
        "pop r8",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop rax",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        ".cfi_restore rbp",
        "ret",
        ".cfi_endproc",
        record = sym record_in_body,
    )
}
