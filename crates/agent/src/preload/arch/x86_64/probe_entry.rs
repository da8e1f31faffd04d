//! What instructions call that a probe is at: from the code that they were moved to, before them.
//!
//! That has moved the stack pointer past what the function may have below it. Meanwhile the address that is
//! returned to is one within the instruction: unwinders know the stack there.
//!
//! # Safety
//!
//! Nothing but moved code calls it. No register may be changed, nor any flag.

use super::saved_registers::{pop_registers, push_registers, restore_vectors, save_vectors};
use crate::preload::function::moved_site::PROBE_WITHIN_BEFORE;
use crate::preload::function::record_anywhere;
use core::arch::naked_asm;

/// Records what probes want there, and goes on.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn called() {
    naked_asm!(
        ".cfi_startproc",
        // The caller's frame is above what was left out.
        ".cfi_def_cfa rsp, 136",
        ".cfi_offset rip, -136",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_offset rbp, -144",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "pushfq",
        push_registers!(rax rcx rdx rbx rsi rdi r8 r9 r10 r11 r12 r13 r14 r15),
        "mov rcx, [rbp + 8]",
        "push rcx",
        "mov rcx, [rcx - {within}]",
        "mov [rbp + 8], rcx",
        "mov rdi, rsp",
        "cld",
        save_vectors!(),
        "call {record}",
        restore_vectors!(),
        "mov rcx, [rbp - 128]",
        "mov [rbp + 8], rcx",
        "lea rsp, [rbp - 120]",
        pop_registers!(r15 r14 r13 r12 r11 r10 r9 r8 rdi rsi rbx rdx rcx rax),
        "popfq",
        "pop rbp",
        ".cfi_def_cfa rsp, 136",
        ".cfi_restore rbp",
        "ret",
        ".cfi_endproc",
        record = sym record_anywhere,
        within = const PROBE_WITHIN_BEFORE,
    )
}
