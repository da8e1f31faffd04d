//! Laying out numbers and a text after them: without the loop over what arguments may be.

use super::argument_code::ArgumentCode;
use super::argument_writer::{GivenArguments, copy_bytes, place_of};
use super::format_fields::aligned;
use super::number_writer::lay_out_first;
use super::program_text::len_of_text;
use abi::site::WORDS;
use core::sync::atomic::Ordering::Relaxed;

/// Lays out `COUNT` numbers and a text. Where the event ends; None of a text that there is no space for, and
/// of one that has an address alone and is empty there, or isn't there.
///
/// # Safety
///
/// The site has been registered, and these are its arguments: a word for each, and one for the text's length
/// before its address where texts have lengths. There is as much of it as is said.
#[inline(always)]
pub(super) unsafe fn lay_out_text<const COUNT: usize>(
    given: GivenArguments<'_>,
    payload: &mut [u64; WORDS],
) -> Option<usize> {
    let GivenArguments { site, words, have_lengths, readable } = given;
    let share = usize::from(site.share.load(Relaxed));
    // SAFETY: the caller's promise.
    let word = |at: usize| unsafe { words.add(COUNT + at).read() } as usize;
    let (bytes, len) = match have_lengths {
        true => (word(1) as *const u8, word(0)),
        // SAFETY: as much is read as can be.
        false => (word(0) as *const u8, unsafe { len_of_text(word(0) as *const u8, share, readable) }),
    };
    if len >= share || len == 0 && !have_lengths {
        return None;
    }
    // SAFETY: the caller's promise.
    let (index, word) = unsafe { lay_out_first::<COUNT>(site, words, payload) };
    let code = ArgumentCode::known(site.arguments[COUNT].load(Relaxed));
    let start = aligned(usize::from(site.fixed_end.load(Relaxed)), 8);
    payload[index & (WORDS - 1)] = word | place_of(code, start, len + 1);
    // SAFETY: so much can be read.
    unsafe { copy_bytes(payload, start, bytes, (len, 1)) };
    Some(start + len + 1)
}
