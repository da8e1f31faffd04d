//! longjmp(3), by all of its names: it leaves calls of which nobody sees another end.
//!
//! # Safety
//!
//! The program calls longjmp(3). Libc's function is jumped to with its arguments, and finds the stack as the
//! program has left it.

use crate::preload::wrapper::real;
use core::arch::naked_asm;
use core::ffi::CStr;
use core::sync::atomic::AtomicUsize;

/// Says that calls are left, and gives the address of libc's function.
fn leave_calls(found: &AtomicUsize, name: &CStr) -> usize {
    trace_event::jump_out_of_calls();
    // It may be called before anything else is ready.
    real::known(found, name, false)
}

macro_rules! long_jump {
    ($symbol:ident, $name:literal) => {
        const _: () = {
            extern "C" fn body() -> usize {
                static FOUND: AtomicUsize = AtomicUsize::new(0);
                leave_calls(&FOUND, $name)
            }

            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C" fn $symbol() {
                naked_asm!(
                    ".cfi_startproc",
                    "push rdi",
                    ".cfi_adjust_cfa_offset 8",
                    "push rsi",
                    ".cfi_adjust_cfa_offset 8",
                    "sub rsp, 8",
                    ".cfi_adjust_cfa_offset 8",
                    "call {body}",
                    "add rsp, 8",
                    ".cfi_adjust_cfa_offset -8",
                    "pop rsi",
                    ".cfi_adjust_cfa_offset -8",
                    "pop rdi",
                    ".cfi_adjust_cfa_offset -8",
                    "jmp rax",
                    ".cfi_endproc",
                    body = sym body,
                )
            }
        };
    };
}

long_jump!(longjmp, c"longjmp");
long_jump!(_longjmp, c"_longjmp");
long_jump!(siglongjmp, c"siglongjmp");
long_jump!(__longjmp_chk, c"__longjmp_chk");
