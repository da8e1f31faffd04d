//! Events that are longer than what may be taken of a program's stack: up to what fits a page.

use super::argument_writer::{TextSpace, lay_out};
use super::long_place::{LONGEST, LongPlace};
use super::program_text::Readable;
use crate::Entered;
use abi::site::RawFormatSite;
use core::slice::from_raw_parts;
use core::sync::atomic::Ordering::Relaxed;
use ring_buffer::RecordBuffer;

/// Records an event of a site whose texts or dumps don't fit what a site has space for. Whether it has: false
/// where there is no place for it.
///
/// # Safety
///
/// As for [`lay_out`].
#[cold]
#[inline(never)]
pub(super) unsafe fn write(
    entered: Entered,
    site: &RawFormatSite,
    words: *const u64,
    readable: Readable,
) -> bool {
    let Some(place) = LongPlace::take(entered.tid().cast_unsigned()) else { return false };
    // SAFETY: the place is this thread's until it is given back below.
    let (payload, record) = unsafe { (&mut *place.words.get(), &mut *place.record.get()) };
    // SAFETY: the caller's promise.
    let mut lay_out = |space| unsafe { lay_out(site, words, (&mut *payload, space), readable) };
    let laid_out = match lay_out(TextSpace::All) {
        whole if !whole.is_cut => whole,
        _ => lay_out(TextSpace::Fair),
    };
    payload[0] = entered.common(site.site.id.load(Relaxed) as u16);
    let record = record.write(RecordBuffer::new());
    // SAFETY: any words are bytes; an event is no longer than they are.
    record.push_bytes(unsafe { from_raw_parts(payload.as_ptr().cast(), laid_out.len.min(LONGEST * 8)) });
    entered.write(record.event());
    place.give_back();
    true
}
