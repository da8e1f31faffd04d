//! What we take of the C library by its name.
//!
//! The references are weak and have no version, and no library is named as needed: so every dynamic linker
//! can load us, and none complains. Names are few, because each costs every process that starts some time,
//! and each is one that has been the same in all versions of glibc, and in musl. Whatever else we use of libc
//! is found in its tables, see [`crate::preload::symbols`].

use crate::preload::link_map::LinkMap;
use core::arch::{asm, global_asm};
use core::ffi::c_ulong;

global_asm!(
    ".weak environ",
    ".weak __errno_location",
    ".weak getauxval",
    ".weak _r_debug",
    ".weak _dl_debug_addr",
);

/// The address of a symbol; 0 where nobody has it.
macro_rules! address {
    ($name:literal) => {{
        let address: usize;
        // SAFETY: reads the linker's entry for the symbol.
        unsafe {
            asm!(
                concat!("mov {}, qword ptr [rip + ", $name, "@GOTPCREL]"),
                out(reg) address,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        address
    }};
}

/// Whether the process has a C library: a program may do without, and still be loaded by a dynamic linker.
pub(crate) fn is_there() -> bool {
    address!("environ") != 0 && address!("__errno_location") != 0 && address!("getauxval") != 0
}

/// Whether it is glibc: only that has its linker's list under this name.
pub(crate) fn is_glibc() -> bool {
    address!("_r_debug") != 0
}

/// What the kernel has told the process of `kind`; 0 where it hasn't. Async-signal-safe.
pub(crate) fn auxiliary(kind: c_ulong) -> u64 {
    // SAFETY: always allowed, where it is there.
    if address!("getauxval") == 0 { 0 } else { unsafe { libc::getauxval(kind) } }
}

/// Where the dynamic linker's list starts: `struct r_debug`.
#[repr(C)]
struct Debug {
    version: i32,
    first: *const LinkMap,
}

/// The first object of the dynamic linker's list; null where it has none that we know.
pub(crate) fn first_object() -> *const LinkMap {
    let debug = match (address!("_r_debug"), address!("_dl_debug_addr")) {
        (0, 0) => return core::ptr::null(),
        // SAFETY: musl has a pointer to it.
        (0, pointer) => unsafe { *(pointer as *const *const Debug) },
        (debug, _) => debug as *const Debug,
    };
    // SAFETY: the dynamic linker's variable; what it points to is filled before anybody is called.
    unsafe { debug.as_ref() }.map_or(core::ptr::null(), |debug| debug.first)
}
