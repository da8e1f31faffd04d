//! Laying out numbers, as the arguments of most tracepoints are.

use super::argument_code::ArgumentCode;
use abi::common;
use abi::site::{RawFormatSite, WORDS};
use core::sync::atomic::Ordering::Relaxed;

/// `COUNT` numbers, the arguments of a site, as the words of its event after the first: two at most.
///
/// # Safety
///
/// The site has been registered, and these are its arguments, a word for each.
#[inline(always)]
pub(super) unsafe fn numbers_in_words<const COUNT: usize>(
    site: &RawFormatSite,
    words: *const u64,
) -> [u64; 2] {
    const { assert!(COUNT <= 2) };
    let (mut first, mut second, mut is_second) = (0, 0, 0);
    for (at, code) in site.arguments.iter().enumerate().take(COUNT) {
        let code = ArgumentCode::known(code.load(Relaxed));
        // SAFETY: the caller's promise.
        let value = code.number(unsafe { words.add(at).read() }).wrapping_shl(code.shift_of_number());
        first |= value & !is_second;
        second |= value & is_second;
        is_second |= (code.words_to_next() as u64).wrapping_neg();
    }
    [first, second]
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
    // SAFETY: the caller's promise.
    unsafe { lay_out_first::<COUNT>(site, words, payload) };
    // No more than that: so much less has to be found out of the event's size.
    usize::from(site.fixed_end.load(Relaxed)).min(common::SIZE + 8 * COUNT)
}

/// Lays out those of a site's arguments that are numbers: the first `COUNT`. Which word the next field is in,
/// and that word, as far as it is filled.
///
/// # Safety
///
/// As for [`lay_out_numbers`].
#[inline(always)]
pub(super) unsafe fn lay_out_first<const COUNT: usize>(
    site: &RawFormatSite,
    words: *const u64,
    payload: &mut [u64; WORDS],
) -> (usize, u64) {
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
    (index, word)
}
