//! Tracepoints with a format of printf(3).

use super::argument_code::{ArgumentCode, UNBOUNDED};
use super::argument_writer::{GivenArguments, TextSpace, lay_out};
use super::format_fields::{BadFormat, FormatFields};
use super::format_text::FormatText;
use super::long_event;
use super::number_writer::{lay_out_numbers, numbers_in_words};
use super::printf_format::PrintfFormat;
use super::text;
use super::text_writer::{lay_out_text, short_text};
use crate::current::shared;
use crate::lasting::lasting;
use crate::{PlainWriter, enter, enter_known};
use abi::site::{FORMAT_SYSTEM, Payload, RawFormatSite, RawSite};
use control::{ControlArea, NotAdded};
use core::ffi::c_void;
use core::fmt::Write;
use core::mem::MaybeUninit;
use core::sync::atomic::Ordering::Relaxed;
use printf_format::FormatString;
use ring_buffer::{EncodedEvent, ShortEvent, TextEvent};

/// The id of a site's event, which is entered into the session if it isn't there. The site learns how its
/// arguments are laid out. None, and the session says why, if the format is refused.
///
/// # Safety
///
/// As for [`register`](super::register).
pub(super) unsafe fn id_of(site: &RawFormatSite, control: &ControlArea) -> Option<u16> {
    // SAFETY: the caller's promise.
    let (name, format) = unsafe { (text(site.site.name)?, text(site.site.print)?) };
    let fields = match FormatFields::of(FormatString::new(format)) {
        // One that its compiler has warned of, in a program that was made nevertheless.
        Ok(fields) if fields.count() != site.site.field_count as usize => Err(BadFormat::OtherArguments),
        found => found,
    };
    let fields = fields.map_err(|bad| tell_bad(control, name, format, bad)).ok()?;
    let mut description = FormatText::new();
    write!(description, "{}", PrintfFormat::of(format, &fields)).ok()?;
    match control.add_declared_event(FORMAT_SYSTEM, name, description.as_str(), format) {
        Ok(id) => {
            for (word, code) in site.arguments.iter().zip(fields.words()) {
                word.store(code, Relaxed);
            }
            site.fixed_end.store(fields.fixed_end, Relaxed);
            site.share.store(fields.share, Relaxed);
            Some(id)
        }
        Err(NotAdded::Declared(before)) => {
            let mut buffer = [0; DESCRIPTION];
            let before = control.declaration(before, &mut buffer).unwrap_or_default();
            let [start, from, to, end] = ["the format of tracepoint '", "' changes from '", "' to '", "'"];
            control.tell_refused(&[start, name, from, before, to, format, end]);
            None
        }
        Err(NotAdded::NoSpace) => None,
    }
}

/// Bytes of the longest description.
const DESCRIPTION: usize = 8192;

/// Says that no event can have a format.
fn tell_bad(control: &ControlArea, name: &str, format: &str, bad: BadFormat) {
    let found = match bad {
        BadFormat::Unsupported(letter) => [letter as u8],
        _ => [0],
    };
    let (why, letter, end) = match bad {
        BadFormat::Unsupported('\0') => ("ends within a conversion", "", ""),
        BadFormat::Unsupported(_) => {
            let letter = core::str::from_utf8(&found).unwrap_or("?");
            ("has a conversion that events don't have, at '", letter, "'")
        }
        BadFormat::TooManyArguments => ("has more arguments than an event can have", "", ""),
        BadFormat::OtherArguments => ("doesn't fit the arguments", "", ""),
    };
    control.tell_refused(&["the format of tracepoint '", name, "' ", why, letter, end, ": '", format, "'"]);
}

/// What a site calls.
type WriteArguments = unsafe extern "C" fn(*const RawSite, *const u64);

/// What a site calls with these arguments.
pub(super) fn write_of(site: &RawFormatSite) -> *mut c_void {
    let codes = || site.arguments.iter().map_while(|code| ArgumentCode::of(code.load(Relaxed)));
    let numbers = codes().take_while(|code| code.is_number()).count();
    let size = |at| codes().take(numbers).nth(at).map_or(0, ArgumentCode::size);
    let is_text = |code: ArgumentCode| code.is_text() && code.amount() == usize::from(UNBOUNDED);
    let write = match (codes().count() - numbers, numbers) {
        (0, _) => write_of_numbers(numbers, [size(0), size(1)]),
        (1, 0..=2) if codes().nth(numbers).is_some_and(is_text) => write_of_text(site, [size(0), size(1)]),
        _ => None,
    };
    let write = write.unwrap_or(write_any_of(site));
    write as *mut c_void
}

/// What records so many numbers, of such sizes. None of many.
fn write_of_numbers(count: usize, sizes: [usize; 2]) -> Option<WriteArguments> {
    Some(match (count, sizes) {
        (0, _) => write_short::<0, 0, 8>,
        (1, [4, _]) => write_short::<4, 0, 12>,
        (1, [8, _]) => write_short::<8, 0, 16>,
        (2, [4, 4]) => write_short::<4, 4, 16>,
        (2, [8, 4]) => write_short::<8, 4, 20>,
        (2, [4, 8]) => write_short::<4, 8, 24>,
        (2, [8, 8]) => write_short::<8, 8, 24>,
        (1, _) => write_numbers::<1>,
        (2, _) => write_numbers::<2>,
        (3, _) => write_numbers::<3>,
        (4, _) => write_numbers::<4>,
        _ => return None,
    })
}

/// What records numbers of such sizes, two at most, and a text. None of others.
fn write_of_text(site: &RawFormatSite, sizes: [usize; 2]) -> Option<WriteArguments> {
    Some(match (site.site.texts_have_lengths != 0, sizes) {
        (false, [0, 0]) => write_short_text::<0, 0, 16, false>,
        (false, [4, 0]) => write_short_text::<4, 0, 16, false>,
        (false, [8, 0]) => write_short_text::<8, 0, 24, false>,
        (false, [4, 4]) => write_short_text::<4, 4, 24, false>,
        (false, [4, 8]) => write_text::<4, 8, false>,
        (false, [8, 4]) => write_short_text::<8, 4, 24, false>,
        (false, [8, 8]) => write_text::<8, 8, false>,
        (true, [0, 0]) => write_short_text::<0, 0, 16, true>,
        (true, [4, 0]) => write_short_text::<4, 0, 16, true>,
        (true, [8, 0]) => write_short_text::<8, 0, 24, true>,
        (true, [4, 4]) => write_short_text::<4, 4, 24, true>,
        (true, [4, 8]) => write_text::<4, 8, true>,
        (true, [8, 4]) => write_short_text::<8, 4, 24, true>,
        (true, [8, 8]) => write_text::<8, 8, true>,
        _ => return None,
    })
}

/// What records any arguments.
fn write_any_of(site: &RawFormatSite) -> WriteArguments {
    if site.site.texts_have_lengths == 0 { write::<false> } else { write::<true> }
}

/// Records an event of up to two numbers, of `FIRST` and `SECOND` bytes: one of `LEN` bytes, which fits
/// registers.
///
/// # Safety
///
/// The site is one that has been registered, with these arguments.
unsafe extern "C" fn write_short<const FIRST: usize, const SECOND: usize, const LEN: usize>(
    site: *const RawSite,
    words: *const u64,
) {
    // SAFETY: the site is one that has been registered, and has these arguments.
    let (id, [first, second]) =
        unsafe { ((*site).id.load(Relaxed) as u16, numbers_in_words::<FIRST, SECOND>(words)) };
    let is_written = enter_known().is_some_and(|known| {
        let event = ShortEvent::<LEN>::of([known.entered().common(id), first, second]);
        known.plain_writer(id).is_some_and(|writer| writer.try_write_short(event, None))
    });
    if !is_written {
        write_words::<LEN>(id, first, second);
    }
}

/// Records an event of these words by way of memory.
#[cold]
#[inline(never)]
fn write_words<const LEN: usize>(id: u16, first: u64, second: u64) {
    if let Some(entered) = enter() {
        entered.write(ShortEvent::<LEN>::of([entered.common(id), first, second]).record().event());
    }
}

/// Records an event of so many numbers.
///
/// # Safety
///
/// The site is one that has been registered, with these arguments.
unsafe extern "C" fn write_numbers<const COUNT: usize>(site: *const RawSite, words: *const u64) {
    let Some(entered) = enter() else { return };
    let mut space = MaybeUninit::<Payload>::uninit();
    // SAFETY: the site is one with a format, and has these arguments. The payload is written before it is
    // read.
    unsafe {
        let (site, payload) = (&*site.cast::<RawFormatSite>(), &mut *space.as_mut_ptr());
        payload.words[0] = entered.common(site.site.id.load(Relaxed) as u16);
        let len = lay_out_numbers::<COUNT>(site, words, &mut payload.words);
        entered.write(EncodedEvent::of(payload, len));
    }
}

/// Records an event of up to two numbers, of `FIRST` and `SECOND` bytes, and a text that starts at `START` in
/// it: one that fits registers, if that can be read for sure.
///
/// # Safety
///
/// As for [`write`].
unsafe extern "C" fn write_short_text<
    const FIRST: usize,
    const SECOND: usize,
    const START: usize,
    const HAVE_LENGTHS: bool,
>(
    site: *const RawSite,
    words: *const u64,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let is_written = enter_known().is_some_and(|known| {
            let id = (*site).id.load(Relaxed) as u16;
            let (writer, common) = (known.plain_writer(id), known.entered().common(id));
            let write = |writer: PlainWriter| {
                let short = short_text::<FIRST, SECOND, START, HAVE_LENGTHS>(common, words, lasting)?;
                let event = TextEvent::<START>::of(short.words, short.text, short.len + 1);
                writer.try_write_text(event).then_some(())
            };
            writer.and_then(write).is_some()
        });
        if !is_written {
            write_text::<FIRST, SECOND, HAVE_LENGTHS>(site, words);
        }
    }
}

/// Records an event of up to two numbers, of `FIRST` and `SECOND` bytes, and a text.
///
/// # Safety
///
/// As for [`write`].
unsafe extern "C" fn write_text<const FIRST: usize, const SECOND: usize, const HAVE_LENGTHS: bool>(
    site: *const RawSite,
    words: *const u64,
) {
    let (Some(entered), Some(shared)) = (enter(), shared()) else { return };
    let mut space = MaybeUninit::<Payload>::uninit();
    // SAFETY: the caller's promise. The payload is written before it is read.
    unsafe {
        let (payload, readable) = (&mut *space.as_mut_ptr(), shared.hooks.readable);
        let end = lay_out_text::<FIRST, SECOND, HAVE_LENGTHS>(words, &mut payload.words, readable);
        let Some(end) = end else { return write::<HAVE_LENGTHS>(site, words) };
        payload.words[0] = entered.common((*site).id.load(Relaxed) as u16);
        entered.write(EncodedEvent::of(payload, end));
    }
}

/// Records an event of arguments of any kind.
///
/// # Safety
///
/// The site is one that has been registered, with these arguments: see [`lay_out`]. Whether its texts have
/// lengths is as it says.
unsafe extern "C" fn write<const HAVE_LENGTHS: bool>(site: *const RawSite, words: *const u64) {
    let (Some(entered), Some(shared)) = (enter(), shared()) else { return };
    let mut space = MaybeUninit::<Payload>::uninit();
    // SAFETY: the site is one with a format, and has these arguments. The payload is written before it is
    // read.
    unsafe {
        let (site, payload) = (&*site.cast::<RawFormatSite>(), &mut *space.as_mut_ptr());
        let given =
            GivenArguments { site, words, have_lengths: HAVE_LENGTHS, readable: shared.hooks.readable };
        let laid_out = lay_out(given, &mut payload.words, TextSpace::Share);
        if laid_out.is_cut {
            return long_event::write(entered, given, payload);
        }
        payload.words[0] = entered.common(site.site.id.load(Relaxed) as u16);
        entered.write(EncodedEvent::of(payload, laid_out.len));
    }
}
