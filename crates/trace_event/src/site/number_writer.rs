//! Laying out arguments that are all numbers, as those of most tracepoints are.

use super::argument_code::ArgumentCode;
use abi::common;
use abi::site::{RawFormatSite, WORDS};
use core::sync::atomic::Ordering::Relaxed;

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
