//! Finding the functions that are wrapped: what the dynamic linker would have found without us.
//!
//! The tables of the objects after ours are remembered once, when the process starts; a function is looked
//! up in them at its first call. That reads memory and takes no lock, so it can happen anywhere, also in a
//! signal handler; and what is never called costs nothing at start.

use crate::preload::object::tables::SymbolName;
use crate::preload::object::{borrowed, image, symbols};
use crate::preload::process::attach;
use core::ffi::{CStr, c_char, c_void};
use core::mem::transmute;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

/// The address of the function that `name` would have without us, which is kept in `found`. Whether the first
/// call `attaches` the process, if it comes before the agent's own start.
#[inline(always)]
pub(crate) fn known<'a>(found: &AtomicUsize, name: impl FnOnce() -> &'a CStr, attaches: bool) -> usize {
    match found.load(Relaxed) {
        0 => {
            let address = find(name(), attaches);
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
        $crate::preload::wrapper::real::known(&FOUND, || $name, true)
    }};
}

pub(crate) use real;

/// The address of the function that `name` would have without us.
#[cold]
#[inline(never)]
fn find(name: &CStr, attaches: bool) -> usize {
    if attaches {
        attach::start();
    } else {
        symbols::remember();
    }
    symbols::find(SymbolName::new(name.to_bytes_with_nul())).unwrap_or_else(|| find_slowly(name))
}

/// Asks the dynamic linker, for what the tables don't tell. What it doesn't know, or who isn't there to be
/// asked, is in an object that was loaded later: before version 2.34 glibc's functions for threads may be.
fn find_slowly(name: &CStr) -> usize {
    type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> usize;
    const DLSYM: SymbolName<'_> = SymbolName::new(b"dlsym\0");
    let found = symbols::find_libc(DLSYM).map_or(0, |dlsym| {
        // Where we were brought in late nothing comes after us.
        let from = if symbols::are_late() { libc::RTLD_DEFAULT } else { libc::RTLD_NEXT };
        // SAFETY: the function has this type, and that is a valid handle.
        unsafe { transmute::<usize, Dlsym>(dlsym)(from, name.as_ptr()) }
    });
    if found != 0 && !image::span().contains(&found) {
        return found;
    }
    // SAFETY: the caller of the function has it loaded.
    let found = unsafe { symbols::find_loaded(SymbolName::new(name.to_bytes_with_nul())) };
    found.unwrap_or(missing as *const () as usize)
}

/// An older version of a function, by the name of the version.
pub(crate) fn older(name: &CStr, version: &CStr) -> usize {
    symbols::remember();
    let (name, version) = (SymbolName::new(name.to_bytes_with_nul()), version.to_bytes_with_nul());
    // SAFETY: who calls the function has it loaded.
    unsafe { symbols::find_version(name, version) }.unwrap_or(missing as *const () as usize)
}

/// What stands for a function that doesn't exist: a program that was linked against it would not have been
/// started, so this is only reached by guessing names.
extern "C" fn missing() -> isize {
    if borrowed::is_there() {
        // SAFETY: libc's word for the calling thread.
        unsafe { *libc::__errno_location() = libc::ENOSYS };
    }
    -1
}
