//! Finding the functions that are wrapped: what the dynamic linker would have found without us.
//!
//! The tables of the objects behind ours are remembered once, when the process starts; a function is looked
//! up in them at its first call. That reads memory and takes no lock, so it can happen anywhere, also in a
//! signal handler; and what is never called costs nothing at start.

use crate::preload::attach;
use crate::preload::symbols::{self, gnu_hash};
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

/// The address of the function that `name` would have without us, which is kept in `found`. Whether the first
/// call `attaches` the process, if it comes before the agent's own start.
#[inline(always)]
pub(crate) fn known(found: &AtomicUsize, name: &CStr, attaches: bool) -> usize {
    match found.load(Relaxed) {
        0 => {
            let address = find(name, attaches);
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
        $crate::preload::real::known(&FOUND, $name, true)
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
    let found = symbols::find(name.to_bytes_with_nul(), gnu_hash(name.to_bytes()));
    found.unwrap_or_else(|| find_slowly(name))
}

/// libc's `dlsym` or `dlvsym`. Looked up, not linked against: few programs need them of us, and each symbol
/// that is linked costs all of them some time at start.
macro_rules! linker {
    ($name:literal as $kind:ty) => {{
        let found = symbols::find_libc(concat!($name, "\0").as_bytes(), gnu_hash($name.as_bytes()));
        // SAFETY: the function has this type.
        found.map(|address| unsafe { core::mem::transmute::<usize, $kind>(address) })
    }};
}

/// Asks the dynamic linker, for what the tables don't tell.
fn find_slowly(name: &CStr) -> usize {
    type Find = unsafe extern "C" fn(*mut c_void, *const c_char) -> usize;
    // SAFETY: RTLD_NEXT is a valid handle.
    let found = linker!("dlsym" as Find).map_or(0, |find| unsafe { find(libc::RTLD_NEXT, name.as_ptr()) });
    if found == 0 { missing as *const () as usize } else { found }
}

/// An older version of a function, by the name of the version.
pub(crate) fn older(name: &CStr, version: &CStr) -> usize {
    type Find = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> usize;
    let find = linker!("dlvsym" as Find);
    // SAFETY: as above.
    let found = find.map_or(0, |find| unsafe { find(libc::RTLD_NEXT, name.as_ptr(), version.as_ptr()) });
    if found == 0 { missing as *const () as usize } else { found }
}

/// What stands for a function that there isn't: a program that was linked against it would not have been
/// started, so this is only reached by guessing names.
extern "C" fn missing() -> isize {
    // SAFETY: libc's word for the calling thread.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    -1
}
