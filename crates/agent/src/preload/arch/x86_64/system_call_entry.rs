//! What instructions around system calls call: from the code that they were moved to, after them where a call
//! begins, before them where it ends.
//!
//! As in `probe_entry.rs`. The kernel keeps the same registers as the functions that are called here, but for
//! those that it uses itself.
//!
//! # Safety
//!
//! Nothing but moved code calls it. No register may be changed, nor any flag.

use super::saved_registers::record_in_middle;
use crate::preload::function::moved_site::PROBE_WITHIN_BEFORE;
use crate::preload::function::{quick, record_system_call};
use core::arch::naked_asm;

/// Records the call, and goes on.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn called() {
    naked_asm!(
        ".cfi_startproc",
        record_in_middle!(
            [rax rcx rdx rsi rdi r8 r9 r10 r11],
            [r11 r10 r9 r8 rdi rsi rdx rcx rax]
        ),
        ".cfi_endproc",
        quick = sym quick::record_system_call,
        not_recorded = const quick::NOT_RECORDED,
        record = sym record_system_call,
        within = const PROBE_WITHIN_BEFORE,
        registers = const 80,
        moved = const 88,
    )
}
