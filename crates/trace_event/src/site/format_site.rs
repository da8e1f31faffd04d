//! Tracepoints with a format of printf(3).

use super::argument_code::ArgumentCode;
use super::argument_writer::{GivenArguments, TextSpace, lay_out};
use super::format_fields::{BadFormat, FormatFields};
use super::format_text::FormatText;
use super::long_event;
use super::number_writer::lay_out_numbers;
use super::printf_format::PrintfFormat;
use super::text;
use crate::current::shared;
use crate::enter;
use abi::site::{Arguments, FORMAT_SYSTEM, RawFormatSite, RawSite};
use control::{ControlArea, NotAdded};
use core::ffi::c_void;
use core::fmt::Write;
use core::sync::atomic::Ordering::Relaxed;
use printf_format::FormatString;
use ring_buffer::EncodedEvent;

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
    let any: WriteArguments = match site.site.texts_have_lengths {
        0 => write::<false>,
        _ => write::<true>,
    };
    let write: WriteArguments = match codes().count() {
        _ if codes().any(|code| !code.is_number()) => any,
        0 => write_numbers::<0>,
        1 => write_numbers::<1>,
        2 => write_numbers::<2>,
        3 => write_numbers::<3>,
        4 => write_numbers::<4>,
        _ => any,
    };
    write as *mut c_void
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
