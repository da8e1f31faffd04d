//! Laying out up to two numbers and a text after them, which is where their sizes say.

use super::argument_writer::copy_bytes;
use super::number_writer::numbers_in_words;
use super::program_text::{Readable, copy_text};
use crate::arch::{before_zero, cut, load_text};
use abi::common;
use abi::site::WORDS;
use ring_buffer::{Bytes, TextEvent};

/// Where the place of a text is in its event, after numbers of so many bytes.
const fn place_after(first: usize, second: usize) -> usize {
    match (first, second) {
        (_, 8) => common::SIZE + 16,
        _ => common::SIZE + first + second,
    }
}

/// Where a text starts whose place is there.
const fn start_after(place: usize) -> usize {
    (place + size_of::<u32>()).next_multiple_of(8)
}

/// The word of the fixed part which has a text's place there, from that word without it.
#[inline(always)]
const fn with_place(word: u64, place: usize, len: usize) -> u64 {
    let text = (len as u64 + 1) << 16 | start_after(place) as u64;
    if place.is_multiple_of(8) { text } else { word | text << 32 }
}

/// An event that fits registers: a few words, and a text of so many bytes after them.
pub(super) struct ShortText {
    pub(super) words: [u64; 3],
    pub(super) text: [Bytes; 2],
    pub(super) len: usize,
}

/// One of numbers of `FIRST` and `SECOND` bytes, 8, 4 or 0, and a text that starts at `START`. None of a text
/// that registers have no space for, of one that may not be there, and of an empty one that has an address
/// alone.
///
/// # Safety
///
/// As for [`lay_out_text`]. What `lasting` says of an address holds: so many bytes can be read there.
#[inline(always)]
pub(super) unsafe fn short_text<
    const FIRST: usize,
    const SECOND: usize,
    const START: usize,
    const HAVE_LENGTHS: bool,
>(
    common: u64,
    words: *const u64,
    lasting: impl Fn(usize) -> usize,
) -> Option<ShortText> {
    const MOST: usize = size_of::<[Bytes; 2]>();
    let place = const { place_after(FIRST, SECOND) };
    const { assert!(start_after(place_after(FIRST, SECOND)) == START && MOST == TextEvent::<START>::MOST) };
    let text = words.wrapping_add(usize::from(FIRST > 0) + usize::from(SECOND > 0));
    // SAFETY: the caller's promise.
    let word = |at: usize| unsafe { text.add(at).read() } as usize;
    let address = word(usize::from(HAVE_LENGTHS));
    if lasting(address) < MOST {
        return None;
    }
    // SAFETY: so much can be read.
    let bytes = unsafe { load_text(address as *const u8) };
    let len = if HAVE_LENGTHS { word(0) } else { before_zero(bytes) };
    if len >= MOST || len == 0 && !HAVE_LENGTHS {
        return None;
    }
    // SAFETY: the caller's promise.
    let [first, second] = unsafe { numbers_in_words::<FIRST, SECOND>(words) };
    let words = match place / 8 {
        1 => [common, with_place(first, place, len), second],
        _ => [common, first, with_place(second, place, len)],
    };
    Some(ShortText { words, text: cut(bytes, len), len })
}

/// Lays out numbers of `FIRST` and `SECOND` bytes, 8, 4 or 0, and a text. Where the event ends; None of a
/// text that there is no space for, and of one that has an address alone and is empty there, or isn't there.
///
/// # Safety
///
/// There is a word for each number and for the text's address, with one for its length before it where texts
/// have lengths. There is as much of it as is said.
#[inline(always)]
pub(super) unsafe fn lay_out_text<const FIRST: usize, const SECOND: usize, const HAVE_LENGTHS: bool>(
    words: *const u64,
    payload: &mut [u64; WORDS],
    readable: Readable,
) -> Option<usize> {
    let place = const { place_after(FIRST, SECOND) };
    let (start, at) = (const { start_after(place_after(FIRST, SECOND)) }, place / 8);
    let text = words.wrapping_add(usize::from(FIRST > 0) + usize::from(SECOND > 0));
    // SAFETY: the caller's promise.
    let word = |at: usize| unsafe { text.add(at).read() } as usize;
    // SAFETY: the caller's promise. What of these words no number has is the text's.
    [payload[1], payload[2]] = unsafe { numbers_in_words::<FIRST, SECOND>(words) };
    let len = if HAVE_LENGTHS {
        let len = Some(word(0)).filter(|len| *len < WORDS * 8 - start)?;
        // SAFETY: the caller's promise.
        unsafe { copy_bytes(payload, start, word(1) as *const u8, (len, 1)) };
        len
    } else {
        // SAFETY: as much is read as can be.
        unsafe { copy_text(payload, start, word(0) as *const u8, readable) }?
    };
    payload[at] = with_place(payload[at], place, len);
    Some(start + len + 1)
}
