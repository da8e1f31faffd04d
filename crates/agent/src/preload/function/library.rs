//! Libraries that the program loads and unloads while it runs.
//!
//! dlopen(3) has to see who calls it, so it is jumped to and nobody is there when it returns ([`opened`]).
//! The next call of any thread that takes the slow path after that looks for sites; all calls of the process
//! take it until then, while functions are traced.
//!
//! # Safety
//!
//! As in `limits.rs`. Nothing of the calls is changed.

use super::{objects, opened, turn};
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use trace_event::is_aside;

/// dlopen(3) and dlmopen(3).
pub(crate) const OPEN: CallHooks = CallHooks { before: opening, after: |_| () };
/// dlclose(3).
pub(crate) const CLOSE: CallHooks = CallHooks { before: closing, after: closed };

unsafe fn opening(frame: &mut CallFrame) {
    if !is_aside() {
        opened::begins((&raw const *frame).addr(), frame.record());
    }
}

unsafe fn closing(_: &mut CallFrame) {
    turn::closing(true);
}

unsafe fn closed(_: &mut CallFrame) {
    objects::forget_unmapped();
    turn::closing(false);
}
