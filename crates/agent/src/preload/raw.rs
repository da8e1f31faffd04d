//! syscall(2), for the calls by which a program makes a child past fork(3).
//!
//! Such a child has its parent's words, and would record in its name. All other calls go to the kernel as
//! they are; they are not recorded.
//!
//! # Safety
//!
//! As in `fork.rs`.

use crate::preload::fork::{before_copy, in_copy};
use core::arch::{asm, naked_asm};
use libc::CLONE_VM;

/// Bytes of the first version of what clone3(2) takes.
const CLONE_ARGS: u64 = 64;

/// What libc's function does, but for the calls that may fork.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn syscall() {
    naked_asm!(
        ".cfi_startproc",
        "cmp rdi, {CLONE}",
        "je 3f",
        "cmp rdi, {FORK}",
        "je 3f",
        "cmp rdi, {CLONE3}",
        "je 3f",
        "2:",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "mov r10, r8",
        "mov r8, r9",
        "mov r9, [rsp + 8]",
        "syscall",
        "cmp rax, -4095",
        "jae 4f",
        "ret",
        "4:",
        "mov rdi, rax",
        "jmp {fail}",
        // Perhaps a fork: a look at its arguments tells.
        "3:",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        ".cfi_adjust_cfa_offset 48",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "call {is_fork}",
        "add rsp, 8",
        ".cfi_adjust_cfa_offset -8",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        ".cfi_adjust_cfa_offset -48",
        "test al, al",
        "jz 2b",
        "jmp {fork}",
        ".cfi_endproc",
        is_fork = sym is_fork,
        fork = sym fork,
        fail = sym fail,
        CLONE = const libc::SYS_clone,
        FORK = const libc::SYS_fork,
        CLONE3 = const libc::SYS_clone3,
    )
}

/// Whether a call makes a child with memory of its own. One that shares the caller's would need a stack of
/// its own to return from here.
unsafe extern "C" fn is_fork(number: i64, first: u64, second: u64) -> bool {
    let (flags, stack) = match number {
        libc::SYS_clone => (first, second),
        // What the kernel is about to read, if it has the size that it must have.
        libc::SYS_clone3 if first != 0 && second >= CLONE_ARGS => {
            // SAFETY: as above; it starts with the flags.
            (unsafe { (first as *const u64).read_unaligned() }, 0)
        }
        libc::SYS_clone3 => return false,
        _ => (0, 0),
    };
    flags & CLONE_VM as u64 == 0 && stack == 0
}

/// Makes the child, which then knows that it is another process.
unsafe extern "C" fn fork(number: i64, first: u64, second: u64, third: u64, fourth: u64, fifth: u64) -> i64 {
    before_copy();
    let mut result = number;
    // SAFETY: the program's own call. The child goes on here, in its copy of the stack.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") result,
            in("rdi") first,
            in("rsi") second,
            in("rdx") third,
            in("r10") fourth,
            in("r8") fifth,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    if result == 0 {
        in_copy();
    }
    if result < 0 { fail(result) } else { result }
}

/// What libc does with an error of the kernel's.
extern "C" fn fail(result: i64) -> i64 {
    // SAFETY: libc's word for the calling thread.
    unsafe { *libc::__errno_location() = -result as i32 };
    -1
}
