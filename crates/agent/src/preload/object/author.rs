//! The events of the program's own, and of the libraries that it loads.

use crate::preload::process::attach;
use crate::preload::signal::fatal;
use abi::control::ErrorSet;
use abi::site::RawSite;
use core::ffi::{CStr, c_char};
use core::ops::Range;
use core::ptr::null;
use core::slice::from_raw_parts;
use core::sync::atomic::AtomicU32;
use ring_buffer::{Reason, SnapshotCause};
use trace_event::{chooses_errors, session, take_snapshot};

/// Registers the sites between `start` and `end`. Called by the constructor of every object that has sites,
/// see [`abi::site`].
///
/// # Safety
///
/// What is there are pointers to sites, or null.
#[unsafe(no_mangle)]
unsafe extern "C" fn lookback_register(start: *const *const RawSite, end: *const *const RawSite) {
    // The constructor of a library may be quicker than ours.
    attach::start();
    // SAFETY: the caller's promise.
    unsafe { for_each_site(start..end, |site| trace_event::register(site)) }
}

/// Says that the sites between `start` and `end` are about to go. Called by the destructor of every object
/// that has sites.
///
/// # Safety
///
/// As for [`lookback_register`].
#[unsafe(no_mangle)]
unsafe extern "C" fn lookback_unregister(start: *const *const RawSite, end: *const *const RawSite) {
    // SAFETY: the caller's promise.
    unsafe { for_each_site(start..end, |site| trace_event::unregister(site)) }
}

/// Does something with each site of a section.
///
/// # Safety
///
/// As for [`lookback_register`].
unsafe fn for_each_site(section: Range<*const *const RawSite>, act: impl Fn(*const RawSite)) {
    let mut next = section.start;
    while next < section.end {
        // SAFETY: the caller's promise.
        unsafe {
            if !(*next).is_null() {
                act(*next);
            }
            next = next.add(1);
        }
    }
}

/// The word of the session that changes whenever events are switched; null without a session.
#[unsafe(no_mangle)]
extern "C" fn lookback_switched() -> *const AtomicU32 {
    session().map_or(null(), |session| &raw const *session.control().switched_word())
}

/// Whether an event of this name would be on if it were registered now, or one is to be looked at that is.
///
/// # Safety
///
/// Both are texts with a zero byte at the end.
#[unsafe(no_mangle)]
unsafe extern "C" fn lookback_wanted(system: *const c_char, name: *const c_char) -> bool {
    // SAFETY: the caller's promise.
    let (system, name) = unsafe { (CStr::from_ptr(system).to_str(), CStr::from_ptr(name).to_str()) };
    let (Some(session), Ok(system), Ok(name)) = (session(), system, name) else { return false };
    let control = session.control();
    control.wanted(system, name).contains(&Some(true)) || control.is_looked_at(system, name)
}

/// A reason of so many bytes of text. Null is none.
///
/// # Safety
///
/// The text can be read.
unsafe fn reason(text: *const u8, length: usize) -> Reason {
    // SAFETY: the caller's promise.
    Reason::of(&[if text.is_null() { &[] } else { unsafe { from_raw_parts(text, length) } }])
}

/// Takes a snapshot of the default instance, for the reason that the program gives: so many bytes of text.
/// Async-signal-safe.
///
/// # Safety
///
/// The text can be read.
#[unsafe(no_mangle)]
unsafe extern "C" fn lookback_take_snapshot(text: *const u8, length: usize) {
    // SAFETY: the caller's promise.
    take_snapshot(SnapshotCause::Program, unsafe { reason(text, length) });
}

/// Takes a snapshot for a panic, where the session wants one: so many bytes of text say what it is. Not
/// async-signal-safe.
///
/// # Safety
///
/// The text can be read.
#[unsafe(no_mangle)]
unsafe extern "C" fn lookback_panicked(text: *const u8, length: usize) {
    // SAFETY: the caller's promise.
    fatal::take_snapshot(ErrorSet::PANIC, None, SnapshotCause::Panic, unsafe { reason(text, length) });
}

/// Whether error-level records of the program's logs take snapshots.
#[unsafe(no_mangle)]
extern "C" fn lookback_chooses_log() -> bool {
    chooses_errors(ErrorSet::LOG)
}

/// Takes a snapshot for an error-level record of the program's logs, where the session wants one: so many
/// bytes of text say what it is. Not async-signal-safe.
///
/// # Safety
///
/// The text can be read.
#[unsafe(no_mangle)]
unsafe extern "C" fn lookback_logged(text: *const u8, length: usize) {
    // SAFETY: the caller's promise.
    fatal::take_snapshot(ErrorSet::LOG, None, SnapshotCause::Log, unsafe { reason(text, length) });
}
