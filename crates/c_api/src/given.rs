//! What C gives, and what it is given.

use client::Error;
use libc::c_char;
use std::ffi::{CStr, OsStr};
use std::mem::size_of;
use std::os::unix::ffi::OsStrExt;
use std::slice;

/// A text of C's. None for a null pointer.
///
/// # Safety
///
/// It is null, or a text that stays as it is for `'a`.
pub(crate) unsafe fn bytes<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// A path, or a name of a file. None for a null pointer.
///
/// # Safety
///
/// As for [`bytes`].
pub(crate) unsafe fn path<'a>(text: *const c_char) -> Option<&'a OsStr> {
    // SAFETY: the caller's promise.
    unsafe { bytes(text) }.map(OsStr::from_bytes)
}

/// A text that has to be UTF-8: what is not is no name of anything.
///
/// # Safety
///
/// As for [`bytes`].
pub(crate) unsafe fn name<'a>(text: *const c_char) -> Result<&'a str, Error> {
    // SAFETY: the caller's promise.
    unsafe { optional_name(text)? }.ok_or_else(|| invalid("a text is missing"))
}

/// [`name`], or nothing for a null pointer.
///
/// # Safety
///
/// As for [`bytes`].
pub(crate) unsafe fn optional_name<'a>(text: *const c_char) -> Result<Option<&'a str>, Error> {
    // SAFETY: the caller's promise.
    let Some(bytes) = (unsafe { bytes(text) }) else { return Ok(None) };
    std::str::from_utf8(bytes).map(Some).map_err(|_| invalid("a text is not UTF-8"))
}

fn invalid(message: &str) -> Error {
    Error::Invalid(message.to_owned())
}

/// Some bytes.
///
/// # Safety
///
/// So many bytes are there, and stay as they are for `'a`.
pub(crate) unsafe fn sized<'a>(bytes: *const u8, size: usize) -> &'a [u8] {
    if bytes.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(bytes, size) }
}

/// Stores a structure for C, which has one of so many bytes: an older or a newer one than ours. What it has
/// more becomes zero.
///
/// # Safety
///
/// So many bytes can be written.
pub(crate) unsafe fn give<T: Copy>(to: *mut T, size: usize, value: &T) {
    let common = size.min(size_of::<T>());
    let to = to.cast::<u8>();
    // SAFETY: the caller's promise; ours has at least as many bytes, and they don't overlap.
    unsafe {
        to.copy_from_nonoverlapping((value as *const T).cast(), common);
        to.add(common).write_bytes(0, size - common);
    }
}
