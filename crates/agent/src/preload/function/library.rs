//! Libraries that the program loads and unloads while it runs.
//!
//! dlopen(3) has to see who calls it, so it is jumped to and nobody is there when it returns ([`opened`]).
//! The next call of any thread that takes the slow path after that looks for sites; all calls of the process
//! take it until then, while functions are traced.
//!
//! # Safety
//!
//! As in `limits.rs`. Nothing of the calls is changed.

use super::{objects, opened, turn, update};
use crate::preload::arch::opened::open_and_bind;
use crate::preload::object::binding;
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use core::ffi::{CStr, c_char};
use core::ptr::with_exposed_provenance;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;
use trace_event::is_aside;

/// dlopen(3) and dlmopen(3).
pub(crate) const OPEN: CallHooks = CallHooks { before: opening, after: |_| () };
/// dlclose(3).
pub(crate) const CLOSE: CallHooks = CallHooks { before: closing, after: closed };

unsafe fn opening(frame: &mut CallFrame) {
    if !is_aside() {
        opened::begins((&raw const *frame).addr(), frame.record());
    }
    // Where calls have to be made to lead to the wrappers, somebody is there when it returns: for a path,
    // which leads to the same file whoever asks.
    if binding::is_on() && binding::may_load_for_others() && frame.wrapped.is_called(c"dlopen") {
        // SAFETY: the program's own argument, which libc is about to read.
        let is_path = unsafe { is_path(with_exposed_provenance(frame.arguments[0] as usize)) };
        if is_path {
            OPEN_REAL.store(frame.real, Relaxed);
            frame.call_instead(open_and_bind as *const () as usize);
        }
    }
}

/// libc's dlopen(3), once it is known.
pub(crate) static OPEN_REAL: AtomicUsize = AtomicUsize::new(0);

/// Whether the dynamic linker looks for a name nowhere else: a path, in which nothing stands for what depends
/// on the caller.
///
/// # Safety
///
/// It is null or a text.
unsafe fn is_path(name: *const c_char) -> bool {
    if name.is_null() {
        return false;
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    name.first() == Some(&b'/') && !name.contains(&b'$')
}

/// After such a call, with what it has returned: has the calls of what it has loaded lead to the wrappers.
/// Where somebody else changes code, that is left to the next recorded call.
pub(crate) extern "C" fn has_opened(handle: usize) {
    if handle != 0 {
        update::bind();
    }
}

unsafe fn closing(_: &mut CallFrame) {
    turn::closing(true);
}

unsafe fn closed(_: &mut CallFrame) {
    objects::forget_unmapped();
    turn::closing(false);
}
