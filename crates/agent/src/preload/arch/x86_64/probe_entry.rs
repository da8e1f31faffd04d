//! What instructions call that a probe is at: from the code that they were moved to, before them.
//!
//! That has moved the stack pointer past what the function may have below it. Meanwhile the address that is
//! returned to is one within the instruction: unwinders know the stack there.
//!
//! # Safety
//!
//! Nothing but moved code calls it. No register may be changed, nor any flag.

use super::saved_registers::record_in_middle;
use crate::preload::function::moved_site::PROBE_WITHIN_BEFORE;
use crate::preload::function::{quick, record_anywhere};
use core::arch::naked_asm;

/// Records what probes want there, and goes on.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn called() {
    naked_asm!(
        ".cfi_startproc",
        record_in_middle!(
            [rax rcx rdx rbx rsi rdi r8 r9 r10 r11 r12 r13 r14 r15],
            [r15 r14 r13 r12 r11 r10 r9 r8 rdi rsi rbx rdx rcx rax]
        ),
        ".cfi_endproc",
        quick = sym quick::record_anywhere,
        not_recorded = const quick::NOT_RECORDED,
        record = sym record_anywhere,
        within = const PROBE_WITHIN_BEFORE,
        registers = const 120,
        moved = const 128,
    )
}
