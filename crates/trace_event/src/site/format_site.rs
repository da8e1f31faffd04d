//! Tracepoints with a format of printf(3).

use super::argument_code::{ArgumentCode, UNBOUNDED};
use super::argument_writer::{GivenArguments, TextSpace, lay_out};
use super::format_fields::{BadFormat, FormatFields};
use super::format_text::FormatText;
use super::long_event;
use super::number_writer::{lay_out_numbers, numbers_in_words};
use super::printf_format::PrintfFormat;
use super::text;
use super::text_writer::lay_out_text;
use crate::current::shared;
use crate::enter;
use abi::site::{Arguments, FORMAT_SYSTEM, RawFormatSite, RawSite};
use control::{ControlArea, NotAdded};
use core::ffi::c_void;
use core::fmt::Write;
use core::sync::atomic::Ordering::Relaxed;
use printf_format::FormatString;
use ring_buffer::{EncodedEvent, ShortEvent};

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
type WriteArguments = unsafe extern "C" fn(*const RawSite, *mut Arguments, usize);

/// What a site calls with these arguments.
pub(super) fn write_of(site: &RawFormatSite) -> *mut c_void {
    let codes = || site.arguments.iter().map_while(|code| ArgumentCode::of(code.load(Relaxed)));
    let numbers = codes().take_while(|code| code.is_number()).count();
    let is_text = |code: ArgumentCode| code.is_text() && code.amount() == usize::from(UNBOUNDED);
    let write: WriteArguments = match (codes().count() - numbers, numbers) {
        (0, _) => write_of_numbers(numbers, site.fixed_end.load(Relaxed)).unwrap_or(write_any_of(site)),
        (1, 0..=2) if codes().nth(numbers).is_some_and(is_text) => write_of_text(site, numbers),
        _ => write_any_of(site),
    };
    write as *mut c_void
}

/// What records so many numbers, in an event whose fixed part ends there. None of many.
fn write_of_numbers(count: usize, fixed_end: u16) -> Option<WriteArguments> {
    Some(match (count, fixed_end.next_multiple_of(4)) {
        (0, _) => write_short::<0, 8>,
        (1, 12) => write_short::<1, 12>,
        (1, _) => write_short::<1, 16>,
        (2, 12) => write_short::<2, 12>,
        (2, 16) => write_short::<2, 16>,
        (2, 20) => write_short::<2, 20>,
        (2, _) => write_short::<2, 24>,
        (3, _) => write_numbers::<3>,
        (4, _) => write_numbers::<4>,
        _ => return None,
    })
}

/// What records so many numbers, two at most, and a text.
fn write_of_text(site: &RawFormatSite, numbers: usize) -> WriteArguments {
    match (site.site.texts_have_lengths != 0, numbers) {
        (false, 0) => write_text::<0, false>,
        (false, 1) => write_text::<1, false>,
        (false, _) => write_text::<2, false>,
        (true, 0) => write_text::<0, true>,
        (true, 1) => write_text::<1, true>,
        (true, _) => write_text::<2, true>,
    }
}

/// What records any arguments.
fn write_any_of(site: &RawFormatSite) -> WriteArguments {
    if site.site.texts_have_lengths == 0 { write::<false> } else { write::<true> }
}

/// Records an event of so many numbers that it fits registers, of `LEN` bytes.
///
/// # Safety
///
/// The site is one that has been registered, with these arguments.
unsafe extern "C" fn write_short<const COUNT: usize, const LEN: usize>(
    site: *const RawSite,
    arguments: *mut Arguments,
    _len: usize,
) {
    let Some(entered) = enter() else { return };
    // SAFETY: the site is one with a format, and the caller lends the arguments.
    let [first, second] =
        unsafe { numbers_in_words::<COUNT>(&*site.cast::<RawFormatSite>(), (*arguments).words) };
    // SAFETY: the site is one that has been registered.
    let common = entered.common(unsafe { (*site).id.load(Relaxed) } as u16);
    entered.write_short(ShortEvent::of([common, first, second], LEN));
}

/// Records an event of so many numbers.
///
/// # Safety
///
/// The site is one that has been registered, with these arguments.
unsafe extern "C" fn write_numbers<const COUNT: usize>(
    site: *const RawSite,
    arguments: *mut Arguments,
    _len: usize,
) {
    let Some(entered) = enter() else { return };
    // SAFETY: the site is one with a format, and the caller lends the arguments.
    unsafe {
        let (site, arguments) = (&*site.cast::<RawFormatSite>(), &mut *arguments);
        let payload = &mut arguments.payload;
        payload.words[0] = entered.common(site.site.id.load(Relaxed) as u16);
        let len = lay_out_numbers::<COUNT>(site, arguments.words, &mut payload.words);
        entered.write(EncodedEvent::of(payload, len));
    }
}

/// Records an event of so many numbers and a text.
///
/// # Safety
///
/// As for [`write`].
unsafe extern "C" fn write_text<const COUNT: usize, const HAVE_LENGTHS: bool>(
    site: *const RawSite,
    arguments: *mut Arguments,
    len: usize,
) {
    let (Some(entered), Some(shared)) = (enter(), shared()) else { return };
    // SAFETY: the site is one with a format, and the caller lends the arguments.
    unsafe {
        let (site_of_format, given) = (&*site.cast::<RawFormatSite>(), &mut *arguments);
        let (payload, words, readable) = (&mut given.payload, given.words, shared.hooks.readable);
        let given = GivenArguments { site: site_of_format, words, have_lengths: HAVE_LENGTHS, readable };
        let Some(end) = lay_out_text::<COUNT>(given, &mut payload.words) else {
            return write::<HAVE_LENGTHS>(site, arguments, len);
        };
        payload.words[0] = entered.common(site_of_format.site.id.load(Relaxed) as u16);
        entered.write(EncodedEvent::of(payload, end));
    }
}

/// Records an event of arguments of any kind.
///
/// # Safety
///
/// The site is one that has been registered, with these arguments: see [`lay_out`]. Whether its texts have
/// lengths is as it says.
unsafe extern "C" fn write<const HAVE_LENGTHS: bool>(
    site: *const RawSite,
    arguments: *mut Arguments,
    _len: usize,
) {
    let (Some(entered), Some(shared)) = (enter(), shared()) else { return };
    // SAFETY: the site is one with a format, and the caller lends the arguments.
    unsafe {
        let (site, arguments) = (&*site.cast::<RawFormatSite>(), &mut *arguments);
        let (payload, words, readable) = (&mut arguments.payload, arguments.words, shared.hooks.readable);
        let given = GivenArguments { site, words, have_lengths: HAVE_LENGTHS, readable };
        let laid_out = lay_out(given, &mut payload.words, TextSpace::Share);
        if laid_out.is_cut {
            return long_event::write(entered, given, payload);
        }
        payload.words[0] = entered.common(site.site.id.load(Relaxed) as u16);
        entered.write(EncodedEvent::of(payload, laid_out.len));
    }
}
