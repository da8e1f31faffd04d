//! Events that are longer than what may be taken of a program's stack: up to what fits a page.

use super::argument_writer::{GivenArguments, LaidOutEvent, TextSpace, lay_out};
use super::long_place::{LONGEST, LongPlace};
use crate::Entered;
use abi::site::Payload;
use core::slice::from_raw_parts;
use core::sync::atomic::Ordering::Relaxed;
use ring_buffer::{EncodedEvent, RecordBuffer};

/// Records an event whose texts or dumps don't fit what a site has space for. Where there is no place for it,
/// they are cut to that.
///
/// # Safety
///
/// As for [`lay_out`].
#[cold]
#[inline(never)]
pub(super) unsafe fn write(entered: Entered, given: GivenArguments<'_>, payload: &mut Payload) {
    let common = entered.common(given.site.site.id.load(Relaxed) as u16);
    let Some(place) = LongPlace::take(entered.tid().cast_unsigned()) else {
        // SAFETY: the caller's promise.
        let laid_out = unsafe { lay_out(given, &mut payload.words, TextSpace::Fair) };
        payload.words[0] = common;
        // SAFETY: so many bytes were laid out.
        return entered.write(unsafe { EncodedEvent::of(payload, laid_out.len) });
    };
    // SAFETY: the place is this thread's until it is given back below.
    let (words, record) = unsafe { (&mut *place.words.get(), &mut *place.record.get()) };
    // SAFETY: the caller's promise.
    let mut laid_out = unsafe { lay_out_long(given, words, TextSpace::All) };
    if laid_out.is_cut {
        // SAFETY: the caller's promise.
        laid_out = unsafe { lay_out_long(given, words, TextSpace::Fair) };
    }
    words[0] = common;
    let record = record.write(RecordBuffer::new());
    // SAFETY: any words are bytes; an event is no longer than they are.
    record.push_bytes(unsafe { from_raw_parts(words.as_ptr().cast(), laid_out.len.min(LONGEST * 8)) });
    entered.write(record.event());
    place.give_back();
}

/// As [`lay_out`].
///
/// # Safety
///
/// As for [`lay_out`].
#[inline(never)]
unsafe fn lay_out_long(
    given: GivenArguments<'_>,
    words: &mut [u64; LONGEST],
    space: TextSpace,
) -> LaidOutEvent {
    // SAFETY: the caller's promise.
    unsafe { lay_out(given, words, space) }
}
