//! What we take of the C library by its name.
//!
//! The references are weak and have no version, and no library is named as needed: so every dynamic linker
//! can load us, and none complains. Names are few, because each costs every process that starts some time,
//! and each is one that has been the same in all versions of glibc, and in musl. Whatever else we use of libc
//! is found in its tables, see [`crate::preload::object::symbols`].

use crate::preload::arch::linker::address;
use core::ffi::c_ulong;

/// Whether the process has a C library: a program may do without, and still be loaded by a dynamic linker.
pub(crate) fn is_there() -> bool {
    address!("environ") != 0 && address!("__errno_location") != 0 && address!("getauxval") != 0
}

/// Whether it is glibc: only that has its linker's list under this name.
pub(crate) fn is_glibc() -> bool {
    #[cfg(feature = "static_program")]
    return super::static_program::is_glibc();
    #[cfg(not(feature = "static_program"))]
    {
        address!("_r_debug") != 0
    }
}

/// Whether it is one under which processes are recorded: glibc or musl.
pub(crate) fn is_known() -> bool {
    heads_of_objects() != (0, 0)
}

/// An address in the C library.
pub(crate) fn in_libc() -> usize {
    address!("__errno_location")
}

/// What the kernel has passed to the process as `kind`; 0 where it hasn't. Async-signal-safe.
pub(crate) fn auxiliary(kind: c_ulong) -> u64 {
    #[cfg(feature = "static_program")]
    return super::static_program::auxiliary(kind);
    #[cfg(not(feature = "static_program"))]
    // SAFETY: always allowed, where it is there.
    if address!("getauxval") == 0 { 0 } else { unsafe { libc::getauxval(kind) } }
}

/// Where glibc has the head of its list of objects (`struct r_debug`), and where musl has a pointer to its
/// own; 0 where the process has another library.
pub(crate) fn heads_of_objects() -> (usize, usize) {
    (address!("_r_debug"), address!("_dl_debug_addr"))
}
