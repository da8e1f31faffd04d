//! What the calls of programs go to that are built with `-pg`: `mcount`, and with `-mfentry` `__fentry__`.
//!
//! libc's functions of these names count calls for gprof. They are jumped to, so that they see what they
//! would have seen, unless the function that has called is traced.
//!
//! # Safety
//!
//! A compiler's call, in or before the set-up of a function's frame. libc's functions preserve all registers
//! but r10, r11 and the flags, and so does what is here, but for r11: compilers keep nothing there.

use super::saved_registers::{begin_frame, pop_registers, push_registers, restore_vectors, save_vectors};
use crate::preload::function::callers::{HASH_MULTIPLIER, HASH_SHIFT, NOTING, POOL, STATE};
use crate::preload::function::mcount as decision;
use core::arch::naked_asm;

/// The instructions of both: `$real` is where libc's function is, once it is known.
macro_rules! entry {
    ($name:ident, $real:path, $decide:path) => {
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
            naked_asm!(
                ".cfi_startproc",
                "mov r11, [rip + {real}]",
                "test r11, r11",
                "jz 3f",
                "cmp dword ptr [rip + {state}], {noting}",
                "jb 2f",
                "ja 3f",
                // A caller that is known: in its own place of the pool.
                "push r10",
                ".cfi_adjust_cfa_offset 8",
                "movabs r10, {multiplier}",
                "imul r10, [rsp + 8]",
                "shr r10, {shift}",
                "lea r11, [rip + {pool}]",
                "mov r10, [r11 + r10 * 8]",
                "cmp r10, [rsp + 8]",
                "pop r10",
                ".cfi_adjust_cfa_offset -8",
                "jne 3f",
                "mov r11, [rip + {real}]",
                "2:",
                "jmp r11",
                "3:",
                begin_frame!(),
                push_registers!(rax rcx rdx rsi rdi r8 r9 r10),
                "mov rdi, [rbp + 8]",
                save_vectors!(),
                "call {decide}",
                "mov r11, rax",
                restore_vectors!(),
                "lea rsp, [rbp - 64]",
                pop_registers!(r10 r9 r8 rdi rsi rdx rcx rax rbp),
                ".cfi_def_cfa rsp, 8",
                ".cfi_restore rbp",
                "jmp r11",
                ".cfi_endproc",
                real = sym $real,
                state = sym STATE,
                noting = const NOTING,
                multiplier = const HASH_MULTIPLIER,
                shift = const HASH_SHIFT,
                pool = sym POOL,
                decide = sym $decide,
            )
        }
    };
}

entry!(mcount, decision::MCOUNT, decision::mcount_called);
entry!(_mcount, decision::MCOUNT, decision::mcount_called);
entry!(__fentry__, decision::FENTRY, decision::fentry_called);

/// Whether a function is one of these.
pub(crate) fn is_one(function: usize) -> bool {
    [mcount as *const (), _mcount as *const (), __fentry__ as *const ()]
        .iter()
        .any(|own| own.addr() == function)
}
