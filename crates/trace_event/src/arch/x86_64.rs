//! x86-64.

use core::arch::asm;
use core::arch::x86_64::__m128i;
use core::mem::transmute;

/// The instruction pointer, the stack pointer and rbp.
#[inline(always)]
pub(crate) fn registers() -> [u64; 3] {
    let (rip, rsp, rbp);
    // SAFETY: reads registers.
    unsafe {
        asm!(
            "lea {rip}, [rip]",
            "mov {rsp}, rsp",
            "mov {rbp}, rbp",
            rip = out(reg) rip,
            rsp = out(reg) rsp,
            rbp = out(reg) rbp,
            options(nomem, nostack, preserves_flags),
        );
    }
    [rip, rsp, rbp]
}

/// Reads two words by one instruction.
///
/// # Safety
///
/// The address is aligned to 16 bytes and valid for them, and no other thread writes there.
#[inline(always)]
pub(crate) unsafe fn load_pair(address: *const [u64; 2]) -> [u64; 2] {
    let loaded: __m128i;
    // SAFETY: the caller answers for the address.
    unsafe {
        asm!(
            "movdqa {0}, [{1}]",
            out(xmm_reg) loaded,
            in(reg) address,
            options(readonly, nostack, preserves_flags),
        );
    }
    // SAFETY: any bits are two words.
    unsafe { transmute(loaded) }
}

/// Writes two words by one instruction: a handler of a signal finds both as they were, or both as they are.
///
/// # Safety
///
/// The address is aligned to 16 bytes and valid for them, and no other thread reads there or writes.
#[inline(always)]
pub(crate) unsafe fn store_pair(address: *mut [u64; 2], words: [u64; 2]) {
    // SAFETY: any bits are a vector.
    let stored: __m128i = unsafe { transmute(words) };
    // SAFETY: the caller answers for the address.
    unsafe {
        asm!(
            "movdqa [{1}], {0}",
            in(xmm_reg) stored,
            in(reg) address,
            options(nostack, preserves_flags),
        );
    }
}

/// Sets bits of a word by one instruction.
///
/// # Safety
///
/// The address is aligned and valid for the word, and no other thread reads there or writes.
#[inline(always)]
pub(crate) unsafe fn set_bits(word: *mut u64, bits: u64) {
    // SAFETY: the caller's promise.
    unsafe { asm!("or qword ptr [{0}], {1}", in(reg) word, in(reg) bits, options(nostack)) };
}

/// Clears bits of a word by one instruction.
///
/// # Safety
///
/// As for [`set_bits`].
#[inline(always)]
pub(crate) unsafe fn clear_bits(word: *mut u64, bits: u64) {
    // SAFETY: the caller's promise.
    unsafe { asm!("and qword ptr [{0}], {1}", in(reg) word, in(reg) !bits, options(nostack)) };
}
