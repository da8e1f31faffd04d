//! A question to valgrind.

use core::arch::asm;

/// Whether valgrind runs the program: it reports system calls that it does not expect. These instructions do
/// nothing, and are a question to it.
pub(crate) fn is_running() -> bool {
    const RUNNING_ON_VALGRIND: u64 = 0x1001;
    let request = [RUNNING_ON_VALGRIND, 0, 0, 0, 0, 0];
    let mut answer = 0_u64;
    // SAFETY: 128 steps to the left are none, and rbx is exchanged with itself.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") request.as_ptr(),
            inlateout("rdx") answer,
            options(nostack),
        );
    }
    answer != 0
}
