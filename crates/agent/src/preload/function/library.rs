//! Libraries that the program loads and unloads while it runs.
//!
//! dlopen(3) has to see who calls it, so it is jumped to and nobody is there when it returns. The thread that
//! has called it looks for sites when it next makes a call that takes the slow path; while functions are
//! traced all calls of the process do so until then ([`opened`]). Calls that are made while libraries are
//! being loaded don't count: what is mapped then may be unmapped again, and nobody says so. They come from
//! below the frame of dlopen(3) on the stack. No other thread does, because to look takes the dynamic
//! linker's lock: who has just taken it may take it again; another may have a lock of the program's that a
//! constructor waits for.
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
        opened::opens((&raw const *frame).addr());
    }
}

unsafe fn closing(_: &mut CallFrame) {
    turn::closing(true);
}

unsafe fn closed(_: &mut CallFrame) {
    objects::forget_unmapped();
    turn::closing(false);
}
