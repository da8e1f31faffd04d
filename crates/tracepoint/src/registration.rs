//! Telling the recorder of the sites.
//!
//! Every program and library that has sites has a constructor for all of them. If the environment names a
//! session, it asks the dynamic linker for the recorder's function; else that was all. (A weak symbol would
//! need no question, but linkers don't agree on what one is in a program that nobody defines: for mold it is
//! null for good.)

use crate::{FormatSite, Site, critical_section, snapshot};
use abi::site;
use core::ffi::{CStr, c_char, c_void};
use core::mem::transmute;
use core::sync::atomic::{AtomicPtr, AtomicU32};

/// The recorder's function that registers the sites from one address up to another; null pointers among them
/// are passed over.
type Register = unsafe extern "C" fn(*const *const site::RawSite, *const *const site::RawSite);

/// What a site has in the section of sites: its address. Writable, as the dynamic linker fills it in: so all
/// entries have the same section flags, whatever model of relocation they are compiled for.
#[derive(Debug)]
#[repr(transparent)]
pub struct SitePointer(AtomicPtr<site::RawSite>);

impl SitePointer {
    /// That of `site`.
    pub const fn new(site: &'static Site) -> SitePointer {
        SitePointer(AtomicPtr::new((&raw const *site).cast_mut().cast()))
    }

    /// That of a site with a format.
    pub const fn with_format<T>(site: &'static FormatSite<T>) -> SitePointer {
        SitePointer(AtomicPtr::new((&raw const *site).cast_mut().cast()))
    }
}

/// Registers a site that is in no section. Without a recorder nothing happens; a site that is registered
/// already stays so.
///
/// Not async-signal-safe. Cost: some microseconds.
pub fn register(site: &'static Site) {
    let entry = (&raw const *site).cast::<site::RawSite>();
    let entries = (&raw const entry).cast::<*const site::RawSite>();
    if let Some(register) = recorder() {
        // SAFETY: an array of one pointer to a site.
        unsafe { register(entries, entries.add(1)) }
    }
}

/// The recorder's function that registers sites.
fn recorder() -> Option<Register> {
    // SAFETY: null, or a function of this type.
    unsafe { transmute::<*const c_void, Option<Register>>(linux::find(c"lookback_register")) }
}

/// The word that changes whenever events are enabled or disabled, for code that caches which are. None
/// where there is no recorder, or no session.
pub fn switched() -> Option<&'static AtomicU32> {
    type Switched = extern "C" fn() -> *const AtomicU32;
    // SAFETY: null, or a function of this type.
    let function = unsafe { transmute::<*const c_void, Option<Switched>>(linux::find(c"lookback_switched")) };
    // SAFETY: null, or a word of the session's, which is never unmapped.
    unsafe { function?().as_ref() }
}

/// Whether an event of this name would be on if it were registered now, or one is to be looked at that is.
pub fn is_wanted(system: &CStr, name: &CStr) -> bool {
    type Wanted = unsafe extern "C" fn(*const c_char, *const c_char) -> bool;
    // SAFETY: null, or a function of this type.
    let function = unsafe { transmute::<*const c_void, Option<Wanted>>(linux::find(c"lookback_wanted")) };
    // SAFETY: two texts.
    function.is_some_and(|wanted| unsafe { wanted(system.as_ptr(), name.as_ptr()) })
}

/// Takes a snapshot for a panic, if the session wants one: called by a hook for panics, as that of
/// `tracing_layer::record_panics`. The text says what it is. Without a recorder nothing happens.
///
/// Not async-signal-safe.
pub fn take_snapshot_of_panic(text: &str) {
    call_with_text(c"lookback_panicked", text);
}

/// Whether the session wants snapshots for error-level records of the program's logs. Not async-signal-safe.
/// Cost: that of asking the dynamic linker for a function.
pub fn wants_snapshots_of_log() -> bool {
    type Chooses = extern "C" fn() -> bool;
    // SAFETY: null, or a function of this type.
    let function =
        unsafe { transmute::<*const c_void, Option<Chooses>>(linux::find(c"lookback_chooses_log")) };
    function.is_some_and(|chooses| chooses())
}

/// Takes a snapshot for an error-level record of the program's logs, if the session wants one. The text says
/// what it is. Without a recorder nothing happens.
///
/// Not async-signal-safe.
pub fn take_snapshot_of_log(text: &str) {
    call_with_text(c"lookback_logged", text);
}

/// Calls a function of the recorder's that takes a text, if there is one.
fn call_with_text(name: &CStr, text: &str) {
    type Call = unsafe extern "C" fn(*const u8, usize);
    // SAFETY: null, or a function of this type.
    let function = unsafe { transmute::<*const c_void, Option<Call>>(linux::find(name)) };
    if let Some(call) = function {
        // SAFETY: a text.
        unsafe { call(text.as_ptr(), text.len()) }
    }
}

/// Where the recorder runs.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod linux {
    use super::*;
    use core::arch::asm;
    use core::ffi::{c_char, c_int};
    use core::ptr::{null, null_mut};
    use core::sync::atomic::Ordering::{AcqRel, Release};

    /// So that the section is there where no site is.
    #[used]
    #[unsafe(link_section = "lookback_sites")]
    static NONE: SitePointer = SitePointer(AtomicPtr::new(null_mut()));

    unsafe extern "C" {
        #[link_name = "__start_lookback_sites"]
        static SITES_START: [*const site::RawSite; 0];
        #[link_name = "__stop_lookback_sites"]
        static SITES_END: [*const site::RawSite; 0];
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
                UNREGISTER.store(find(c"lookback_unregister").cast_mut(), Release);
                snapshot::use_function(find(c"lookback_take_snapshot"));
                critical_section::use_function(find(c"lookback_critical_section"));
            }
        }
        construct
    };

    /// Called as an object goes that has been registered.
    #[used]
    #[unsafe(link_section = ".fini_array")]
    static DESTRUCTOR: extern "C" fn() = {
        extern "C" fn destruct() {
            // SAFETY: null, or a function of this type.
            let function =
                unsafe { transmute::<*const c_void, Option<Register>>(UNREGISTER.swap(null_mut(), AcqRel)) };
            if let Some(unregister) = function {
                // SAFETY: the linker has put the section between the two.
                unsafe { unregister((&raw const SITES_START).cast(), (&raw const SITES_END).cast()) }
            }
        }
        destruct
    };

    /// The recorder's function that is told of the end, if there is one.
    static UNREGISTER: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

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

    /// A function of the recorder's, if there is one; else null.
    pub(super) fn find(name: &CStr) -> *const c_void {
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
        match unsafe { transmute::<usize, Option<Find>>(address) } {
            // SAFETY: null is RTLD_DEFAULT.
            Some(find) => unsafe { find(null(), name.as_ptr()) },
            None => null(),
        }
    }
}

/// Where there is none: events are compiled, and are off.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod linux {
    use super::*;

    pub(super) fn find(_: &CStr) -> *const c_void {
        core::ptr::null()
    }
}
