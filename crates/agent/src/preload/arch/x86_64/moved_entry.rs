//! What functions call whose instruction was moved: from the code that it was moved to, before it.
//!
//! Meanwhile the address that is returned to is one within the function's own code, where its instruction
//! was: unwinders know the stack there, and nothing of moved code. See
//! [`moved_code`](crate::preload::function::moved_code).
//!
//! # Safety
//!
//! Nothing but moved code calls it. No register may be changed; flags may, as none are in use there.

use super::function_entry::go_on;
use super::saved_registers::{begin_frame, pop_registers, push_registers, restore_vectors, save_vectors};
use crate::preload::function::moved_code::WITHIN_BEFORE;
use crate::preload::function::{record_moved, record_moved_in_body};
use core::arch::naked_asm;

/// Keeps the address of the moved code below the registers, and has the frame return to the function's own.
macro_rules! begin_moved {
    () => {
        "mov rcx, [rbp + 8]
        push rcx
        mov rcx, [rcx - {within}]
        mov [rbp + 8], rcx
        mov rdi, rsp"
    };
}

/// Has the frame return to the moved code again.
macro_rules! end_moved {
    () => {
        "mov rcx, [rbp - 80]
        mov [rbp + 8], rcx"
    };
}

/// Records the call of a function at its first instruction, and goes on there or by a call slot, as
/// [`called`](super::function_entry::called).
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn called_first() {
    naked_asm!(
        ".cfi_startproc",
        begin_frame!(),
        push_registers!(rax rcx rdx rsi rdi r8 r9 r10 r11),
        begin_moved!(),
        save_vectors!(),
        "call {record}",
        restore_vectors!(),
        end_moved!(),
        "lea rsp, [rbp - 72]",
        go_on!(),
        ".cfi_endproc",
        record = sym record_moved,
        within = const WITHIN_BEFORE,
    )
}

/// Records the call of a function that has begun, and goes on there.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn called_later() {
    naked_asm!(
        ".cfi_startproc",
        begin_frame!(),
        push_registers!(rax rcx rdx rsi rdi r8 r9 r10 r11),
        begin_moved!(),
        save_vectors!(),
        "call {record}",
        restore_vectors!(),
        end_moved!(),
        "lea rsp, [rbp - 72]",
        pop_registers!(r11 r10 r9 r8 rdi rsi rdx rcx rax rbp),
        ".cfi_def_cfa rsp, 8",
        ".cfi_restore rbp",
        "ret",
        ".cfi_endproc",
        record = sym record_moved_in_body,
        within = const WITHIN_BEFORE,
    )
}
