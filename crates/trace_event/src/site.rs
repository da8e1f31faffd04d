//! Sites: events of the program's own, as [`abi::site`] describes them.

mod argument_code;
mod argument_writer;
mod format;
mod format_fields;
mod format_site;
mod format_text;
mod literal;
mod long_event;
mod long_place;
mod number_writer;
mod printf_format;
mod program_text;
mod recorded_text;
mod text_writer;
mod uses;

use crate::current::shared;
use crate::enter;
use abi::control::event_index;
use abi::site::{self, FORMAT_VERSION, PRINT, Payload, VERSION};
use control::ControlArea;
use core::ffi::{CStr, c_char, c_void};
use core::fmt::Write;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use events::ftrace::PRINT_ID;
use format::SiteFormat;
use format_text::FormatText;
pub(crate) use long_place::thread_ended;
use ring_buffer::EncodedEvent;
pub(crate) use uses::copied;

/// Enters the event of a site into the session that this process is attached to, and connects the site with
/// it. Nothing happens to a site that is connected already, is of another version, or finds no space; nor
/// where there is no session. A format that no event can have, or another than the event of its name has, is
/// refused, and the session says so.
///
/// Nothing is kept of the site's address.
///
/// # Safety
///
/// It is a site with valid texts and fields, which are not unmapped meanwhile.
pub unsafe fn register(site: *const site::RawSite) {
    let Some(shared) = shared() else { return };
    // SAFETY: the caller's promise. The version is the first word in all of them.
    let version = unsafe { (*site).version };
    if ![VERSION, FORMAT_VERSION].contains(&version) {
        return;
    }
    let with_format = site.cast();
    // SAFETY: a site of either version starts so.
    let site = unsafe { &*site };
    if !site.word.load(Acquire).is_null() {
        return;
    }
    let (id, write) = match version {
        // SAFETY: the caller's promise; a site of this version has a format.
        FORMAT_VERSION => unsafe {
            (format_site::id_of(&*with_format, &shared.control), format_site::write_of(&*with_format))
        },
        // SAFETY: the caller's promise.
        _ => (unsafe { id_of(site, &shared.control) }, write as *mut c_void),
    };
    let Some(id) = id else { return };
    let Some(word) = shared.control.enabled_words().get(event_index(id)) else { return };
    site.id.store(u32::from(id), Relaxed);
    site.write.store(write, Release);
    site.word.store((&raw const *word).cast_mut(), Release);
    if version == FORMAT_VERSION {
        uses::come(id);
    }
}

/// Says that a site is about to go, with the object that it is in. It stays connected until then.
///
/// # Safety
///
/// As for [`register`].
pub unsafe fn unregister(site: *const site::RawSite) {
    // SAFETY: the caller's promise. The version is the first word in all of them.
    if unsafe { (*site).version } != FORMAT_VERSION {
        return;
    }
    // SAFETY: a site of this version starts so.
    let site = unsafe { &*site };
    if site.word.load(Acquire).is_null() {
        return;
    }
    // An object may have more than one who says so.
    let id = site.id.fetch_or(GOING, Relaxed);
    if id & GOING == 0 {
        uses::go(id as u16);
    }
}

/// In the word with a site's id: it has been said that it goes.
const GOING: u32 = 1 << 16;

/// The id of a site's event, which is entered into the session if it isn't there.
///
/// # Safety
///
/// As for [`register`].
unsafe fn id_of(site: &site::RawSite, control: &ControlArea) -> Option<u16> {
    // SAFETY: the caller's promise.
    let (system, name) = unsafe { (text(site.system)?, text(site.name)?) };
    if (system, name) == PRINT {
        return Some(PRINT_ID);
    }
    let mut description = FormatText::new();
    // SAFETY: the caller's promise.
    let format = unsafe { SiteFormat::of(site) };
    write!(description, "{format}").ok()?;
    control.add_event(system, name, description.as_str())
}

/// A text of a program's.
///
/// # Safety
///
/// It is null or ends with a zero byte, and lives long enough.
unsafe fn text<'a>(text: *const c_char) -> Option<&'a str> {
    // SAFETY: the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })?.to_str().ok()
}

/// Records an event: what sites call.
///
/// # Safety
///
/// The site is one that has been registered; so many bytes of the payload are written, and the rest of the
/// last word.
unsafe extern "C" fn write(site: *const site::RawSite, payload: *mut Payload, len: usize) {
    let Some(entered) = enter() else { return };
    // SAFETY: the site is one that has been registered, and the caller lends the payload.
    unsafe {
        let payload = &mut *payload;
        payload.words[0] = entered.common((*site).id.load(Relaxed) as u16);
        entered.write(EncodedEvent::of(payload, len));
    }
}
