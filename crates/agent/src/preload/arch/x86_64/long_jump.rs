//! longjmp(3), by all of its names: it leaves calls of which nobody sees another end.
//!
//! # Safety
//!
//! The program calls longjmp(3). Libc's function is jumped to with its arguments, and finds the stack as the
//! program has left it.

use crate::preload::object::tables::SymbolName;
use crate::preload::object::{borrowed, symbols};
use crate::preload::section;
use crate::preload::signal::blocked::{self, SignalMask};
use crate::preload::wrapper::real;
use core::arch::{asm, naked_asm};
use core::ffi::CStr;
use core::sync::atomic::AtomicUsize;

/// What setjmp(3) has kept, as glibc and musl have it.
#[repr(C)]
struct JumpBuffer {
    /// Registers; glibc hides the stack pointer.
    registers: [u64; 8],
    /// glibc's; musl keeps something else there, and only in sigsetjmp(3).
    has_mask: i32,
    /// What was blocked, which siglongjmp(3) restores if it was asked for.
    mask: [SignalMask; 16],
}

/// Where in the registers the stack pointer is, and where the function goes on.
const STACK_POINTER: usize = 6;
const NEXT_INSTRUCTION: usize = 7;

impl JumpBuffer {
    /// The stack pointer that it has kept. glibc has turned it, and mixed it with a word of the thread's.
    fn stack_pointer(&self) -> usize {
        let kept = self.registers[STACK_POINTER];
        if !borrowed::is_glibc() {
            return kept as usize;
        }
        let secret: u64;
        // SAFETY: libc's word for the calling thread.
        unsafe { asm!("mov {0}, fs:[0x30]", out(reg) secret, options(pure, readonly, nostack)) };
        (kept.rotate_right(17) ^ secret) as usize
    }

    /// Whether the mask of signals that it has kept is restored. musl's sigsetjmp(3) does that itself: the
    /// thread goes on there.
    fn restores_mask(&self) -> bool {
        /// Bytes of musl's sigsetjmp(3), at most.
        const LONGEST: usize = 64;
        const NAME: SymbolName<'_> = SymbolName::new(b"sigsetjmp\0");
        if borrowed::is_glibc() {
            return self.has_mask != 0;
        }
        let next = self.registers[NEXT_INSTRUCTION] as usize;
        symbols::find_libc(NAME).is_some_and(|start| (start..start + LONGEST).contains(&next))
    }
}

/// Says that calls and handlers are left, and gives the address of libc's function.
fn leave_calls(buffer: &JumpBuffer, found: &AtomicUsize, name: &CStr) -> usize {
    trace_event::jump_out_of_calls();
    trace_event::jump_out_of_handlers(buffer.stack_pointer());
    // It may be called before anything else is ready.
    let function = real::known(found, || name, false);
    if buffer.restores_mask() {
        // SAFETY: there is no frame.
        unsafe { blocked::change(None, buffer.mask[0], || section::by(function)) };
    }
    function
}

macro_rules! long_jump {
    ($symbol:ident, $name:literal) => {
        const _: () = {
            extern "C" fn body(buffer: &JumpBuffer) -> usize {
                static FOUND: AtomicUsize = AtomicUsize::new(0);
                leave_calls(buffer, &FOUND, $name)
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
