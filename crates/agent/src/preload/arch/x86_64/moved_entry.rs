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
use super::saved_registers::{begin_frame, call_quick, call_saved, end_frame, push_all};
use crate::preload::function::moved_site::WITHIN_BEFORE;
use crate::preload::function::{quick, record_moved, record_moved_in_body};
use core::arch::naked_asm;

/// Saves all registers, and calls what records. The address of the moved code is below the registers then,
/// and the frame returns to the function's own code. Afterwards all is as before but that the registers are
/// still on the stack.
macro_rules! record {
    () => {
        concat!(
            begin_frame!(),
            "\n",
            push_all!(),
            "mov rcx, [rbp + 8]
            push rcx
            mov rcx, [rcx - {within}]
            mov [rbp + 8], rcx
            mov rdi, rsp\n",
            call_quick!(),
            "cmp rax, {not_recorded}
            jne 5f
            lea rdi, [rbp - 80]\n",
            call_saved!(),
            "5:
            mov rcx, [rbp - 80]
            mov [rbp + 8], rcx
            lea rsp, [rbp - 72]",
        )
    };
}

/// Records the call of a function at its first instruction, and goes on there or by a call slot, as
/// [`called`](super::function_entry::called).
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn called_first() {
    naked_asm!(
        ".cfi_startproc",
        record!(),
        go_on!(),
        ".cfi_endproc",
        quick = sym quick::record_moved,
        not_recorded = const quick::NOT_RECORDED,
        record = sym record_moved,
        within = const WITHIN_BEFORE,
    )
}

/// Records the call of a function that has begun, and goes on there.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn called_later() {
    naked_asm!(
        ".cfi_startproc",
        record!(),
        end_frame!(),
        "ret",
        ".cfi_endproc",
        quick = sym quick::record_moved_in_body,
        not_recorded = const quick::NOT_RECORDED,
        record = sym record_moved_in_body,
        within = const WITHIN_BEFORE,
    )
}
