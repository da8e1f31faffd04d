//! x86-64.

use core::arch::asm;
use core::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_setzero_si128,
};
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

/// The word at an offset from the thread pointer.
///
/// # Safety
///
/// It is there.
#[inline(always)]
pub(crate) unsafe fn load_at_thread_pointer(offset: isize) -> u32 {
    let word;
    // SAFETY: the caller answers for the place.
    unsafe {
        asm!(
            "mov {word:e}, fs:[{offset}]",
            word = lateout(reg) word,
            offset = in(reg) offset,
            options(readonly, nostack, preserves_flags),
        );
    }
    word
}

/// The first 32 bytes of a text.
///
/// # Safety
///
/// They can be read.
#[inline(always)]
pub(crate) unsafe fn load_text(text: *const u8) -> [__m128i; 2] {
    let (first, second);
    // By instructions: the program may change it meanwhile.
    // SAFETY: the caller answers for the bytes.
    unsafe {
        asm!(
            "movdqu {first}, [{text}]",
            "movdqu {second}, [{text} + 16]",
            text = in(reg) text,
            first = out(xmm_reg) first,
            second = lateout(xmm_reg) second,
            options(readonly, nostack, preserves_flags),
        );
    }
    [first, second]
}

/// How many bytes are before the first that is zero; 32 where none is.
#[inline(always)]
pub(crate) fn before_zero([first, second]: [__m128i; 2]) -> usize {
    // SAFETY: all x86-64 processors have these.
    let zeros = |bytes| unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())) } as u32;
    (zeros(first) | zeros(second) << 16).trailing_zeros() as usize
}

/// The first `len` bytes of 32, and zeros after them.
#[inline(always)]
pub(crate) fn cut([first, second]: [__m128i; 2], len: usize) -> [__m128i; 2] {
    /// As many bytes that are kept as are not, in one line of the cache.
    #[repr(align(64))]
    struct CutMask([[u8; 32]; 2]);
    static KEPT: CutMask = CutMask([[!0; 32], [0; 32]]);
    let kept = KEPT.0.as_flattened().as_ptr().wrapping_add(32 - len.min(32)).cast::<__m128i>();
    // SAFETY: all x86-64 processors have these. What is read of the table is in it.
    unsafe {
        let [of_first, of_second] = [_mm_loadu_si128(kept), _mm_loadu_si128(kept.wrapping_add(1))];
        [_mm_and_si128(first, of_first), _mm_and_si128(second, of_second)]
    }
}

/// Copies 16 bytes, which need not be aligned. A bit for each that is 0, the lowest for the first.
///
/// # Safety
///
/// They can be read there, and written.
#[inline(always)]
pub(crate) unsafe fn copy_16(from: *const u8, to: *mut u8) -> u32 {
    let zeros;
    // SAFETY: the caller answers for the addresses.
    unsafe {
        asm!(
            "movdqu {bytes}, [{from}]",
            "movdqu [{to}], {bytes}",
            "pxor {zero}, {zero}",
            "pcmpeqb {bytes}, {zero}",
            "pmovmskb {zeros:e}, {bytes}",
            from = in(reg) from,
            to = in(reg) to,
            bytes = out(xmm_reg) _,
            zero = out(xmm_reg) _,
            zeros = lateout(reg) zeros,
            options(nostack, preserves_flags),
        );
    }
    zeros
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
