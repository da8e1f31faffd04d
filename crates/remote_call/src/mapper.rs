//! The code that maps the agent's file in a static program: what a dynamic linker would do there.
//!
//! A thread of the program executes it, so it comes to its end, and closes what it has opened, even if the
//! command that has made the thread do so is killed meanwhile.
//!
//! # Safety
//!
//! The code is read here as bytes, and never executed by this process.

use std::arch::global_asm;
use std::mem::offset_of;

/// What is to be mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct MapRequest {
    /// Where the file's path is.
    pub(crate) path: u64,
    /// Bytes of addresses, from the first segment, which has the code, to the end of the last.
    pub(crate) span: u64,
    /// From the start: where pages begin that are data, how many bytes these have, and where in the file.
    pub(crate) data: u64,
    pub(crate) data_len: u64,
    pub(crate) data_offset: u64,
    /// Where pages begin that no file has, and how many bytes these have.
    pub(crate) zeros: u64,
    pub(crate) zeros_len: u64,
}

impl MapRequest {
    /// As it lies in the process's memory.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let MapRequest { path, span, data, data_len, data_offset, zeros, zeros_len } = self;
        let words = [path, span, data, data_len, data_offset, zeros, zeros_len];
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }
}

// With a request in rdi; a function that changes all registers. What rdi has at its end is where the file is
// mapped, or an error of the kernel's.
global_asm!(
    ".pushsection .rodata.lookback_mapper, \"a\"",
    // Of the whole object: what reads it may be in another unit of the compiler.
    ".globl lookback_mapper_start",
    ".hidden lookback_mapper_start",
    ".globl lookback_mapper_end",
    ".hidden lookback_mapper_end",
    "lookback_mapper_start:",
    "mov rbx, rdi",
    // openat, of an absolute path.
    "mov edi, {AT_FDCWD}",
    "mov rsi, [rbx + {PATH}]",
    "mov edx, {OPEN}",
    "xor r10d, r10d",
    "mov eax, {OPENAT}",
    "syscall",
    "mov r12, rax",
    "test eax, eax",
    "js 9f",
    // The code, with addresses for all.
    "xor edi, edi",
    "mov rsi, [rbx + {SPAN}]",
    "mov edx, {EXECUTE}",
    "mov r10d, {PRIVATE}",
    "mov r8, r12",
    "xor r9d, r9d",
    "mov eax, {MMAP}",
    "syscall",
    "mov r13, rax",
    "cmp rax, -4096",
    "ja 8f",
    // Data.
    "mov rdi, [rbx + {DATA}]",
    "add rdi, r13",
    "mov rsi, [rbx + {DATA_LEN}]",
    "mov edx, {WRITE}",
    "mov r10d, {PRIVATE} | {FIXED}",
    "mov r9, [rbx + {DATA_OFFSET}]",
    "mov eax, {MMAP}",
    "syscall",
    "cmp rax, -4096",
    "ja 7f",
    // Zeros.
    "mov rdi, [rbx + {ZEROS}]",
    "add rdi, r13",
    "mov rsi, [rbx + {ZEROS_LEN}]",
    "mov r10d, {PRIVATE} | {FIXED} | {ANONYMOUS}",
    "mov r8, -1",
    "xor r9d, r9d",
    "mov eax, {MMAP}",
    "syscall",
    "cmp rax, -4096",
    "ja 7f",
    "mov r14, r13",
    "jmp 6f",
    // What is mapped of it is of no use.
    "7:",
    "mov r14, rax",
    "mov rdi, r13",
    "mov rsi, [rbx + {SPAN}]",
    "mov eax, {MUNMAP}",
    "syscall",
    "jmp 6f",
    "8:",
    "mov r14, rax",
    "6:",
    "mov rdi, r12",
    "mov eax, {CLOSE}",
    "syscall",
    "mov rdi, r14",
    "ret",
    "9:",
    "mov rdi, r12",
    "ret",
    "lookback_mapper_end:",
    ".popsection",
    AT_FDCWD = const libc::AT_FDCWD,
    OPEN = const libc::O_RDONLY | libc::O_CLOEXEC,
    EXECUTE = const libc::PROT_READ | libc::PROT_EXEC,
    WRITE = const libc::PROT_READ | libc::PROT_WRITE,
    PRIVATE = const libc::MAP_PRIVATE,
    FIXED = const libc::MAP_FIXED,
    ANONYMOUS = const libc::MAP_ANONYMOUS,
    OPENAT = const libc::SYS_openat,
    MMAP = const libc::SYS_mmap,
    MUNMAP = const libc::SYS_munmap,
    CLOSE = const libc::SYS_close,
    PATH = const offset_of!(MapRequest, path),
    SPAN = const offset_of!(MapRequest, span),
    DATA = const offset_of!(MapRequest, data),
    DATA_LEN = const offset_of!(MapRequest, data_len),
    DATA_OFFSET = const offset_of!(MapRequest, data_offset),
    ZEROS = const offset_of!(MapRequest, zeros),
    ZEROS_LEN = const offset_of!(MapRequest, zeros_len),
);

unsafe extern "C" {
    static lookback_mapper_start: u8;
    static lookback_mapper_end: u8;
}

/// The code: it doesn't matter where it lies.
pub(crate) fn code() -> &'static [u8] {
    let (start, end) = (&raw const lookback_mapper_start, &raw const lookback_mapper_end);
    // SAFETY: bytes of this program, from one symbol to the other.
    unsafe { std::slice::from_raw_parts(start, end.addr() - start.addr()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_ends_with_a_return_and_refers_to_nothing_else() {
        assert!(code().ends_with(&[0xc3]) && code().len() < 4096, "{}", code().len());
        let calls = code().windows(2).filter(|bytes| *bytes == [0x0f, 0x05]).count();
        assert_eq!(calls, 6);
    }
}
