//! `errno` for C.

use ktrace::BadPosition;
use libc::c_int;
use session::Error;

/// Stores `errno`.
pub(crate) fn set(number: c_int) {
    // SAFETY: the calling thread's own word.
    unsafe { *libc::__errno_location() = number };
}

/// The number of an error of the session's.
pub(crate) fn of(error: &Error) -> c_int {
    match error {
        Error::Busy { .. } => libc::EBUSY,
        Error::NoSession { .. } => libc::ENOENT,
        Error::System { error, .. } => error.raw_os_error().unwrap_or(libc::EIO),
        _ => libc::EPROTO,
    }
}

/// The number of what is wrong with a position.
pub(crate) fn of_position(bad: BadPosition) -> c_int {
    match bad {
        BadPosition::Beyond => libc::ERANGE,
        BadPosition::InRecord => libc::EINVAL,
        BadPosition::Contended => libc::EAGAIN,
    }
}
