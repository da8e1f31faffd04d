//! The environment: which session, and how programs that this one executes find it.
//!
//! A child inherits the two variables like all others. A program that executes another with an environment
//! of its own making (`env -i`) would lose them; so they are added to what it passes on.

use abi::control::SESSION_FILE;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char};
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The dynamic linker's variable.
const PRELOAD: &[u8] = b"LD_PRELOAD=";
/// The session's directory.
const SESSION: &[u8] = b"LOOKBACK_SESSION=";
/// If set, a process says why it is not attached.
const DEBUG: &[u8] = b"LOOKBACK_DEBUG=";

/// The longest value that is kept. With a longer one, programs with an environment of their own are not
/// followed.
const MOST: usize = 512;

/// Bytes of the longest path of a session's file.
pub(crate) const LONGEST_PATH: usize = 1024;

/// A variable of this process's, with its name, as it was at the start.
struct Kept(UnsafeCell<[u8; MOST]>);

// SAFETY: written once, before `LOADED` is set.
unsafe impl Sync for Kept {}

static KEPT_PRELOAD: Kept = Kept(UnsafeCell::new([0; MOST]));
static KEPT_SESSION: Kept = Kept(UnsafeCell::new([0; MOST]));
static LOADED: AtomicBool = AtomicBool::new(false);
static COMPLAINS: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    static mut environ: *const *const c_char;
}

/// The process's environment now.
pub(crate) fn current() -> *const *const c_char {
    // SAFETY: libc's variable. That another thread changes it meanwhile is the program's own affair.
    unsafe { environ }
}

/// The entries of an environment.
///
/// # Safety
///
/// It is null, or an array of texts with a null at its end.
unsafe fn entries(environment: *const *const c_char) -> impl Iterator<Item = *const c_char> {
    let mut next = environment;
    core::iter::from_fn(move || {
        // SAFETY: the caller's promise; the iteration ends at the null.
        let entry = if next.is_null() { next.cast() } else { unsafe { *next } };
        next = next.wrapping_add(1);
        (!entry.is_null()).then_some(entry)
    })
}

/// The value of the entry `name`, which ends with `=`.
///
/// # Safety
///
/// As for [`entries`].
unsafe fn value<'a>(environment: *const *const c_char, name: &[u8]) -> Option<&'a CStr> {
    // SAFETY: the caller's promise.
    unsafe {
        entries(environment).find_map(|entry| {
            let text = CStr::from_ptr(entry);
            text.to_bytes().starts_with(name).then(|| CStr::from_ptr(entry.add(name.len())))
        })
    }
}

/// Reads the process's environment. The path of the session's file, in `buffer`, if a session is named.
pub(crate) fn load(buffer: &mut [u8; LONGEST_PATH]) -> Option<&CStr> {
    let environment = current();
    // SAFETY: it is the process's own.
    let [preload, session, debug] = [PRELOAD, SESSION, DEBUG].map(|name| unsafe { value(environment, name) });
    COMPLAINS.store(debug.is_some(), Relaxed);
    let session = session?;
    // SAFETY: nobody reads them before `LOADED` is set.
    let kept = preload.is_some_and(|preload| unsafe {
        KEPT_PRELOAD.keep(PRELOAD, preload) && KEPT_SESSION.keep(SESSION, session)
    });
    LOADED.store(kept, Release);
    let parts = [session.to_bytes(), b"/", SESSION_FILE.as_bytes(), b"\0"];
    let len: usize = parts.iter().map(|part| part.len()).sum();
    for (to, from) in buffer.iter_mut().zip(parts.into_iter().flatten()) {
        *to = *from;
    }
    CStr::from_bytes_until_nul(buffer.get(..len)?).ok()
}

/// Says why the process is not attached, where that was asked for.
pub(crate) fn complain(reason: &CStr) {
    if COMPLAINS.load(Relaxed) {
        // SAFETY: standard error is the process's own.
        let error = unsafe { rustix::fd::BorrowedFd::borrow_raw(2) };
        let _ = rustix::io::write(error, reason.to_bytes());
    }
}

impl Kept {
    /// Keeps the entry. False when it is too long.
    ///
    /// # Safety
    ///
    /// Nobody else uses it now.
    unsafe fn keep(&self, name: &[u8], value: &CStr) -> bool {
        // SAFETY: the caller's promise.
        let bytes = unsafe { &mut *self.0.get() };
        let parts = [name, value.to_bytes_with_nul()];
        let len: usize = parts.iter().map(|part| part.len()).sum();
        for (to, from) in bytes.iter_mut().zip(parts.into_iter().flatten()) {
            *to = *from;
        }
        len <= MOST
    }

    fn text(&self) -> &CStr {
        // SAFETY: written before `LOADED` was set, and never again.
        CStr::from_bytes_until_nul(unsafe { &*self.0.get() }).unwrap_or_default()
    }
}

/// Entries that an environment of a program's own making can have and still be completed: its copy is on
/// the stack.
const MOST_ENTRIES: usize = 1000;

/// An environment with which an executed program finds the session.
pub(crate) struct Complete {
    entries: [*const c_char; MOST_ENTRIES + 3],
    preload: [u8; 4 * MOST],
}

impl Complete {
    /// Whether `environment` lacks anything.
    ///
    /// # Safety
    ///
    /// As for [`entries`].
    pub(crate) unsafe fn is_needed(environment: *const *const c_char) -> bool {
        if !LOADED.load(Acquire) {
            return false;
        }
        // SAFETY: the caller's promise.
        let [preload, session] = [PRELOAD, SESSION].map(|name| unsafe { value(environment, name) });
        session.is_none() || !preload.is_some_and(|preload| contains(preload, agent()))
    }

    /// Room for one.
    pub(crate) fn new() -> Complete {
        Complete { entries: [core::ptr::null(); MOST_ENTRIES + 3], preload: [0; 4 * MOST] }
    }

    /// Makes it from `environment`: its entries, but for the two, and the two. What another object wants to
    /// preload comes behind ours. None when it is too large.
    ///
    /// # Safety
    ///
    /// As for [`entries`].
    pub(crate) unsafe fn fill(&mut self, environment: *const *const c_char) -> Option<*const *const c_char> {
        let mut count = 0;
        // SAFETY: the caller's promise.
        for entry in unsafe { entries(environment) } {
            // SAFETY: as above.
            let text = unsafe { CStr::from_ptr(entry) }.to_bytes();
            if text.starts_with(PRELOAD) || text.starts_with(SESSION) {
                continue;
            }
            if count == MOST_ENTRIES {
                return None;
            }
            *self.entries.get_mut(count)? = entry;
            count += 1;
        }
        // SAFETY: the caller's promise.
        let preload = unsafe { value(environment, PRELOAD) };
        let preload = self.preload(preload.map_or(&[], CStr::to_bytes))?;
        *self.entries.get_mut(count)? = preload;
        *self.entries.get_mut(count + 1)? = KEPT_SESSION.text().as_ptr();
        Some(self.entries.as_ptr())
    }

    fn preload(&mut self, others: &[u8]) -> Option<*const c_char> {
        let ours = KEPT_PRELOAD.text();
        if others.is_empty() {
            return Some(ours.as_ptr());
        }
        let parts: [&[u8]; 5] = [PRELOAD, agent(), b":", others, b"\0"];
        if parts.iter().map(|part| part.len()).sum::<usize>() > self.preload.len() {
            return None;
        }
        for (to, from) in self.preload.iter_mut().zip(parts.into_iter().flatten()) {
            *to = *from;
        }
        Some(self.preload.as_ptr().cast())
    }
}

/// The path of this library: the first entry of the variable that it was loaded by.
fn agent() -> &'static [u8] {
    let value = KEPT_PRELOAD.text().to_bytes().get(PRELOAD.len()..).unwrap_or_default();
    value.split(|byte| matches!(byte, b':' | b' ')).next().unwrap_or_default()
}

/// Whether one of the paths in `preload` is `path`.
fn contains(preload: &CStr, path: &[u8]) -> bool {
    preload.to_bytes().split(|byte| matches!(byte, b':' | b' ')).any(|found| found == path)
}
