//! The first and the last instructions of what threads are made to call from outside: [`abi::remote`].
//!
//! # Safety
//!
//! A thread comes here with its stack pointer at a frame of rt_sigreturn(2), aligned to 16 and with a stack
//! below. It has no way back but that call. Where somebody has the call fail, it is made again.

use crate::preload::function::update_remotely;
use core::arch::naked_asm;

/// Brings the process's code up to date, and gives the thread its registers back.
#[unsafe(export_name = "lookback_remote_entry")]
#[unsafe(naked)]
unsafe extern "C" fn remote_entry() {
    naked_asm!(
        "mov rbx, rsp",
        "call {update}",
        "mov edi, eax",
        "2:",
        "mov rsp, rbx",
        "mov eax, {SIGRETURN}",
        "syscall",
        "jmp 2b",
        update = sym update_remotely,
        SIGRETURN = const libc::SYS_rt_sigreturn,
    )
}
