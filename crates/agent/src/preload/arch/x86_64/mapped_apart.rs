//! Mapping a file without a descriptor of this process: by a child that shares its memory, and nothing else.
//!
//! # Safety
//!
//! All signals are blocked: the child must not run a handler of the program's. It uses registers alone, on
//! its parent's stack, and its parent goes on when it is gone.

use core::arch::naked_asm;
use core::ffi::c_char;

/// Maps a file to be read, and stores where it is and how many bytes it has; 0 where that can't be. Nobody
/// but a debugger of system calls sees the child: it has no signal to end with, so no call but ours waits for
/// it.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn map_apart(_path: *const c_char, _found: &mut [u64; 2]) {
    naked_asm!(
        "push r12",
        "push r13",
        "push r14",
        "mov r12, rdi",
        "mov r13, rsi",
        "mov eax, {clone}",
        "mov edi, {flags}",
        "xor esi, esi",
        "xor edx, edx",
        "xor r10d, r10d",
        "xor r8d, r8d",
        "syscall",
        "test rax, rax",
        "js 4f",
        "jnz 3f",
        // The child.
        "mov eax, {open}",
        "mov rdi, r12",
        "mov esi, {close_on_exec}",
        "syscall",
        "test rax, rax",
        "js 2f",
        "mov r14, rax",
        "mov eax, {lseek}",
        "mov rdi, r14",
        "xor esi, esi",
        "mov edx, {end}",
        "syscall",
        "test rax, rax",
        "jle 2f",
        "mov r12, rax",
        "mov eax, {mmap}",
        "xor edi, edi",
        "mov rsi, r12",
        "mov edx, {readable}",
        "mov r10d, {private}",
        "mov r8, r14",
        "xor r9d, r9d",
        "syscall",
        "test rax, rax",
        "js 2f",
        "mov [r13], rax",
        "mov [r13 + 8], r12",
        "2:",
        "mov eax, {exit}",
        "xor edi, edi",
        "syscall",
        "ud2",
        // The parent, when the child is gone.
        "3:",
        "mov rdi, rax",
        "mov eax, {wait4}",
        "xor esi, esi",
        "mov edx, {all}",
        "xor r10d, r10d",
        "syscall",
        "4:",
        "pop r14",
        "pop r13",
        "pop r12",
        "ret",
        clone = const libc::SYS_clone,
        flags = const libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_UNTRACED,
        open = const libc::SYS_open,
        close_on_exec = const libc::O_RDONLY | libc::O_CLOEXEC,
        lseek = const libc::SYS_lseek,
        end = const libc::SEEK_END,
        mmap = const libc::SYS_mmap,
        readable = const libc::PROT_READ,
        private = const libc::MAP_PRIVATE,
        exit = const libc::SYS_exit,
        wait4 = const libc::SYS_wait4,
        all = const libc::__WALL,
    )
}
