//! Memory of the agent's own stays unlocked, whatever the program locks.

use crate::preload::process::sandbox;
use core::ffi::c_void;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;

/// Whether what is mapped from now on is locked, as far as we know.
pub(crate) static LOCKS_FUTURE: AtomicBool = AtomicBool::new(false);

/// Unlocks memory that was mapped for the agent.
pub(crate) fn keep_unlocked(start: *mut c_void, len: usize) {
    if LOCKS_FUTURE.load(Relaxed) && !sandbox::may_be_there() {
        // SAFETY: changes no contents.
        let _ = unsafe { rustix::mm::munlock(start, len) };
    }
}
