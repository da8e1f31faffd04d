//! dlopen(3) in the place of libc's, where something is to be done when it has returned.
//!
//! In assembly, as exceptions of the constructors that it calls leave through it.
//!
//! # Safety
//!
//! It is called as dlopen(3) is, once the address of that is known.

use super::resting::rests_at_77;
use crate::preload::function::{OPEN_REAL, has_opened};
use core::arch::naked_asm;

/// Calls libc's function, then [`has_opened`], and returns what the first has.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn open_and_bind() {
    naked_asm!(
        ".cfi_startproc",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "call qword ptr [rip + {real}]",
        "77:",
        rests_at_77!("8"),
        "mov [rsp], rax",
        "mov rdi, rax",
        "call {has_opened}",
        "pop rax",
        ".cfi_adjust_cfa_offset -8",
        "ret",
        ".cfi_endproc",
        real = sym OPEN_REAL,
        has_opened = sym has_opened,
    )
}
