//! Laying out numbers, as the arguments of most tracepoints are.

use super::argument_code::ArgumentCode;
use abi::common;
use abi::site::{RawFormatSite, WORDS};
use core::sync::atomic::Ordering::Relaxed;

/// Up to two numbers of so many bytes, 8 or 4, or 0 where there is none, as the words of an event after the
/// first.
///
/// # Safety
///
/// There is a word for each.
#[inline(always)]
pub(super) unsafe fn numbers_in_words<const FIRST: usize, const SECOND: usize>(
    words: *const u64,
) -> [u64; 2] {
    // SAFETY: the caller's promise.
    let [first, second] = unsafe { [number::<FIRST>(words), number::<SECOND>(words.wrapping_add(1))] };
    if (FIRST, SECOND) == (4, 4) { [first | second << 32, 0] } else { [first, second] }
}

/// The first bytes of a word.
///
/// # Safety
///
/// It is there, unless the size is 0.
#[inline(always)]
unsafe fn number<const SIZE: usize>(word: *const u64) -> u64 {
    match SIZE {
        0 => 0,
        // SAFETY: the caller's promise.
        4 => u64::from(unsafe { word.cast::<u32>().read() }),
        // SAFETY: the caller's promise.
        _ => unsafe { word.read() },
    }
}

/// Lays out `COUNT` numbers, the arguments of a site, without a branch. The event ends where the site's fixed
/// part does.
///
/// # Safety
///
/// The site has been registered, and these are its arguments, a word for each.
#[inline(always)]
pub(super) unsafe fn lay_out_numbers<const COUNT: usize>(
    site: &RawFormatSite,
    words: *const u64,
    payload: &mut [u64; WORDS],
) -> usize {
    let (mut index, mut word) = (1, 0);
    for (at, code) in site.arguments.iter().enumerate().take(COUNT) {
        let code = ArgumentCode::known(code.load(Relaxed));
        // SAFETY: the caller's promise.
        let value = code.number(unsafe { words.add(at).read() });
        word |= value.wrapping_shl(code.shift_of_number());
        payload[index & (WORDS - 1)] = word;
        let step = code.words_to_next();
        index += step;
        word &= (step as u64).wrapping_sub(1);
    }
    // No more than that: so much less has to be found out of the event's size.
    usize::from(site.fixed_end.load(Relaxed)).min(common::SIZE + 8 * COUNT)
}
