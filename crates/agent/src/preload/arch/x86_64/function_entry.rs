//! What traced functions call at their entry.
//!
//! # Safety
//!
//! A function calls it before anything else, or a compiler's call of `mcount` is made to call it. No register
//! may be changed, whatever its calling convention: callers that know a function rely on which ones it uses.

use super::saved_registers::{begin_frame, call_quick, call_saved, push_all};
use crate::preload::function::{quick, record};
use core::arch::naked_asm;

/// Restores the registers that were pushed below the frame, and goes on in the function, or by a call slot
/// whose code is at `rax`. The stack is as the function's caller has left it then.
macro_rules! go_on {
    () => {
        concat!(
            "test rax, rax\n",
            "jnz 2f\n",
            ".cfi_remember_state\n",
            $crate::preload::arch::x86_64::saved_registers::end_frame!(),
            "ret\n",
            // By a slot: its code's address goes where the red zone is when all else is as it was.
            "2:\n",
            ".cfi_restore_state\n",
            ".cfi_remember_state\n",
            "mov [rbp - 80], rax\n",
            "xor eax, eax\n",
            "rdsspq rax\n",
            "test rax, rax\n",
            "jnz 3f\n",
            $crate::preload::arch::x86_64::saved_registers::end_frame!(),
            // By a return: so the processor expects no other one to where the site has called from, and all
            // that follow go where it expects them. What is to return to the slot, as its caller, is where
            // the stack pointer then has just passed.
            "push [rsp - 88]\n",
            ".cfi_adjust_cfa_offset 8\n",
            "ret 16\n",
            // Where there is a shadow stack by a jump, and the site's address goes of that.
            "3:\n",
            ".cfi_restore_state\n",
            "mov eax, 1\n",
            "incsspq rax\n",
            $crate::preload::arch::x86_64::saved_registers::end_frame!(),
            "lea rsp, [rsp + 16]\n",
            ".cfi_def_cfa_offset 0\n",
            "jmp [rsp - 104]\n",
        )
    };
}

pub(super) use go_on;

/// Records the call, and returns to the function, or enters it by a call slot
/// ([`crate::preload::arch::call_slots`]). The stack is as the function's caller has left it, with two return
/// addresses: to the function, and to its caller.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn called() {
    naked_asm!(
        ".cfi_startproc",
        // The function that has called is seen as if it had not: its frame is this one's caller's.
        begin_frame!(),
        push_all!(),
        "lea rdi, [rbp - 72]",
        call_quick!(),
        "cmp rax, {not_recorded}",
        "jne 5f",
        "lea rdi, [rbp - 72]",
        call_saved!(),
        "5:",
        "lea rsp, [rbp - 72]",
        go_on!(),
        ".cfi_endproc",
        quick = sym quick::record,
        not_recorded = const quick::NOT_RECORDED,
        record = sym record,
    )
}
