//! `lookback_reader.h`: opening, choosing, and events one by one.

mod batch;
mod description;
mod event;

use crate::failure::{failed, nothing};
use crate::given::{name, optional_name, path};
use crate::session::COpenSession;
use crate::text_cache::TextCache;
use batch::CColumnBuffers;
use client::{Error, EventBatch, EventReader};
use libc::{EINVAL, c_char, c_int};
use session::SnapshotNumber;
use std::path::Path;
use std::time::Duration;

/// `struct lookback_reader`.
pub struct COpenReader {
    reader: EventReader,
    /// Names of events and of their systems, by id.
    names: TextCache<(u16, bool)>,
    /// Names of the fields of events, and of their types.
    field_names: TextCache<(u16, usize, bool)>,
    /// Names of threads.
    comms: TextCache<i32>,
    /// The value of a field.
    value: TextCache<()>,
    /// The text of an event.
    text: Vec<u8>,
    batch: EventBatch,
    columns: CColumnBuffers,
}

fn boxed(opened: Result<EventReader, Error>) -> *mut COpenReader {
    match opened {
        Ok(reader) => Box::into_raw(Box::new(COpenReader {
            reader,
            names: TextCache::default(),
            field_names: TextCache::default(),
            comms: TextCache::default(),
            value: TextCache::default(),
            text: Vec::new(),
            batch: EventBatch::default(),
            columns: CColumnBuffers::default(),
        })),
        Err(error) => nothing(&error),
    }
}

/// See the header.
///
/// # Safety
///
/// `file` is a text, `buffer` null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_open(
    file: *const c_char,
    buffer: *const c_char,
) -> *mut COpenReader {
    // SAFETY: the caller's promise.
    let (file, buffer) = unsafe { (path(file), optional_name(buffer)) };
    boxed(buffer.and_then(|buffer| EventReader::open(Path::new(file.unwrap_or_default()), buffer)))
}

/// See the header.
///
/// # Safety
///
/// See the crate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_open_session(session: *mut COpenSession) -> *mut COpenReader {
    // SAFETY: it is open, and used by this thread alone.
    boxed(EventReader::of_session(unsafe { &*session }.control.instance()))
}

/// See the header.
///
/// # Safety
///
/// See the crate; `number` is null, or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_open_snapshot(
    session: *mut COpenSession,
    number: *const c_char,
) -> *mut COpenReader {
    // SAFETY: the session is open, and used by this thread alone; the caller's promise.
    let (session, number) = unsafe { (&*session, optional_name(number)) };
    let number = number.and_then(|number| {
        number.map(|number| number.parse::<SnapshotNumber>().map_err(Error::Invalid)).transpose()
    });
    boxed(number.and_then(|number| EventReader::of_snapshot(session.control.instance(), number)))
}

/// See the header.
///
/// # Safety
///
/// See the crate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_follow(session: *mut COpenSession) -> *mut COpenReader {
    // SAFETY: it is open, and used by this thread alone.
    boxed(EventReader::follow(unsafe { &*session }.control.instance()))
}

/// See the header.
///
/// # Safety
///
/// See the crate, or null; it is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_close(open: *mut COpenReader) {
    if !open.is_null() {
        // SAFETY: it was made by a function here, and is closed once.
        drop(unsafe { Box::from_raw(open) });
    }
}

/// See the header.
///
/// # Safety
///
/// See the crate; `events` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_choose(open: *mut COpenReader, events: *const c_char) -> c_int {
    // SAFETY: it is open, and used by this thread alone; the caller's promise.
    let chosen = unsafe { name(events).and_then(|events| (*open).reader.choose_events(events)) };
    chosen.map_or_else(|error| failed(&error), |()| 0)
}

/// See the header.
///
/// # Safety
///
/// See the crate; `filter` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_filter(open: *mut COpenReader, filter: *const c_char) -> c_int {
    // SAFETY: it is open, and used by this thread alone; the caller's promise.
    let chosen = unsafe { name(filter).and_then(|filter| (*open).reader.choose_matching(filter)) };
    chosen.map_or_else(|error| failed(&error), |()| 0)
}

/// See the header.
///
/// # Safety
///
/// See the crate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_wait(open: *mut COpenReader, milliseconds: c_int) -> c_int {
    let most = u64::try_from(milliseconds).ok().map(Duration::from_millis);
    // SAFETY: it is open, and used by this thread alone.
    unsafe { &*open }.reader.wait(most).map_or_else(|error| failed(&error), c_int::from)
}

/// See the header.
///
/// # Safety
///
/// See the crate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_has_nanoseconds(open: *const COpenReader) -> c_int {
    // SAFETY: it is open, and used by this thread alone.
    c_int::from(unsafe { &*open }.reader.has_nanoseconds())
}

/// A structure that is too small to be any version of ours.
fn is_too_small(size: usize) -> bool {
    let is_small = size < 8;
    if is_small {
        crate::failure::noted(EINVAL, "the size of a structure is missing");
    }
    is_small
}
