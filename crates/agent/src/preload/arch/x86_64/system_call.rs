//! System calls, past libc.

use core::arch::asm;

/// Makes a system call, and gives what the kernel says.
///
/// # Safety
///
/// As the call itself has it.
pub(crate) unsafe fn call(number: i64, [first, second, third, fourth, fifth, sixth]: [u64; 6]) -> i64 {
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
