//! Telling the recorder of the sites.
//!
//! Every program and library that has sites has a constructor for all of them. If the environment names a
//! session, it asks the dynamic linker for the recorder's function; else that was all. (A weak symbol would
//! need no question, but linkers don't agree on what one is in a program that nobody defines: for mold it is
//! null for good.)

use crate::Site;
use abi::site;
use core::sync::atomic::AtomicPtr;

/// The recorder's function that registers the sites from one address up to another; null pointers among them
/// are passed over.
type Register = unsafe extern "C" fn(*const *const site::Site, *const *const site::Site);

/// What a site has in the section of sites: its address. Writable, as the dynamic linker fills it in: so all
/// entries have the same section flags, whatever model of relocation they are compiled for.
#[derive(Debug)]
#[repr(transparent)]
pub struct Entry(AtomicPtr<site::Site>);

impl Entry {
    /// That of `site`.
    pub const fn new(site: &'static Site) -> Entry {
        Entry(AtomicPtr::new((&raw const *site).cast_mut().cast()))
    }
}

/// Registers a site that is in no section. Without a recorder nothing happens; a site that is registered
/// already stays so.
///
/// Not async-signal-safe. Cost: some microseconds.
pub fn register(site: &'static Site) {
    let entry = (&raw const *site).cast::<site::Site>();
    let entries = (&raw const entry).cast::<*const site::Site>();
    if let Some(register) = linux::recorder() {
        // SAFETY: an array of one pointer to a site.
        unsafe { register(entries, entries.add(1)) }
    }
}

/// Where the recorder runs.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod linux {
    use super::*;
    use core::arch::asm;
    use core::ffi::{CStr, c_char, c_int, c_void};
    use core::mem::transmute;
    use core::ptr::{null, null_mut};

    /// The name of a [`Register`].
    const RECORDER: &CStr = c"lookback_register";

    /// So that the section is there where no site is.
    #[used]
    #[unsafe(link_section = "lookback_sites")]
    static NONE: Entry = Entry(AtomicPtr::new(null_mut()));

    unsafe extern "C" {
        #[link_name = "__start_lookback_sites"]
        static SITES_START: [*const site::Site; 0];
        #[link_name = "__stop_lookback_sites"]
        static SITES_END: [*const site::Site; 0];
    }

    /// The variable that is set in every process that is recorded.
    const SESSION: &[u8] = b"LOOKBACK_SESSION=";

    #[used]
    #[unsafe(link_section = ".init_array")]
    static CONSTRUCTOR: extern "C" fn(c_int, *const *const c_char, *const *const c_char) = {
        extern "C" fn construct(_: c_int, _: *const *const c_char, environment: *const *const c_char) {
            // SAFETY: what the C library passes to constructors.
            if unsafe { has_session(environment) }
                && let Some(register) = recorder()
            {
                // SAFETY: the linker has put the section between the two.
                unsafe { register((&raw const SITES_START).cast(), (&raw const SITES_END).cast()) }
            }
        }
        construct
    };

    /// Whether an environment names a session.
    ///
    /// # Safety
    ///
    /// It is null, or an array of texts with a null at its end.
    unsafe fn has_session(environment: *const *const c_char) -> bool {
        if environment.is_null() {
            return false;
        }
        let mut next = environment;
        // SAFETY: the caller's promise; a comparison ends at a text's zero byte, the loop at the null.
        unsafe {
            while !(*next).is_null() {
                let entry = (*next).cast::<u8>();
                if SESSION.iter().enumerate().all(|(index, byte)| *entry.add(index) == *byte) {
                    return true;
                }
                next = next.add(1);
            }
        }
        false
    }

    /// The recorder's function, if there is one.
    pub(super) fn recorder() -> Option<Register> {
        type Find = unsafe extern "C" fn(*const c_void, *const c_char) -> *const c_void;
        let address: usize;
        // The address of a weak symbol, for which Rust has no other way: null in a program that is linked
        // statically, and so can't be recorded.
        // SAFETY: reads a word that the linker has made for the symbol.
        unsafe {
            asm!(
                ".weak dlsym",
                "mov {}, qword ptr [rip + dlsym@GOTPCREL]",
                out(reg) address,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        // SAFETY: null, or libc's function.
        let find = unsafe { transmute::<usize, Option<Find>>(address) }?;
        // SAFETY: null is RTLD_DEFAULT.
        let found = unsafe { find(null(), RECORDER.as_ptr()) };
        // SAFETY: null, or a function of this type.
        unsafe { transmute::<*const c_void, Option<Register>>(found) }
    }
}

/// Where there is none: events are compiled, and are off.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod linux {
    use super::*;

    pub(super) fn recorder() -> Option<Register> {
        None
    }
}
