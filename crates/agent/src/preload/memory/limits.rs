//! The calls that ask for the limit of the process's addresses, or set it.
//!
//! # Safety
//!
//! Hooks are called by the frame of `frame.rs` only, around the call that they are named after, with its
//! arguments and its result. What is called in place of libc's functions has their contract.

use crate::preload::memory::address_limit::{AddressLimit, RAISED, WANTED, set};
use crate::preload::memory::readable::readable;
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use crate::preload::wrapper::real::real;
use core::mem::transmute;
use libc::{RLIMIT_AS, rlimit};
use rustix::io;
use trace_event::{is_aside, session, tid_of_libc};

/// Whether a call is about the limit of this process, and that is for us to raise.
fn is_ours(resource: u64, pid: u64) -> bool {
    let pid = pid as u32;
    resource as u32 == RLIMIT_AS
        && session().is_some_and(|session| pid == 0 || pid == session.pid() || pid == tid_of_libc())
        && !is_aside()
}

/// Puts what the program has set in the place of what the kernel has said.
///
/// # Safety
///
/// The kernel has written a limit there, unless it is null.
unsafe fn tell(old: *mut rlimit) {
    // SAFETY: the caller's promise.
    if let Some(old) = unsafe { old.as_mut() }
        && AddressLimit::of(*old) == RAISED.load()
    {
        let wanted = WANTED.load();
        (old.rlim_cur, old.rlim_max) = (wanted.soft, wanted.hard);
    }
}

/// The limit that a program hands over. None where it can't be read, which the kernel is to say.
fn given(new: *const rlimit) -> Option<AddressLimit> {
    let is_there = readable(new.cast(), size_of::<rlimit>()) == size_of::<rlimit>();
    // SAFETY: it can be read.
    is_there.then(|| AddressLimit::of(unsafe { new.read_unaligned() }))
}

/// What libc's functions return.
fn returned(result: io::Result<()>) -> i32 {
    let Err(error) = result else { return 0 };
    // SAFETY: libc's word for the calling thread.
    unsafe { *libc::__errno_location() = error.raw_os_error() };
    -1
}

/// getrlimit(2).
pub(crate) const GETRLIMIT: CallHooks = CallHooks { before: |_| (), after: after_getrlimit };

unsafe fn after_getrlimit(frame: &mut CallFrame) {
    let [resource, old, ..] = frame.arguments;
    if frame.result as i32 == 0 && is_ours(resource, 0) {
        // SAFETY: the call has filled it.
        unsafe { tell(old as usize as *mut rlimit) };
    }
}

/// setrlimit(2).
pub(crate) const SETRLIMIT: CallHooks = CallHooks { before: before_setrlimit, after: |_| () };

unsafe fn before_setrlimit(frame: &mut CallFrame) {
    let [resource, ..] = frame.arguments;
    if is_ours(resource, 0) {
        frame.call_instead(set_own as *const () as usize);
    }
}

unsafe extern "C" fn set_own(resource: i32, new: *const rlimit) -> i32 {
    // SAFETY: the function has this type.
    let real: unsafe extern "C" fn(i32, *const rlimit) -> i32 = unsafe { transmute(real!(c"setrlimit")) };
    match given(new) {
        Some(limit) => returned(set(limit)),
        // SAFETY: the program's own call.
        None => unsafe { real(resource, new) },
    }
}

/// prlimit(2).
pub(crate) const PRLIMIT: CallHooks = CallHooks { before: before_prlimit, after: |_| () };

unsafe fn before_prlimit(frame: &mut CallFrame) {
    let [pid, resource, ..] = frame.arguments;
    if is_ours(resource, pid) {
        frame.call_instead(own_prlimit as *const () as usize);
    }
}

unsafe extern "C" fn own_prlimit(pid: i32, resource: i32, new: *const rlimit, old: *mut rlimit) -> i32 {
    type Prlimit = unsafe extern "C" fn(i32, i32, *const rlimit, *mut rlimit) -> i32;
    // SAFETY: the function has this type.
    let real: Prlimit = unsafe { transmute(real!(c"prlimit")) };
    let Some(limit) = given(new) else {
        // SAFETY: the program's own call.
        let result = unsafe { real(pid, resource, new, old) };
        if result == 0 {
            // SAFETY: the call has filled it.
            unsafe { tell(old) };
        }
        return result;
    };
    // SAFETY: the program's own call, but for what is new.
    let asked = if old.is_null() { 0 } else { unsafe { real(pid, resource, core::ptr::null(), old) } };
    if asked != 0 {
        return asked;
    }
    // SAFETY: the call has filled it.
    unsafe { tell(old) };
    returned(set(limit))
}
