//! syscall(2), for the calls that matter past libc's own functions: those that make a process, those that
//! install a filter of system calls, and those that take memory away.
//!
//! A child that is made so has its parent's words, and would record in its name. All other calls go to the
//! kernel as they are. None is recorded.
//!
//! # Safety
//!
//! As in `fork.rs`.

use crate::preload::fork::{in_copy, made, takes_clock};
use crate::preload::{mapping, objects, sandbox};
use core::arch::{asm, naked_asm};
use libc::{CLONE_SETTLS, CLONE_VFORK, CLONE_VM};

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
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "mov r10, r8",
        "mov r8, r9",
        "mov r9, [rsp + 8]",
        "syscall",
        "cmp rax, -4095",
        "jae 2f",
        "ret",
        "2:",
        "mov rdi, rax",
        "jmp {fail}",
        ".cfi_endproc",
        making = sym making,
        filtering = sym filtering,
        mapping = sym mapping,
        fail = sym fail,
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

unsafe extern "C" fn before_making() {
    objects::prepare_copy();
    trace_event::keep_aside();
}

/// In who has made something, in what was made if it is on the same stack, and in who has failed: gives
/// what the call has returned.
unsafe extern "C" fn after_making(number: i64, first: u64, result: i64) -> i64 {
    // SAFETY: the call has read them.
    let flags = if result < 0 { 0 } else { unsafe { flags(number, first) } };
    let shares_memory = flags & CLONE_VM as u64 != 0;
    let shares_words = shares_memory && flags & CLONE_SETTLS as u64 == 0;
    let placeholder = trace_event::placeholder_aside();
    let is_child = result == 0;
    let is_alone = !shares_words || result < 0 || !is_child && flags & CLONE_VFORK as u64 != 0;
    if is_alone {
        trace_event::take_back_kept();
    }
    match (is_child, shares_memory) {
        (true, false) => in_copy(placeholder),
        (true, true) => trace_event::child_in_memory(true),
        (false, _) => made(placeholder, result as i32),
    }
    result
}

/// The flags of a call that makes a thread or a process, and has done so.
///
/// # Safety
///
/// It has succeeded.
unsafe fn flags(number: i64, first: u64) -> u64 {
    match number {
        libc::SYS_clone => first,
        // SAFETY: the kernel has read what its first argument points to, which starts with the flags.
        libc::SYS_clone3 => unsafe { (first as *const u64).read_unaligned() },
        _ => 0,
    }
}

/// prctl(2) and seccomp(2), which may install a filter of system calls, or take the clock away.
unsafe extern "C" fn filtering(
    number: i64,
    first: u64,
    second: u64,
    third: u64,
    fourth: u64,
    fifth: u64,
) -> i64 {
    let (takes_clock, installs) = match number {
        libc::SYS_prctl => (takes_clock(first as i32, second as usize), first as i32 == libc::PR_SET_SECCOMP),
        _ => {
            let operation = first as u32;
            (operation == libc::SECCOMP_SET_MODE_STRICT, operation == libc::SECCOMP_SET_MODE_FILTER)
        }
    };
    if takes_clock {
        trace_event::leave();
    }
    // SAFETY: the program's own call.
    let call = || unsafe { kernel(number, [first, second, third, fourth, fifth, 0]) };
    let result = if installs { sandbox::installing(call, |result| result >= 0) } else { call() };
    if result < 0 { fail(result) } else { result }
}

/// Calls that change what is mapped. The sixth argument is where that of syscall(2) is.
unsafe extern "C" fn mapping(
    number: i64,
    first: u64,
    second: u64,
    third: u64,
    fourth: u64,
    fifth: u64,
    sixth: u64,
) -> i64 {
    let arguments = [first, second, third, fourth, fifth, sixth];
    mapping::by_number(number, arguments);
    // SAFETY: the program's own call.
    let result = unsafe { kernel(number, arguments) };
    mapping::by_number(number, arguments);
    if result < 0 { fail(result) } else { result }
}

/// Makes a system call, and gives what the kernel says.
///
/// # Safety
///
/// As for the call.
unsafe fn kernel(number: i64, [first, second, third, fourth, fifth, sixth]: [u64; 6]) -> i64 {
    let mut result = number;
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") result,
            in("rdi") first,
            in("rsi") second,
            in("rdx") third,
            in("r10") fourth,
            in("r8") fifth,
            in("r9") sixth,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// What libc does with an error of the kernel's.
extern "C" fn fail(result: i64) -> i64 {
    // SAFETY: libc's word for the calling thread.
    unsafe { *libc::__errno_location() = -result as i32 };
    -1
}
