//! vfork(2), which returns twice on one stack.
//!
//! # Safety
//!
//! The program calls vfork(2), and keeps to what that asks of it: its child does not return from the function
//! that has called it.

use crate::preload::process::vfork::{after_vfork, before_vfork, in_vforked_child};
use core::arch::naked_asm;
use core::mem::offset_of;
use trace_event::ThreadState;

/// vfork(2): the child goes on in this very frame, on this stack, before the parent does. So the return
/// address is kept in a register, which the kernel preserves for both, and so are the thread's words, see
/// [`ThreadState::aside`], and the time. As libc does it, there is nothing else to it than the system call.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn vfork() {
    naked_asm!(
        "mov rdi, [rsp]",
        "sub rsp, 8",
        "mov rsi, rsp",         // to where the time goes
        "call {before}",        // rax: the thread's words; rdx: what `aside` is to be
        "movq xmm0, [rsp]",
        "add rsp, 8",
        "mov rsi, rax",
        "push rdx",
        "mov rdx, [rsi + {COMMON}]",
        "mov r8, [rsi + {TASK}]",     // and libc's TID
        "mov r9, [rsi + {ASIDE}]",
        "mov r10, [rsi + {ASIDE_COMMON}]",
        "movdqa xmm1, [rsi + {MASK}]",  // and the locks
        "pop rax",
        "pop rdi",
        // In this order: a handler that comes in between must not take the words for those of a new thread.
        "mov [rsi + {ASIDE}], rax",
        "mov qword ptr [rsi + {ASIDE_COMMON}], 0",
        // The TID alone: the child is in its parent's state.
        "mov dword ptr [rsi + {COMMON} + 4], 0",
        "mov qword ptr [rsi + {TASK}], 0",
        "mov eax, 58",
        "syscall",
        "push rdi",
        "test eax, eax",
        "jz 2f",
        // The parent, once the child has executed a program or is gone; or nothing was made.
        "mov rcx, [rsi + {ASIDE}]",
        "mov [rsi + {ASIDE_COMMON}], r10",
        "movdqa [rsi + {MASK}], xmm1",
        "mov [rsi + {COMMON}], rdx",
        "mov [rsi + {TASK}], r8",
        "mov [rsi + {ASIDE}], r9",
        "sub rsp, 8",
        "mov rdi, rax",
        "mov rsi, rcx",
        "movq rdx, xmm0",
        "call {after}",         // rax: what vfork returns
        "add rsp, 8",
        "ret",
        // The child.
        "2:",
        "sub rsp, 8",
        "movq rdi, xmm0",
        "call {in_child}",
        "add rsp, 8",
        "xor eax, eax",
        "ret",
        before = sym before_vfork,
        after = sym after_vfork,
        in_child = sym in_vforked_child,
        COMMON = const offset_of!(ThreadState, common),
        TASK = const offset_of!(ThreadState, task),
        MASK = const offset_of!(ThreadState, mask),
        ASIDE = const offset_of!(ThreadState, aside),
        ASIDE_COMMON = const offset_of!(ThreadState, aside_common),
    )
}
