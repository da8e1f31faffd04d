//! Events one by one, and their fields.

use super::{COpenReader, is_too_small};
use crate::failure::{failed, noted};
use crate::given::{give, name};
use client::{EventValue, ReadEvent, ReadItem};
use libc::{EINVAL, ENOENT, c_char, c_int, size_t};
use std::ptr::{null, null_mut};

/// `struct lookback_reader_event`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CEvent {
    time: u64,
    lost: u64,
    system: *const c_char,
    name: *const c_char,
    comm: *const c_char,
    data: *const u8,
    size: u32,
    cpu: u32,
    tid: i32,
    pid: i32,
    id: u16,
}

/// That of nothing.
const NO_EVENT: CEvent = CEvent {
    time: 0,
    lost: 0,
    system: null(),
    name: null(),
    comm: null(),
    data: null(),
    size: 0,
    cpu: 0,
    tid: 0,
    pid: 0,
    id: 0,
};

/// What `lookback_reader_next` returns.
const EVENT: c_int = 1;
const LOST: c_int = 2;

/// See the header.
///
/// # Safety
///
/// See the crate; so many bytes of `event` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_next(
    open: *mut COpenReader,
    event: *mut CEvent,
    size: size_t,
) -> c_int {
    if is_too_small(size) {
        return -EINVAL;
    }
    // SAFETY: it is open, and used by this thread alone.
    let COpenReader { reader, names, comms, .. } = unsafe { &mut *open };
    let (found, value) = match reader.next_item() {
        Ok(None) => return 0,
        Err(error) => return failed(&error),
        Ok(Some(ReadItem::Lost(lost))) => {
            let count = lost.count.unwrap_or(u64::MAX);
            (LOST, CEvent { time: lost.time, cpu: lost.cpu, lost: count, ..NO_EVENT })
        }
        Ok(Some(ReadItem::Event(event))) => {
            let id = event.id();
            let found = CEvent {
                time: event.time(),
                lost: 0,
                system: names.keep((id, false), event.system().as_bytes()).as_ptr(),
                name: names.keep((id, true), event.name().as_bytes()).as_ptr(),
                comm: comms.keep(event.tid(), event.comm().unwrap_or_default().as_bytes()).as_ptr(),
                data: event.payload().as_ptr(),
                size: event.payload().len() as u32,
                cpu: event.cpu(),
                tid: event.tid(),
                pid: event.pid().unwrap_or(-1),
                id,
            };
            (EVENT, found)
        }
    };
    // SAFETY: the caller's promise.
    unsafe { give(event, size, &value) };
    found
}

/// The value of a field of the event that was read last.
///
/// # Safety
///
/// See the crate; `field` is a text.
unsafe fn value<'a>(open: &'a COpenReader, field: *const c_char) -> Result<EventValue<'a>, c_int> {
    // SAFETY: the caller's promise.
    let field = unsafe { name(field) }.map_err(|error| failed(&error))?;
    let event: Option<ReadEvent<'a>> = open.reader.current();
    let event = event.ok_or_else(|| noted(ENOENT, "no event was read"))?;
    let missing = || noted(ENOENT, &format!("{} has no field {field}", event.name()));
    event.field(field).ok_or_else(missing)
}

/// See the header.
///
/// # Safety
///
/// See the crate; `field` is a text, and `number` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_integer(
    open: *const COpenReader,
    field: *const c_char,
    number: *mut i64,
) -> c_int {
    // SAFETY: it is open, and used by this thread alone; the caller's promise.
    let found = match unsafe { value(&*open, field) } {
        Ok(EventValue::Signed(found)) => found,
        Ok(EventValue::Unsigned(found)) => found as i64,
        Ok(EventValue::Text(_) | EventValue::Elements { .. }) => return noted(EINVAL, "it is no number"),
        Err(error) => return error,
    };
    // SAFETY: the caller's promise.
    unsafe { number.write(found) };
    0
}

/// See the header.
///
/// # Safety
///
/// See the crate; `field` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_string(
    open: *mut COpenReader,
    field: *const c_char,
) -> *const c_char {
    // SAFETY: it is open, and used by this thread alone; the caller's promise.
    let text = match unsafe { value(&*open, field) } {
        Ok(EventValue::Text(text)) => text.to_vec(),
        Ok(_) => {
            noted(EINVAL, "it is no text");
            return null();
        }
        Err(_) => return null(),
    };
    // SAFETY: it is open, and used by this thread alone; what was borrowed of it was copied.
    unsafe { &mut *open }.value.keep((), &text).as_ptr()
}

/// See the header.
///
/// # Safety
///
/// See the crate; `field` is a text, and `size` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_bytes(
    open: *const COpenReader,
    field: *const c_char,
    size: *mut size_t,
) -> *const u8 {
    // SAFETY: it is open, and used by this thread alone; the caller's promise.
    let bytes = match unsafe { value(&*open, field) } {
        Ok(EventValue::Text(bytes) | EventValue::Elements { bytes, .. }) => bytes,
        Ok(_) => {
            noted(EINVAL, "it is a number");
            return null();
        }
        Err(_) => return null(),
    };
    // SAFETY: the caller's promise.
    unsafe { size.write(bytes.len()) };
    bytes.as_ptr()
}

/// See the header.
///
/// # Safety
///
/// See the crate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_text(open: *mut COpenReader) -> *const c_char {
    // SAFETY: it is open, and used by this thread alone.
    let COpenReader { reader, text, .. } = unsafe { &mut *open };
    if reader.current().is_none() {
        noted(ENOENT, "no event was read");
        return null_mut();
    }
    text.clear();
    reader.text(text);
    text.retain(|byte| *byte != 0);
    text.push(0);
    text.as_ptr().cast()
}
