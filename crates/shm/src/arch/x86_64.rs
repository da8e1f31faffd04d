//! x86-64: the instructions for system calls, and for two words at once.

use crate::Errno;
use core::arch::asm;

/// Makes a system call, and leaves errno as it is.
///
/// # Safety
///
/// As for the call.
pub(crate) unsafe fn call(number: i64, arguments: [usize; 6]) -> Result<usize, Errno> {
    /// The results that are errors: the numbers of errno(3), negated.
    const FIRST_ERROR: isize = -4095;
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let mut result = number as isize;
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
    match result {
        FIRST_ERROR..0 => Err(Errno(-result as i32)),
        result => Ok(result as usize),
    }
}

/// Replaces two words by one locked instruction, if they are as expected.
///
/// # Safety
///
/// `address` is 16-byte aligned and valid for 16 bytes. The processor has cmpxchg16b: every x86-64
/// one since 2006.
#[inline]
pub(crate) unsafe fn compare_exchange_pair(address: *mut u64, expected: (u64, u64), new: (u64, u64)) -> bool {
    let replaced: u64;
    // SAFETY: the caller answers for the address. The compiler keeps rbx, so its word is swapped in and
    // out, and every operand names its register: one that the compiler chose could be rbx.
    unsafe {
        asm!(
            "xchg rbx, rsi",
            "lock cmpxchg16b [rdi]",
            "sete al",
            "mov rbx, rsi",
            in("rdi") address,
            inout("rsi") new.0 => _,
            in("rcx") new.1,
            inout("rax") expected.0 => replaced,
            inout("rdx") expected.1 => _,
            options(nostack),
        );
    }
    replaced & 0xff != 0
}
