//! `lookback_session.h`.

use crate::failure::{failed, nothing};
use crate::given::{name, optional_name, path, sized};
use crate::text_cache::TextCache;
use client::SessionControl;
use libc::{c_char, c_int, size_t, ssize_t};
use std::fmt::Write;

/// `struct lookback_session`.
pub struct COpenSession {
    pub(crate) control: SessionControl,
    texts: TextCache<ReturnedText>,
    /// What a file has had.
    file: Vec<u8>,
}

/// What was returned as a text.
#[derive(Debug, PartialEq, Eq, Hash)]
enum ReturnedText {
    Snapshot,
    Snapshots,
}

/// See the header.
///
/// # Safety
///
/// Each is null, or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_session_open(
    session: *const c_char,
    instance: *const c_char,
) -> *mut COpenSession {
    // SAFETY: the caller's promise.
    let opened = unsafe { optional_name(instance) }
        .and_then(|instance| SessionControl::open(unsafe { path(session) }, instance));
    match opened {
        Ok(control) => {
            Box::into_raw(Box::new(COpenSession { control, texts: TextCache::default(), file: Vec::new() }))
        }
        Err(error) => nothing(&error),
    }
}

/// See the header.
///
/// # Safety
///
/// See the module, or null; it is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_session_close(open: *mut COpenSession) {
    if !open.is_null() {
        // SAFETY: it was made by `lookback_session_open`, and is closed once.
        drop(unsafe { Box::from_raw(open) });
    }
}

/// A number of things, as C has it.
fn number(count: usize) -> c_int {
    c_int::try_from(count).unwrap_or(c_int::MAX)
}

/// See the header.
///
/// # Safety
///
/// See the module; `events` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_session_enable(open: *mut COpenSession, events: *const c_char) -> c_int {
    // SAFETY: it is open, and used by this thread alone; the caller's promise.
    let enabled = unsafe { name(events).and_then(|events| (*open).control.enable(events)) };
    enabled.map_or_else(|error| failed(&error), number)
}

/// See the header.
///
/// # Safety
///
/// See the module; `events` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_session_disable(open: *mut COpenSession, events: *const c_char) -> c_int {
    // SAFETY: it is open, and used by this thread alone; the caller's promise.
    let disabled = unsafe { name(events).and_then(|events| (*open).control.disable(events)) };
    disabled.map_or_else(|error| failed(&error), number)
}

/// See the header.
///
/// # Safety
///
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_session_snapshot(open: *mut COpenSession) -> *const c_char {
    // SAFETY: it is open, and used by this thread alone.
    let open = unsafe { &mut *open };
    match open.control.take_snapshot() {
        Ok(number) => open.texts.keep(ReturnedText::Snapshot, number.to_string().as_bytes()).as_ptr(),
        Err(error) => nothing(&error),
    }
}

/// See the header.
///
/// # Safety
///
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_session_snapshots(open: *mut COpenSession) -> *const c_char {
    // SAFETY: it is open, and used by this thread alone.
    let open = unsafe { &mut *open };
    let lines = open.control.snapshots().iter().fold(String::new(), |mut lines, number| {
        let _ = writeln!(lines, "{number}");
        lines
    });
    open.texts.keep(ReturnedText::Snapshots, lines.as_bytes()).as_ptr()
}

/// See the header.
///
/// # Safety
///
/// See the module; so many bytes of `text` are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_session_mark(
    open: *mut COpenSession,
    text: *const u8,
    size: size_t,
) -> ssize_t {
    // SAFETY: it is open, and used by this thread alone; the caller's promise.
    let written = unsafe { (*open).control.write_marker(sized(text, size)) };
    written.map_or_else(|error| failed(&error) as ssize_t, |written| written as ssize_t)
}

/// See the header.
///
/// # Safety
///
/// See the module; `file` is a text, and `size` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_session_read(
    open: *mut COpenSession,
    file: *const c_char,
    size: *mut size_t,
) -> *const c_char {
    // SAFETY: it is open, and used by this thread alone; the caller's promise.
    let (open, file) = unsafe { (&mut *open, name(file)) };
    match file.and_then(|file| open.control.read_file(file)) {
        Ok(read) => {
            open.file = read;
            if !size.is_null() {
                // SAFETY: the caller's promise.
                unsafe { size.write(open.file.len()) };
            }
            open.file.push(0);
            open.file.as_ptr().cast()
        }
        Err(error) => nothing(&error),
    }
}

/// See the header.
///
/// # Safety
///
/// See the module; `file` is a text, and so many bytes are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_session_write(
    open: *mut COpenSession,
    file: *const c_char,
    bytes: *const u8,
    size: size_t,
) -> c_int {
    // SAFETY: it is open, and used by this thread alone; the caller's promise.
    let written = unsafe { name(file).and_then(|file| (*open).control.write_file(file, sized(bytes, size))) };
    written.map_or_else(|error| failed(&error), |()| 0)
}
