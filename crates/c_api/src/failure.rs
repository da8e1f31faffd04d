//! What went wrong: a number in `errno`, and a message.

use client::Error;
use libc::{c_char, c_int};
use std::cell::RefCell;
use std::ffi::CString;
use std::ptr::null_mut;

thread_local! {
    /// What went wrong last in this thread.
    static MESSAGE: RefCell<CString> = RefCell::new(CString::default());
}

/// Notes what went wrong. Its number, negative: what functions return that return a number.
pub(crate) fn failed(error: &Error) -> c_int {
    noted(error.errno().raw_os_error(), &error.to_string())
}

/// Notes what went wrong, for a function that returns a pointer.
pub(crate) fn nothing<T>(error: &Error) -> *mut T {
    failed(error);
    null_mut()
}

/// Notes a failure by its number and its message. The number, negative.
pub(crate) fn noted(number: c_int, message: &str) -> c_int {
    let bytes: Vec<u8> = message.bytes().filter(|byte| *byte != 0).collect();
    MESSAGE.with_borrow_mut(|kept| *kept = CString::new(bytes).unwrap_or_default());
    // SAFETY: the calling thread's own word.
    unsafe { *libc::__errno_location() = number };
    -number
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn lookback_error() -> *const c_char {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn lookback_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
