//! The instructions of the frame, see [`crate::preload::wrapper::frame`].
//!
//! # Safety
//!
//! A stub jumps here as its caller has called it, with r11 at the stub's own [`Wrapped`]. Arguments, the
//! stack and the registers that a callee preserves are as the program has left them, and reach libc's
//! function so.

use super::resting::rests_at_77;
use super::saved_registers::{load_vectors, store_vectors};
use crate::preload::function;
use crate::preload::wrapper::frame::{CallFrame, Wrapped, after, before};
use abi::control::{OFF, SECTIONS_ID, event_index};
use core::arch::naked_asm;
use core::mem::offset_of;
use events::lock::{CONTENTION_BEGIN_ID, CONTENTION_END_ID, CONTENTION_HOLDER_ID};
use trace_event::{ThreadState, thread_words_offset};

// The words of events of waits for locks are looked at as three in a row; then that of measured sections.
const _: () = assert!(OFF == 0);
const _: () = assert!(CONTENTION_END_ID == CONTENTION_BEGIN_ID + 1);
const _: () = assert!(CONTENTION_HOLDER_ID == CONTENTION_END_ID + 1);

/// Where in the word of common fields the locks are counted.
const LOCKS_SHIFT: u32 = abi::common::word(0, 0, 1, 0).trailing_zeros();

/// Puts the arguments that are in registers into the frame.
macro_rules! save_arguments {
    () => {
        "mov [rsp + {ARGUMENTS}], rdi
        mov [rsp + {ARGUMENTS} + 8], rsi
        mov [rsp + {ARGUMENTS} + 16], rdx
        mov [rsp + {ARGUMENTS} + 24], rcx
        mov [rsp + {ARGUMENTS} + 32], r8
        mov [rsp + {ARGUMENTS} + 40], r9"
    };
}

/// Puts the caller, the stub's words and rax into the frame. Changes rdx.
macro_rules! save_call {
    () => {
        "mov rdx, [rbp + 8]
        mov [rsp + {CALLER}], rdx
        mov [rsp + {WRAPPED}], r11
        mov [rsp + {RAX}], rax"
    };
}

/// Puts the arguments where libc's function expects them.
macro_rules! load_arguments {
    () => {
        "mov rdi, [rsp + {ARGUMENTS}]
        mov rsi, [rsp + {ARGUMENTS} + 8]
        mov rdx, [rsp + {ARGUMENTS} + 16]
        mov rcx, [rsp + {ARGUMENTS} + 24]
        mov r8, [rsp + {ARGUMENTS} + 32]
        mov r9, [rsp + {ARGUMENTS} + 40]"
    };
}

/// What every stub jumps to, with its [`Wrapped`] in r11.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call() {
    naked_asm!(
        ".cfi_startproc",
        "cmp dword ptr [r11 + {HOOKED}], 0",
        "jne 7f",
        // Where nothing is on, and the function is known, the stub has jumped to that. Or processes are
        // called to bring their code up to date: this one has perhaps done so.
        "movsxd r10, dword ptr [r11 + {ENABLED}]",
        "add r10, r11",
        "add r10, [rip + {SHIFT}]",
        "cmp qword ptr [r10], {CALLING}",
        "jne 2f",
        "cmp qword ptr [r10 + 8], {CALLING}",
        "jne 2f",
        "mov r10, [rip + {WANTED}]",
        "test r10, r10",
        "jz 2f",
        "mov r10d, [r10]",
        "cmp r10d, [rip + {DONE}]",
        "jne 2f",
        "movsxd r10, dword ptr [r11 + {FOUND}]",
        "mov r10, [r11 + r10]",
        "test r10, r10",
        "jz 2f",
        "jmp r10",
        // Hooks that only count locks, nothing is on, and the function is known.
        "7:",
        "cmp dword ptr [r11 + {LOCKS}], 0",
        "je 2f",
        "movsxd r10, dword ptr [r11 + {ENABLED}]",
        "add r10, r11",
        "add r10, [rip + {SHIFT}]",
        "cmp qword ptr [r10], {OFF}",
        "jne 2f",
        "cmp qword ptr [r10 + 8], {OFF}",
        "jne 2f",
        "lea rax, [rip + {NOTHING} + {CONTENTION}]",
        "add rax, [rip + {SHIFT}]",
        "mov r10, [rax]",
        "or r10, [rax + 8]",
        "or r10, [rax + 16]",
        "or r10, [rax + {SECTIONS}]",
        "jnz 2f",
        "movsxd r10, dword ptr [r11 + {FOUND}]",
        "mov r10, [r11 + r10]",
        "test r10, r10",
        "jz 2f",
        "push r11",
        ".cfi_adjust_cfa_offset 8",
        "call r10",
        "77:",
        rests_at_77!("8"),
        "pop r11",
        ".cfi_adjust_cfa_offset -8",
        "mov ecx, [r11 + {LOCKS}]",
        "test eax, eax",
        "jnz 9f",
        "8:",
        thread_words_offset!("rdx", "lookback_thread_state"),
        "add ecx, fs:[rdx + {HELD}]",
        "js 12f",
        "mov fs:[rdx + {HELD}], ecx",
        "mov esi, {MOST_LOCKS}",
        "cmp ecx, esi",
        "cmova ecx, esi",
        "shl rcx, {LOCKS_SHIFT}",
        // Each by one instruction: a handler that comes in between leaves what it finds.
        "and qword ptr fs:[rdx + {COMMON}], {NO_LOCKS}",
        "or qword ptr fs:[rdx + {COMMON}], rcx",
        "12:",
        "ret",
        "9:",
        "cmp eax, {EOWNERDEAD}",
        "jne 12b",
        "test ecx, ecx",
        "jg 8b",
        "ret",
        // A frame, with the arguments in it.
        "2:",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, {FRAME}",
        save_arguments!(),
        "cmp dword ptr [r11 + {STACKED}], 0",
        "je 3f",
        "mov rdx, [rbp + 16]",
        "mov [rsp + {ARGUMENTS} + 48], rdx",
        "mov rdx, [rbp + 24]",
        "mov [rsp + {ARGUMENTS} + 56], rdx",
        "3:",
        save_call!(),
        "mov rdi, rsp",
        "call {before}",
        "mov r11, [rsp + {WRAPPED}]",
        "mov r10d, [r11 + {RETURNS}]",
        // Libc's function, with the arguments where it expects them.
        load_arguments!(),
        "mov rax, [rsp + {RAX}]",
        "mov r11, [rsp + {REAL}]",
        "test r10d, r10d",
        "jz 4f",
        "push qword ptr [rsp + {ARGUMENTS} + 56]",
        "push qword ptr [rsp + {ARGUMENTS} + 56]",
        "call r11",
        "77:",
        rests_at_77!("16 + {FRAME}"),
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
        OFF = const OFF,
        CALLING = const abi::control::CALLING,
        SHIFT = sym trace_event::ENABLED_SHIFT,
        WANTED = sym function::WANTED,
        DONE = sym function::DONE,
        FOUND = const offset_of!(Wrapped, found),
        ENABLED = const offset_of!(Wrapped, enabled),
        HOOKED = const offset_of!(Wrapped, hooked),
        NOTHING = sym trace_event::NOTHING_ENABLED,
        CONTENTION = const event_index(CONTENTION_BEGIN_ID) * 8,
        SECTIONS = const (event_index(SECTIONS_ID) as i32 - event_index(CONTENTION_BEGIN_ID) as i32) * 8,
        LOCKS = const offset_of!(Wrapped, locks),
        HELD = const offset_of!(ThreadState, locks),
        COMMON = const offset_of!(ThreadState, common),
        MOST_LOCKS = const abi::common::MOST_LOCKS,
        LOCKS_SHIFT = const LOCKS_SHIFT,
        NO_LOCKS = const !((abi::common::MOST_LOCKS as i64) << LOCKS_SHIFT),
        EOWNERDEAD = const libc::EOWNERDEAD,
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

/// Bytes of the registers that may have arguments with a fraction.
const VECTORS: usize = 8 * 16;

/// What stubs of variadic calls jump to, whose arguments may be anything: also in vector registers, as rax
/// says, and on the stack, as many as there are. Libc's function is jumped to, with all as it was.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call_variadic() {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, {VECTORS} + {FRAME}",
        save_arguments!(),
        save_call!(),
        "test al, al",
        "jz 2f",
        store_vectors!(0 1 2 3 4 5 6 7),
        "2:",
        "lea rdi, [rsp + {VECTORS}]",
        "call {before}",
        "mov rax, [rsp + {RAX}]",
        "test al, al",
        "jz 3f",
        load_vectors!(0 1 2 3 4 5 6 7),
        "3:",
        load_arguments!(),
        "mov r11, [rsp + {REAL}]",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "jmp r11",
        ".cfi_endproc",
        VECTORS = const VECTORS,
        FRAME = const size_of::<CallFrame>(),
        ARGUMENTS = const VECTORS + offset_of!(CallFrame, arguments),
        CALLER = const VECTORS + offset_of!(CallFrame, caller),
        REAL = const VECTORS + offset_of!(CallFrame, real),
        WRAPPED = const VECTORS + offset_of!(CallFrame, wrapped),
        RAX = const VECTORS + offset_of!(CallFrame, rax),
        before = sym before,
    )
}
