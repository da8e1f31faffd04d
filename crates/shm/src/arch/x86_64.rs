//! x86-64: the instruction for system calls.

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
