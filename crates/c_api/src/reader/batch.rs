//! Many events at once, in columns.

use super::{COpenReader, is_too_small};
use crate::failure::failed;
use crate::given::{give, name};
use client::{ColumnKind, FieldColumn};
use libc::{EINVAL, c_char, c_int, size_t, ssize_t};
use std::collections::HashMap;
use std::ptr::null;

/// The columns of a batch that were asked for, which stay until the next batch.
pub(super) type CColumnBuffers = HashMap<String, FieldColumn>;

/// `struct lookback_reader_batch`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CBatch {
    count: size_t,
    times: *const u64,
    lost: *const u64,
    offsets: *const u64,
    cpus: *const u32,
    tids: *const i32,
    pids: *const i32,
    ids: *const u16,
    data: *const u8,
}

/// `struct lookback_reader_column`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CColumn {
    kind: size_t,
    count: size_t,
    numbers: *const u64,
    offsets: *const i32,
    data: *const u8,
    valid: *const u8,
}

/// See the header.
///
/// # Safety
///
/// See the crate; so many bytes of `batch` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_batch(
    open: *mut COpenReader,
    most: size_t,
    batch: *mut CBatch,
    size: size_t,
) -> ssize_t {
    if is_too_small(size) {
        return -(EINVAL as ssize_t);
    }
    // SAFETY: it is open, and used by this thread alone.
    let COpenReader { reader, batch: read, columns, .. } = unsafe { &mut *open };
    columns.clear();
    let result = reader.read_batch(most, read);
    let value = CBatch {
        count: read.len(),
        times: read.times.as_ptr(),
        lost: read.lost.as_ptr(),
        offsets: read.offsets.as_ptr(),
        cpus: read.cpus.as_ptr(),
        tids: read.tids.as_ptr(),
        pids: read.pids.as_ptr(),
        ids: read.ids.as_ptr(),
        data: read.payloads.as_ptr(),
    };
    // SAFETY: the caller's promise.
    unsafe { give(batch, size, &value) };
    result.map_or_else(|error| failed(&error) as ssize_t, |count| count as ssize_t)
}

/// See the header.
///
/// # Safety
///
/// See the crate; `field` is a text, and so many bytes of `column` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lookback_reader_column(
    open: *mut COpenReader,
    field: *const c_char,
    column: *mut CColumn,
    size: size_t,
) -> c_int {
    if is_too_small(size) {
        return -EINVAL;
    }
    // SAFETY: the caller's promise.
    let field = match unsafe { name(field) } {
        Ok(field) => field,
        Err(error) => return failed(&error),
    };
    // SAFETY: it is open, and used by this thread alone.
    let COpenReader { reader, batch, columns, .. } = unsafe { &mut *open };
    let found = columns.entry(field.to_owned()).or_insert_with(|| reader.column(batch, field));
    let kind = match found.kind {
        ColumnKind::Missing => 0,
        ColumnKind::Signed => 1,
        ColumnKind::Unsigned => 2,
        ColumnKind::Text => 3,
        ColumnKind::Bytes => 4,
    };
    let pointer = |is_wanted: bool, pointer: *const u8| if is_wanted { pointer } else { null() };
    let value = CColumn {
        kind,
        count: batch.len(),
        numbers: pointer(matches!(kind, 1 | 2), found.numbers.as_ptr().cast()).cast(),
        offsets: pointer(matches!(kind, 3 | 4), found.offsets.as_ptr().cast()).cast(),
        data: pointer(matches!(kind, 3 | 4), found.bytes.as_ptr()),
        valid: found.valid.as_ptr(),
    };
    // SAFETY: the caller's promise.
    unsafe { give(column, size, &value) };
    0
}
