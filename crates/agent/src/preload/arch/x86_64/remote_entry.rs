//! The first and the last instructions of what threads are made to call from outside: [`abi::remote`].
//!
//! # Safety
//!
//! A thread comes here with its stack pointer at a frame of rt_sigreturn(2), aligned to 16 and with a stack
//! below. It has no way back but that call. Where somebody has the call fail, it is made again.

use crate::preload::function::update_remotely;
use crate::preload::process::late;
use core::arch::naked_asm;

/// Brings the process's code up to date, and gives the thread its registers back.
#[unsafe(export_name = "lookback_remote_entry")]
#[unsafe(naked)]
unsafe extern "C" fn update_entry() {
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

/// Defines a routine that calls `$function` with the request in rdi, keeps in r12 what that returns, and
/// waits until the thread is stopped to have its registers put back. Where nobody does that in time, it gets
/// them back by itself.
macro_rules! waiting_entry {
    ($name:ident, $symbol:literal, $function:path) => {
        #[unsafe(export_name = $symbol)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
    naked_asm!(
        "mov rbx, rsp",
        "call {function}",
        "mov r12, rax",
        // No signal, and how long.
        "push 0",
        "push {SECONDS}",
        "push 0",
        "push 0",
        "mov rdi, rsp",
        "xor esi, esi",
        "lea rdx, [rsp + 16]",
        "mov r10d, 8",
        "mov eax, {WAIT}",
        "syscall",
        "2:",
        "mov rsp, rbx",
        "mov eax, {SIGRETURN}",
        "syscall",
        "jmp 2b",
        function = sym $function,
        SECONDS = const abi::attach::WAIT_SECONDS,
        WAIT = const libc::SYS_rt_sigtimedwait,
        SIGRETURN = const libc::SYS_rt_sigreturn,
    )
        }
    };
}

waiting_entry!(attach_entry, "lookback_attach_entry", late::attach);
waiting_entry!(detach_entry, "lookback_detach_entry", late::detach);
