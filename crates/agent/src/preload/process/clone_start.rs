//! The start of a child that clone(2) has made.
//!
//! # Safety
//!
//! The first function of the child calls what is here, with what its parent has left for it.

use crate::preload::process::fork::in_copy;

/// What the child of a clone(2) is to run.
#[repr(C)]
pub(crate) struct CloneStart {
    pub(crate) start: usize,
    pub(crate) argument: usize,
    pub(crate) placeholder: u32,
    pub(crate) shares_memory: bool,
}

/// In a child of clone(2), before anything else. It has its parent's words, and libc doesn't tell it who it
/// is.
pub(crate) unsafe extern "C" fn begin_clone(own: &CloneStart) {
    match own.shares_memory {
        true => trace_event::child_in_memory(true),
        false => in_copy(own.placeholder),
    }
}
