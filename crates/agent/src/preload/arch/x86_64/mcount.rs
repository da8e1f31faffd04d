//! What the calls of programs go to that are built with `-pg`: `mcount`, and with `-mfentry` `__fentry__`.
//!
//! libc's functions of these names count calls for gprof. They are jumped to, so that they see what they
//! would have seen, unless the function that has called is traced.
//!
//! # Safety
//!
//! A compiler's call, in or before the set-up of a function's frame. libc's functions preserve all registers
//! but r10, r11 and the flags, and so does what is here, but for r11: compilers keep nothing there.

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
                "push rbp",
                ".cfi_adjust_cfa_offset 8",
                ".cfi_rel_offset rbp, 0",
                "mov rbp, rsp",
                ".cfi_def_cfa_register rbp",
                "push rax",
                "push rcx",
                "push rdx",
                "push rsi",
                "push rdi",
                "push r8",
                "push r9",
                "push r10",
                "mov rdi, [rbp + 8]",
                "sub rsp, 256",
                "and rsp, -16",
                "movaps [rsp], xmm0",
                "movaps [rsp + 16], xmm1",
                "movaps [rsp + 32], xmm2",
                "movaps [rsp + 48], xmm3",
                "movaps [rsp + 64], xmm4",
                "movaps [rsp + 80], xmm5",
                "movaps [rsp + 96], xmm6",
                "movaps [rsp + 112], xmm7",
                "movaps [rsp + 128], xmm8",
                "movaps [rsp + 144], xmm9",
                "movaps [rsp + 160], xmm10",
                "movaps [rsp + 176], xmm11",
                "movaps [rsp + 192], xmm12",
                "movaps [rsp + 208], xmm13",
                "movaps [rsp + 224], xmm14",
                "movaps [rsp + 240], xmm15",
                "call {decide}",
                "mov r11, rax",
                "movaps xmm0, [rsp]",
                "movaps xmm1, [rsp + 16]",
                "movaps xmm2, [rsp + 32]",
                "movaps xmm3, [rsp + 48]",
                "movaps xmm4, [rsp + 64]",
                "movaps xmm5, [rsp + 80]",
                "movaps xmm6, [rsp + 96]",
                "movaps xmm7, [rsp + 112]",
                "movaps xmm8, [rsp + 128]",
                "movaps xmm9, [rsp + 144]",
                "movaps xmm10, [rsp + 160]",
                "movaps xmm11, [rsp + 176]",
                "movaps xmm12, [rsp + 192]",
                "movaps xmm13, [rsp + 208]",
                "movaps xmm14, [rsp + 224]",
                "movaps xmm15, [rsp + 240]",
                "lea rsp, [rbp - 64]",
                "pop r10",
                "pop r9",
                "pop r8",
                "pop rdi",
                "pop rsi",
                "pop rdx",
                "pop rcx",
                "pop rax",
                "pop rbp",
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
