//! Finding the functions that are wrapped: what the dynamic linker would have found without us.
//!
//! The tables of the objects behind ours are remembered once, when the process starts; a function is looked
//! up in them at its first call. That reads memory and takes no lock, so it can happen anywhere, also in a
//! signal handler; and what is never called costs nothing at start.

use crate::preload::attach;
use crate::preload::elf::{self, gnu_hash};
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

/// The address of the function that `name` would have without us, which is kept in `found`.
#[inline(always)]
pub(crate) fn known(found: &AtomicUsize, name: &CStr) -> usize {
    match found.load(Relaxed) {
        0 => {
            let address = find(name);
            found.store(address, Relaxed);
            address
        }
        found => found,
    }
}

/// The address of the function `$name` without us: for the wrappers that are made by hand.
macro_rules! real {
    ($name:literal) => {{
        static FOUND: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0);
        $crate::preload::real::known(&FOUND, $name)
    }};
}

pub(crate) use real;

/// The address of the function that `name` would have without us.
#[cold]
#[inline(never)]
fn find(name: &CStr) -> usize {
    attach::start();
    let found = elf::find(name.to_bytes_with_nul(), gnu_hash(name.to_bytes()));
    found.unwrap_or_else(|| find_slowly(name))
}

/// Asks the dynamic linker, for what the tables don't tell.
fn find_slowly(name: &CStr) -> usize {
    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    // SAFETY: RTLD_NEXT is a valid handle.
    match unsafe { dlsym(libc::RTLD_NEXT, name.as_ptr()) } as usize {
        0 => missing as *const () as usize,
        found => found,
    }
}

/// An older version of a function, by the name of the version.
pub(crate) fn older(name: &CStr, version: &CStr) -> usize {
    unsafe extern "C" {
        fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
    }
    // SAFETY: RTLD_NEXT is a valid handle.
    match unsafe { dlvsym(libc::RTLD_NEXT, name.as_ptr(), version.as_ptr()) } as usize {
        0 => missing as *const () as usize,
        found => found,
    }
}

/// What stands for a function that there isn't: a program that was linked against it would not have been
/// started, so this is only reached by guessing names.
extern "C" fn missing() -> isize {
    // SAFETY: libc's word for the calling thread.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    -1
}
