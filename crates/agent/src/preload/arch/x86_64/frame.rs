//! The instructions of the frame, see [`crate::preload::wrapper::frame`].
//!
//! # Safety
//!
//! A stub jumps here as its caller has called it, with r11 at the stub's own [`Wrapped`]. Arguments, the
//! stack and the registers that a callee preserves are as the program has left them, and reach libc's
//! function so.

use crate::preload::wrapper::frame::{CallFrame, Wrapped, after, before};
use core::arch::naked_asm;
use core::mem::offset_of;

/// What every stub jumps to, with its [`Wrapped`] in r11.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call() {
    naked_asm!(
        ".cfi_startproc",
        // The common case: no hooks, nothing is on, and the function is known.
        "cmp dword ptr [r11 + {HOOKED}], 0",
        "jne 2f",
        "movsxd r10, dword ptr [r11 + {ENABLED}]",
        "add r10, r11",
        "add r10, [rip + {SHIFT}]",
        "cmp qword ptr [r10], 0",
        "jne 2f",
        "cmp qword ptr [r10 + 8], 0",
        "jne 2f",
        "movsxd r10, dword ptr [r11 + {FOUND}]",
        "mov r10, [r11 + r10]",
        "test r10, r10",
        "jz 2f",
        "jmp r10",
        // A frame, with the arguments in it.
        "2:",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, {FRAME}",
        "mov [rsp + {ARGUMENTS}], rdi",
        "mov [rsp + {ARGUMENTS} + 8], rsi",
        "mov [rsp + {ARGUMENTS} + 16], rdx",
        "mov [rsp + {ARGUMENTS} + 24], rcx",
        "mov [rsp + {ARGUMENTS} + 32], r8",
        "mov [rsp + {ARGUMENTS} + 40], r9",
        "cmp dword ptr [r11 + {STACKED}], 0",
        "je 3f",
        "mov rdx, [rbp + 16]",
        "mov [rsp + {ARGUMENTS} + 48], rdx",
        "mov rdx, [rbp + 24]",
        "mov [rsp + {ARGUMENTS} + 56], rdx",
        "3:",
        "mov rdx, [rbp + 8]",
        "mov [rsp + {CALLER}], rdx",
        "mov [rsp + {WRAPPED}], r11",
        "mov [rsp + {RAX}], rax",
        "mov rdi, rsp",
        "call {before}",
        "mov r11, [rsp + {WRAPPED}]",
        "mov r10d, [r11 + {RETURNS}]",
        // Libc's function, with the arguments where it expects them.
        "mov rdi, [rsp + {ARGUMENTS}]",
        "mov rsi, [rsp + {ARGUMENTS} + 8]",
        "mov rdx, [rsp + {ARGUMENTS} + 16]",
        "mov rcx, [rsp + {ARGUMENTS} + 24]",
        "mov r8, [rsp + {ARGUMENTS} + 32]",
        "mov r9, [rsp + {ARGUMENTS} + 40]",
        "mov rax, [rsp + {RAX}]",
        "mov r11, [rsp + {REAL}]",
        "test r10d, r10d",
        "jz 4f",
        "push qword ptr [rsp + {ARGUMENTS} + 56]",
        "push qword ptr [rsp + {ARGUMENTS} + 56]",
        "call r11",
        "add rsp, 16",
        "mov [rsp + {RESULT}], rax",
        "mov rdi, rsp",
        "call {after}",
        "mov rax, [rsp + {RESULT}]",
        ".cfi_remember_state",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        "4:",
        ".cfi_restore_state",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "jmp r11",
        ".cfi_endproc",
        SHIFT = sym trace_event::ENABLED_SHIFT,
        FOUND = const offset_of!(Wrapped, found),
        ENABLED = const offset_of!(Wrapped, enabled),
        HOOKED = const offset_of!(Wrapped, hooked),
        STACKED = const offset_of!(Wrapped, stacked),
        RETURNS = const offset_of!(Wrapped, returns),
        FRAME = const size_of::<CallFrame>(),
        ARGUMENTS = const offset_of!(CallFrame, arguments),
        RESULT = const offset_of!(CallFrame, result),
        CALLER = const offset_of!(CallFrame, caller),
        REAL = const offset_of!(CallFrame, real),
        WRAPPED = const offset_of!(CallFrame, wrapped),
        RAX = const offset_of!(CallFrame, rax),
        before = sym before,
        after = sym after,
    )
}
