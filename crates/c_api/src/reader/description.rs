//! What a source says of its events and threads.

use super::{COpenReader, is_too_small};
use crate::failure::noted;
use crate::given::give;
use libc::{EINVAL, ENOENT, c_char, c_int, size_t};
use std::ptr::null;
use trace_data::format::{Field, Kind};

/// `struct lookback_reader_field`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CField {
    name: *const c_char,
    type_name: *const c_char,
    offset: u32,
    size: u32,
    kind: u32,
    element: u32,
    is_signed: u32,
    is_common: u32,
}

/// `enum lookback_reader_kind`.
fn kind(field: &Field) -> (u32, u32) {
    let is_text = field.element_type().is_some_and(|element| element.text);
    let kind = match field.kind {
        Kind::Integer => 0,
        Kind::Array(_) => 1,
        Kind::DataLocation(_) => 2,
        Kind::RelativeLocation(_) => 3,
    };
    (kind, if is_text { 0 } else { field.element_type().map_or(0, |element| element.size as u32) })
}

/// See the header.
///
/// # Safety
///
/// See the crate; so many bytes of `field` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_field(
    open: *mut COpenReader,
    id: u16,
    index: size_t,
    field: *mut CField,
    size: size_t,
) -> c_int {
    if is_too_small(size) {
        return -EINVAL;
    }
    // SAFETY: it is open, and used by this thread alone.
    let COpenReader { reader, field_names, .. } = unsafe { &mut *open };
    let Some(format) = reader.events().get(id).map(|event| event.format()) else {
        return noted(ENOENT, "there is no event of this id");
    };
    let Some(found) = format.fields.get(index) else { return 0 };
    let (kind, element) = kind(found);
    let name = field_names.keep((id, index, true), found.name.as_bytes()).as_ptr();
    let type_name = field_names.keep((id, index, false), found.type_name.as_bytes()).as_ptr();
    let value = CField {
        name,
        type_name,
        offset: found.offset as u32,
        size: found.size as u32,
        kind,
        element,
        is_signed: u32::from(found.signed && !found.is_pointer()),
        is_common: u32::from(index < format.common),
    };
    // SAFETY: the caller's promise.
    unsafe { give(field, size, &value) };
    1
}

/// See the header.
///
/// # Safety
///
/// See the crate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_name(open: *mut COpenReader, id: u16) -> *const c_char {
    // SAFETY: it is open, and used by this thread alone.
    let COpenReader { reader, names, .. } = unsafe { &mut *open };
    match reader.events().get(id) {
        Some(event) => names.keep((id, true), event.format().name.as_bytes()).as_ptr(),
        None => null(),
    }
}

/// See the header.
///
/// # Safety
///
/// See the crate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_system(open: *mut COpenReader, id: u16) -> *const c_char {
    // SAFETY: it is open, and used by this thread alone.
    let COpenReader { reader, names, .. } = unsafe { &mut *open };
    match reader.events().get(id) {
        Some(event) => names.keep((id, false), event.format().system.as_bytes()).as_ptr(),
        None => null(),
    }
}

/// See the header.
///
/// # Safety
///
/// See the crate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_comm(open: *mut COpenReader, tid: i32) -> *const c_char {
    // SAFETY: it is open, and used by this thread alone.
    let COpenReader { reader, comms, .. } = unsafe { &mut *open };
    reader.comm(tid).map_or(null(), |comm| comms.keep(tid, comm.as_bytes()).as_ptr())
}
