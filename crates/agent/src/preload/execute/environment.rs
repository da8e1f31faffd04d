//! The environment: which session, and how programs that this one executes find it.
//!
//! A child inherits the two variables like all others. A program that executes another with an environment
//! of its own making (`env -i`) would lose them; so they are added to what it passes on. In another root our
//! object is not there, and the dynamic linker would complain; so it is taken away from what is passed on.

use crate::preload::execute::vector::is_readable;
use crate::preload::process::sandbox;
use abi::control::{LONGEST_PATH, Obstacle, SESSION_FILE};
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char};
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use rustix::fs::{Access, access};

/// The dynamic linker's variable.
const PRELOAD: &[u8] = b"LD_PRELOAD=";
/// The session's directory.
const SESSION: &[u8] = b"LOOKBACK_SESSION=";
/// If set, a process says why it is not attached.
const DEBUG: &[u8] = b"LOOKBACK_DEBUG=";

/// The longest value that is kept. With a longer one, programs with an environment of their own are not
/// followed.
const MOST: usize = 512;

/// A variable with its name, as a program finds the session by it.
struct KeptVariable(UnsafeCell<[u8; MOST]>);

// SAFETY: written once, before `LOADED` is set.
unsafe impl Sync for KeptVariable {}

static KEPT_PRELOAD: KeptVariable = KeptVariable(UnsafeCell::new([0; MOST]));
static KEPT_SESSION: KeptVariable = KeptVariable(UnsafeCell::new([0; MOST]));
/// Whether another root, or other file systems, may have made our object impossible to find.
static MOVED: AtomicBool = AtomicBool::new(false);

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
pub(crate) unsafe fn entries(environment: *const *const c_char) -> impl Iterator<Item = *const c_char> {
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
pub(super) unsafe fn value<'a>(environment: *const *const c_char, name: &[u8]) -> Option<&'a CStr> {
    // SAFETY: the caller's promise.
    unsafe {
        entries(environment).find_map(|entry| {
            let text = CStr::from_ptr(entry);
            text.to_bytes().starts_with(name).then(|| CStr::from_ptr(entry.add(name.len())))
        })
    }
}

/// Reads the process's environment; `object` is our own path. The path of the session's file, in `buffer`,
/// if a session is named.
pub(crate) fn load<'a>(object: &CStr, buffer: &'a mut [u8; LONGEST_PATH]) -> Option<&'a CStr> {
    let environment = current();
    // SAFETY: it is the process's own.
    let [preload, session, debug] = [PRELOAD, SESSION, DEBUG].map(|name| unsafe { value(environment, name) });
    COMPLAINS.store(debug.is_some(), Relaxed);
    let session = session?;
    if preload.is_some_and(|preload| contains(preload, object.to_bytes())) {
        // SAFETY: nobody reads them before `LOADED` is set.
        let kept = unsafe { KEPT_PRELOAD.keep(PRELOAD, object) && KEPT_SESSION.keep(SESSION, session) };
        LOADED.store(kept, Release);
    }
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

impl KeptVariable {
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

/// Says that paths may lead elsewhere from now on.
pub(crate) fn moved() {
    MOVED.store(true, Relaxed);
}

/// Calls `execute` with an environment in which an executed program finds the session, with `environment`
/// if it does there, and with the reason why the program will run unrecorded, if there is one: `look` says
/// what its file shows. Where arguments and environment are longer than the system allows, calls it again
/// with an environment that has nothing of ours.
///
/// # Safety
///
/// As for [`entries`]. `execute` returns as execve(2) or posix_spawn(3) do.
pub(crate) unsafe fn completed(
    environment: *const *const c_char,
    look: impl FnOnce() -> Option<Obstacle>,
    execute: &mut dyn FnMut(*const *const c_char, Option<Obstacle>) -> i32,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        // libc reads its own whenever it is asked for a variable.
        if !LOADED.load(Acquire) || environment != current() && !is_readable(environment) {
            return execute(environment, None);
        }
        let found = obstacle(environment, look);
        let needed = needed(environment, found);
        let result = changed(environment, needed, &mut |environment| execute(environment, found));
        let is_too_long = result == libc::E2BIG || result == -1 && *libc::__errno_location() == libc::E2BIG;
        match is_too_long {
            true => changed(environment, Some(EnvironmentChange::Clean), &mut |environment| {
                execute(environment, Some(Obstacle::NoSpace))
            }),
            false => result,
        }
    }
}

/// Calls `execute` with `environment` changed so. Space for another is taken from the stack only where it is
/// needed, and little if that is enough: programs execute others on small stacks, too.
///
/// # Safety
///
/// As for [`entries`].
unsafe fn changed(
    environment: *const *const c_char,
    change: Option<EnvironmentChange>,
    execute: &mut dyn FnMut(*const *const c_char) -> i32,
) -> i32 {
    let Some(change) = change else { return execute(environment) };
    // SAFETY: the caller's promise.
    unsafe {
        if entries(environment).count() > LITTLE {
            with_space::<MUCH, TEXT>(environment, change, execute)
        } else if value(environment, PRELOAD).is_some() {
            with_space::<LITTLE, TEXT>(environment, change, execute)
        } else {
            with_space::<LITTLE, 0>(environment, change, execute)
        }
    }
}

/// What has to be done to an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EnvironmentChange {
    /// It lacks the session, or our object.
    Complete,
    /// It has our object, which isn't there or isn't wanted, or for which there is no space.
    Clean,
}

/// Entries of most environments of a program's own making.
const LITTLE: usize = 60;

/// Entries that such an environment can have and still be completed.
const MUCH: usize = 1000;

/// Bytes of what is preloaded, where that is more than we.
const TEXT: usize = 4 * MOST;

/// Why what is executed with `environment` will run unrecorded, if it will: `look` says what its file shows.
///
/// # Safety
///
/// As for [`entries`].
unsafe fn obstacle(
    environment: *const *const c_char,
    look: impl FnOnce() -> Option<Obstacle>,
) -> Option<Obstacle> {
    // Set by ldd(1): the dynamic linker lists what it would load.
    // SAFETY: the caller's promise.
    if unsafe { value(environment, b"LD_TRACE_LOADED_OBJECTS=") }.is_some() {
        return Some(Obstacle::Lists);
    }
    if is_found() { look() } else { Some(Obstacle::OtherRoot) }
}

/// What has to be done to `environment`, if anything: for a program to which our object would be a nuisance,
/// or for one that loads it, or whose children may.
///
/// # Safety
///
/// As for [`entries`].
unsafe fn needed(environment: *const *const c_char, obstacle: Option<Obstacle>) -> Option<EnvironmentChange> {
    // SAFETY: the caller's promise.
    let [preload, session] = [PRELOAD, SESSION].map(|name| unsafe { value(environment, name) });
    let has_object = preload.is_some_and(|preload| contains(preload, object().to_bytes()));
    if let Some(Obstacle::Lists | Obstacle::OtherRoot | Obstacle::Narrow) = obstacle {
        return has_object.then_some(EnvironmentChange::Clean);
    }
    (!has_object || session.is_none()).then_some(EnvironmentChange::Complete)
}

/// Whether our object can be found from here. That is looked at where no filter of system calls may be there,
/// or there is a reason to think that it isn't.
fn is_found() -> bool {
    let may_look = MOVED.load(Relaxed) || !sandbox::may_be_there();
    !may_look || access(object(), Access::READ_OK).is_ok()
}

/// Calls `execute` with a changed copy of `environment`, or with that itself when it is too large.
///
/// # Safety
///
/// As for [`entries`].
#[inline(never)]
unsafe fn with_space<const ENTRIES: usize, const TEXT: usize>(
    environment: *const *const c_char,
    change: EnvironmentChange,
    execute: &mut dyn FnMut(*const *const c_char) -> i32,
) -> i32 {
    let mut changed = ChangedEnvironment::<ENTRIES, TEXT> {
        entries: [core::ptr::null(); ENTRIES],
        more: [core::ptr::null(); 3],
        preload: [0; TEXT],
    };
    // SAFETY: the caller's promise.
    let filled = unsafe { changed.fill(environment, change) };
    execute(filled.unwrap_or(environment))
}

/// An environment of our making.
#[repr(C)]
struct ChangedEnvironment<const ENTRIES: usize, const TEXT: usize> {
    entries: [*const c_char; ENTRIES],
    /// After them: space for ours, and for the null.
    more: [*const c_char; 3],
    preload: [u8; TEXT],
}

impl<const ENTRIES: usize, const TEXT: usize> ChangedEnvironment<ENTRIES, TEXT> {
    /// Makes it from `environment`: its entries, but for the two, and the two, if they are to be there.
    /// None when it is too large.
    ///
    /// # Safety
    ///
    /// As for [`entries`].
    unsafe fn fill(
        &mut self,
        environment: *const *const c_char,
        change: EnvironmentChange,
    ) -> Option<*const *const c_char> {
        // SAFETY: the caller's promise.
        let preload = unsafe { value(environment, PRELOAD) }.unwrap_or_default();
        let preload = self.preload(preload, change)?;
        let session = if change == EnvironmentChange::Complete { Some(KEPT_SESSION.text()) } else { None };
        let ours = preload.into_iter().chain(session.map(CStr::as_ptr));
        // SAFETY: the caller's promise.
        let others = unsafe { entries(environment) }.filter(|entry| {
            // SAFETY: an entry of the array, which is a string by the caller's promise.
            let text = unsafe { CStr::from_ptr(*entry) }.to_bytes();
            !text.starts_with(PRELOAD) && !text.starts_with(SESSION)
        });
        let mut slots = self.entries.iter_mut().chain(&mut self.more);
        for entry in others.chain(ours) {
            *slots.next()? = entry;
        }
        // The null at the end.
        slots.next()?;
        Some((&raw const self.entries).cast())
    }

    /// The variable for the dynamic linker, if it is to be there: what others preload comes before our
    /// object, as it would without us. None when it is too long.
    fn preload(&mut self, before: &CStr, change: EnvironmentChange) -> Option<Option<*const c_char>> {
        let others = paths(before).filter(|path| !path.is_empty() && *path != object().to_bytes());
        if others.clone().next().is_none() {
            return Some((change == EnvironmentChange::Complete).then(|| KEPT_PRELOAD.text().as_ptr()));
        }
        let ours = (change == EnvironmentChange::Complete).then(|| object().to_bytes());
        let mut slots = self.preload.iter_mut();
        let mut separator: &[u8] = PRELOAD;
        for path in others.chain(ours) {
            for byte in separator.iter().chain(path) {
                *slots.next()? = *byte;
            }
            separator = b":";
        }
        *slots.next()? = 0;
        Some(Some(self.preload.as_ptr().cast()))
    }
}

/// The path of our object.
fn object() -> &'static CStr {
    let text = KEPT_PRELOAD.text().to_bytes_with_nul().get(PRELOAD.len()..);
    text.and_then(|path| CStr::from_bytes_until_nul(path).ok()).unwrap_or_default()
}

/// The paths of objects to preload.
fn paths(preload: &CStr) -> impl Iterator<Item = &[u8]> + Clone {
    preload.to_bytes().split(|byte| matches!(byte, b':' | b' '))
}

/// Whether one of the paths in `preload` is `path`.
fn contains(preload: &CStr, path: &[u8]) -> bool {
    paths(preload).any(|found| found == path)
}
