//! What instructions around system calls call: from the code that they were moved to, after them where a call
//! begins, before them where it ends.
//!
//! As in `probe_entry.rs`. The kernel keeps the same registers as the functions that are called here, but for
//! those that it uses itself.
//!
//! # Safety
//!
//! Nothing but moved code calls it. No register may be changed, nor any flag.

use super::saved_registers::{pop_registers, push_all, restore_vectors, save_vectors};
use crate::preload::function::moved_site::PROBE_WITHIN_BEFORE;
use crate::preload::function::record_system_call;
use core::arch::naked_asm;

/// Records the call, and goes on.
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
        push_all!(),
        "mov rcx, [rbp + 8]",
        "push rcx",
        "mov rcx, [rcx - {within}]",
        "mov [rbp + 8], rcx",
        "mov rdi, rsp",
        "cld",
        save_vectors!(),
        "call {record}",
        restore_vectors!(),
        "mov rcx, [rbp - 88]",
        "mov [rbp + 8], rcx",
        "lea rsp, [rbp - 80]",
        pop_registers!(r11 r10 r9 r8 rdi rsi rdx rcx rax),
        "popfq",
        "pop rbp",
        ".cfi_def_cfa rsp, 136",
        ".cfi_restore rbp",
        "ret",
        ".cfi_endproc",
        record = sym record_system_call,
        within = const PROBE_WITHIN_BEFORE,
    )
}
