//! The first instructions of a thread.
//!
//! # Safety
//!
//! A thread starts here, with the place that its maker has taken for it.

use crate::preload::thread::begin::begin_thread;
use core::arch::naked_asm;
use core::ffi::c_void;

/// The first function of a thread whose start is recorded. It jumps to the program's own: no frame of ours is
/// on the thread's stack, which exceptions and cancellation unwind to its end.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn started(_place: *mut c_void) -> *mut c_void {
    naked_asm!(
        ".cfi_startproc",
        "sub rsp, 24",
        ".cfi_adjust_cfa_offset 24",
        "mov rsi, rsp",
        "call {begin}",         // rax: the routine; its argument at [rsp]
        "mov rdi, [rsp]",
        "add rsp, 24",
        ".cfi_adjust_cfa_offset -24",
        "jmp rax",
        ".cfi_endproc",
        begin = sym begin_thread,
    )
}
