//! Instructions of x86-64.

use core::arch::asm;

/// Replaces two words by one locked instruction, if they are as expected.
///
/// # Safety
///
/// `address` is 16-byte aligned and valid for 16 bytes. The processor has cmpxchg16b: every x86-64 one since
/// 2006.
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
