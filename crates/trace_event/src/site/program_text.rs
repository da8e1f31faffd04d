//! Texts of the program's, which may be anywhere.

use crate::arch;
use crate::lasting::lasting;
use abi::site::WORDS;
use core::ops::Range;
use shm::PAGE;

/// How many bytes from an address on can be read, up to so many.
pub(super) type Readable = fn(*const u8, usize) -> usize;

/// How long a text is that ends with a zero byte, or where it can't be read any more, or after `most` bytes.
///
/// # Safety
///
/// What `readable` says holds.
#[inline(never)]
pub(super) unsafe fn len_of_text(text: *const u8, most: usize, readable: Readable) -> usize {
    let mut len = 0;
    while len < most {
        let rest = text.wrapping_add(len);
        let in_page = (PAGE - (rest.addr() & (PAGE - 1))).min(most - len);
        let there = readable(rest, in_page);
        // SAFETY: so many bytes can be read.
        let before_zero = unsafe { len_before_zero(rest, there) };
        len += before_zero;
        if before_zero < there {
            return len;
        }
        if there < in_page {
            break;
        }
    }
    len
}

/// Copies a text that ends with a zero byte, with it and zeros up to the end of its last word, to `start` in
/// a payload, in one pass. Its length. None of one that is empty, that doesn't fit, that can't be read, or
/// that goes on in another page: what comes there may have to be asked for.
///
/// # Safety
///
/// What `readable` says holds.
#[inline(always)]
pub(super) unsafe fn copy_text(
    payload: &mut [u64; WORDS],
    start: usize,
    text: *const u8,
    readable: Readable,
) -> Option<usize> {
    const STEP: usize = 16;
    let to = payload.as_mut_ptr().cast::<u8>().wrapping_add(start);
    let space = WORDS * 8 - start;
    let there = match lasting(text.addr()).min(space) {
        few if few < space => readable(text, space.min(PAGE - (text.addr() & (PAGE - 1)))),
        enough => enough,
    };
    let mut len = 0;
    loop {
        if len + STEP > there {
            // SAFETY: so many bytes can be read, and there is space for as many.
            len = unsafe { copy_last(text, to, len..there) }?;
            break;
        }
        // SAFETY: likewise.
        let zeros = unsafe { arch::copy_16(text.add(len), to.add(len)) };
        if zeros != 0 {
            len += zeros.trailing_zeros() as usize;
            break;
        }
        len += STEP;
    }
    let last = payload.get_mut((start + len) / 8).filter(|_| len > 0)?;
    *last &= (1 << (len % 8 * 8)) - 1;
    Some(len)
}

/// Copies so many bytes, up to a zero byte: which one that is. None where there is none.
///
/// # Safety
///
/// They can be read, and there is space for as many.
#[cold]
#[inline(never)]
unsafe fn copy_last(from: *const u8, to: *mut u8, mut bytes: Range<usize>) -> Option<usize> {
    bytes.find(|at| {
        // SAFETY: the caller's promise. Volatile: the program may change it.
        let byte = unsafe { from.add(*at).read_volatile() };
        // SAFETY: the caller's promise.
        unsafe { to.add(*at).write(byte) };
        byte == 0
    })
}

/// How many of so many bytes are before the first zero.
///
/// # Safety
///
/// They can be read.
unsafe fn len_before_zero(bytes: *const u8, count: usize) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const TOPS: u64 = u64::from_ne_bytes([0x80; 8]);
    let mut at = 0;
    while at + 8 <= count {
        // SAFETY: the caller's promise. Volatile: the program may change it.
        let word = unsafe { bytes.add(at).cast::<Unaligned>().read_volatile() }.0;
        // The lowest bit that is set is the top bit of the first byte that is 0.
        let zeros = word.wrapping_sub(ONES) & !word & TOPS;
        if zeros != 0 {
            return at + zeros.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    // SAFETY: the caller's promise.
    while at < count && unsafe { bytes.add(at).read_volatile() } != 0 {
        at += 1;
    }
    at
}

/// A word anywhere.
#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Unaligned(u64);

/// The last place up to `end` at which no character of UTF-8 is in the middle.
///
/// # Safety
///
/// A byte more than `end` can be read.
pub(super) unsafe fn end_of_character(text: *const u8, end: usize) -> usize {
    /// What all bytes of a character but its first are in their upper bits.
    const CONTINUES: u8 = 0b10;
    // SAFETY: the caller's promise.
    let continues = |at: &usize| unsafe { text.add(*at).read_volatile() } >> 6 == CONTINUES;
    (end.saturating_sub(3)..=end).rev().find(|at| !continues(at)).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_at_its_zero_byte_wherever_that_is() {
        let bytes: [u8; 40] = core::array::from_fn(|at| 0x7f + at as u8);
        for (start, len) in (0..10).flat_map(|start| (0..30).map(move |len| (start, len))) {
            let mut text = bytes;
            text[start + len] = 0;
            // What is after the first zero makes no difference.
            text[39] = 0;
            let count = |most| {
                // SAFETY: all of it can be read.
                unsafe { len_of_text(text[start..].as_ptr(), most, |_, wanted| wanted) }
            };
            assert_eq!((count(40 - start), count(len)), (len, len));
            assert_eq!(count(len.saturating_sub(1)), len.saturating_sub(1));
        }
    }
}
