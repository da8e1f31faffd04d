//! What traced functions call at their entry.
//!
//! # Safety
//!
//! A function calls it before anything else, or a compiler's call of `mcount` is made to call it. No register
//! may be changed, whatever its calling convention: callers that know a function rely on which ones it uses.

use super::saved_registers::{begin_frame, pop_registers, push_registers, restore_vectors, save_vectors};
use crate::preload::function::record;
use core::arch::naked_asm;

/// Records the call, and returns to the function, or enters it by a call slot
/// ([`crate::preload::arch::call_slots`]). The stack is as the function's caller has left it, with two return
/// addresses: to the function, and to its caller.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn called() {
    naked_asm!(
        ".cfi_startproc",
        // The function that has called is seen as if it had not: its frame is this one's caller's.
        begin_frame!(),
        push_registers!(rax rcx rdx rsi rdi r8 r9 r10 r11),
        "lea rdi, [rbp - 72]",
        save_vectors!(),
        "call {record}",
        restore_vectors!(),
        "lea rsp, [rbp - 72]",
        "test rax, rax",
        "jnz 2f",
        pop_registers!(r11 r10 r9 r8 rdi rsi rdx rcx rax rbp),
        ".cfi_remember_state",
        ".cfi_def_cfa rsp, 8",
        ".cfi_restore rbp",
        "ret",
        // By a slot: its code's address goes where the red zone is when all else is as it was.
        "2:",
        ".cfi_restore_state",
        ".cfi_remember_state",
        "mov [rbp - 80], rax",
        "xor eax, eax",
        "rdsspq rax",
        "test rax, rax",
        "jnz 3f",
        pop_registers!(r11 r10 r9 r8 rdi rsi rdx rcx rax rbp),
        ".cfi_def_cfa rsp, 8",
        ".cfi_restore rbp",
        // By a return: so the processor expects no other one to where the site has called from, and all that
        // follow go where it expects them. What is to return to the slot, as its caller, is where the stack
        // pointer then has just passed.
        "push [rsp - 88]",
        ".cfi_adjust_cfa_offset 8",
        "ret 16",
        // Where there is a shadow stack by a jump, and the site's address goes of that.
        "3:",
        ".cfi_restore_state",
        "mov eax, 1",
        "incsspq rax",
        pop_registers!(r11 r10 r9 r8 rdi rsi rdx rcx rax rbp),
        ".cfi_def_cfa rsp, 8",
        ".cfi_restore rbp",
        "lea rsp, [rsp + 16]",
        ".cfi_def_cfa_offset 0",
        "jmp [rsp - 104]",
        ".cfi_endproc",
        record = sym record,
    )
}
