//! What functions of Go come to whose instruction was moved: from the code that it was moved to, before it.
//!
//! Their stacks may have no byte to spare, and may be copied elsewhere: so nothing of one is used. The code
//! that was moved has its own address in r12. What is recorded is recorded on a stack of the agent's own,
//! which the thread keeps (`trace_event/src/thread_stacks.rs`). The runtime takes an address that isn't in
//! its own code for one at which it can't preempt, so nothing is copied meanwhile.
//!
//! # Safety
//!
//! Nothing but moved code of Go's functions jumps here. r12 and r13 are of no use there, nor are flags; no
//! other register may be changed, and nothing may be left on the stack.

use super::saved_registers::{call_saved, pop_registers, push_all};
use crate::preload::function::moved_site::PAST_JUMP;
use crate::preload::function::{WITHIN_BEFORE, record_go};
use abi::go_thread::GoThreadWords;
use core::arch::naked_asm;

/// Records the call, and goes on.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn called() {
    naked_asm!(
        "mov r13, fs:[{STACK}]",
        "cmp r13, {BUSY}",
        "je 8f",
        "jb 7f",
        // The word at the stack's end says who is there.
        "2:",
        "cmp qword ptr [r13], 0",
        "jne 8f",
        "mov [r13], rsp",
        "mov rsp, r13",
        "push [r13]",
        // As if the function had called something at its instruction: see `SavedGoCall`.
        "push 0",
        "push [r12 - {WITHIN}]",
        "push rbp",
        "mov rbp, rsp",
        push_all!(),
        "push r12",
        "mov rdi, rsp",
        call_saved!(),
        "lea rsp, [rbp - 72]",
        pop_registers!(r11 r10 r9 r8 rdi rsi rdx rcx rax rbp),
        "mov rsp, [r13]",
        "mov qword ptr [r13], 0",
        "5:",
        "lea r12, [r12 + {PAST}]",
        "jmp r12",
        "7:",
        "lea r13, [rip + 6f]",
        "jmp {find}",
        "6:",
        "test r13, r13",
        "jnz 2b",
        "8:",
        "lock inc qword ptr [rip + {missed}]",
        "jmp 5b",
        STACK = const GoThreadWords::STACK,
        BUSY = const GoThreadWords::BUSY,
        WITHIN = const WITHIN_BEFORE,
        PAST = const PAST_JUMP,
        find = sym trace_event::find_thread_stack,
        missed = sym trace_event::MISSED_ON_STACKS,
        record = sym record_go,
    )
}
