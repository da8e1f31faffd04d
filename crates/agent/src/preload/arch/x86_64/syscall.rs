//! syscall(2), and those calls by it that matter, see [`crate::preload::process::raw`].
//!
//! # Safety
//!
//! The program calls syscall(2); its contract is the one of the system call that it names. Registers that a
//! callee preserves are not touched.

use super::resting::rests_at_77;
use super::saved_registers::begin_frame;
use crate::preload::function::ARE_SEEN;
use crate::preload::process::raw::{self, after_making, before_making, fail, filtering, mapping};
use core::arch::naked_asm;

/// What libc's function does, but for some calls.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn syscall() {
    naked_asm!(
        ".cfi_startproc",
        "cmp rdi, {CLONE}",
        "je {making}",
        "cmp rdi, {FORK}",
        "je {making}",
        "cmp rdi, {CLONE3}",
        "je {making}",
        "cmp rdi, {SECCOMP}",
        "je {filtering}",
        "cmp rdi, {PRCTL}",
        "je {filtering}",
        // mmap, mprotect, munmap.
        "lea rax, [rdi - {MMAP}]",
        "cmp rax, {MUNMAP} - {MMAP}",
        "jbe {mapping}",
        "cmp rdi, {MREMAP}",
        "je {mapping}",
        "cmp rdi, {MADVISE}",
        "je {mapping}",
        "cmp rdi, {PKEY_MPROTECT}",
        "je {mapping}",
        "cmp byte ptr [rip + {RECORDED}], 0",
        "jne {recorded}",
        "jmp {plain}",
        ".cfi_endproc",
        making = sym making,
        filtering = sym filtering,
        mapping = sym mapping,
        recorded = sym recorded,
        plain = sym plain,
        RECORDED = sym ARE_SEEN,
        CLONE = const libc::SYS_clone,
        FORK = const libc::SYS_fork,
        CLONE3 = const libc::SYS_clone3,
        SECCOMP = const libc::SYS_seccomp,
        PRCTL = const libc::SYS_prctl,
        MMAP = const libc::SYS_mmap,
        MUNMAP = const libc::SYS_munmap,
        MREMAP = const libc::SYS_mremap,
        MADVISE = const libc::SYS_madvise,
        PKEY_MPROTECT = const libc::SYS_pkey_mprotect,
    )
}

/// Any other one.
#[unsafe(naked)]
unsafe extern "C" fn plain() {
    naked_asm!(
        ".cfi_startproc",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "mov r10, r8",
        "mov r8, r9",
        "mov r9, [rsp + 8]",
        "syscall",
        "77:",
        rests_at_77!("0"),
        "cmp rax, -4095",
        "jae 2f",
        "ret",
        "2:",
        "mov rdi, rax",
        "jmp {fail}",
        ".cfi_endproc",
        fail = sym fail,
    )
}

/// Any other one, while system calls are wanted: but for those after which a thread goes on twice on its
/// stack, or on another one.
#[unsafe(naked)]
unsafe extern "C" fn recorded() {
    naked_asm!(
        ".cfi_startproc",
        "cmp rdi, {VFORK}",
        "je {plain}",
        "cmp rdi, {RT_SIGRETURN}",
        "je {plain}",
        begin_frame!(),
        "push [rbp + 16]",
        "push r9",
        "push r8",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "mov rdi, rsp",
        "mov rsi, rbp",
        "sub rsp, 8",
        "call {recorded}",
        "leave",
        ".cfi_def_cfa rsp, 8",
        ".cfi_restore rbp",
        "ret",
        ".cfi_endproc",
        recorded = sym raw::recorded,
        plain = sym plain,
        VFORK = const libc::SYS_vfork,
        RT_SIGRETURN = const libc::SYS_rt_sigreturn,
    )
}

/// A call that makes a thread or a process. Which one it is says its flags; those of clone3(2) are in
/// memory, which only a call that has succeeded has shown to be readable. So the thread's words are set
/// aside around each.
///
/// The child returns from here as its parent does if it is on the same stack, be it a copy or not; on a
/// stack of its own it goes to where that says, as it would have without us.
#[unsafe(naked)]
unsafe extern "C" fn making() {
    naked_asm!(
        ".cfi_startproc",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        ".cfi_adjust_cfa_offset 48",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "call {before}",
        "add rsp, 8",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        ".cfi_adjust_cfa_offset -56",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "mov r10, r8",
        "mov r8, r9",
        "push rax",
        ".cfi_adjust_cfa_offset 8",
        "mov r9, rsp",
        "syscall",
        "cmp rsp, r9",
        "jne 3f",
        // rdi still is the first argument.
        "mov rsi, rdi",
        "pop rdi",
        ".cfi_adjust_cfa_offset -8",
        "mov rdx, rax",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "call {after}",
        "add rsp, 8",
        ".cfi_adjust_cfa_offset -8",
        "cmp rax, -4095",
        "jae 4f",
        "3:",
        "ret",
        "4:",
        "mov rdi, rax",
        "jmp {fail}",
        ".cfi_endproc",
        before = sym before_making,
        after = sym after_making,
        fail = sym fail,
    )
}
