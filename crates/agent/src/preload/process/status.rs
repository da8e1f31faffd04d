//! The status that the process ends with.
//!
//! # Safety
//!
//! As in `fork.rs`.

use crate::preload::object::symbols;
use crate::preload::object::tables::SymbolName;
use crate::preload::signal::fatal;
use abi::control::ErrorSet;
use core::ffi::c_void;
use core::mem::transmute;
use core::ptr::null_mut;
use ring_buffer::{Reason, SnapshotCause};
use trace_event::chooses_errors;

/// Takes a snapshot, if the process ends with another status than 0.
pub(crate) fn keep(status: i32) {
    let status = status as u8;
    if status != 0 {
        let cause = SnapshotCause::Exit { status: status.into() };
        fatal::take_snapshot(ErrorSet::EXIT, None, cause, Reason::default());
    }
}

/// Has exit(3), and the return from main, say with which status the process ends: once, at the start, if that
/// is of interest then. libc has space for 32 such functions before it allocates any.
pub(crate) fn watch() {
    type Handler = unsafe extern "C" fn(i32, *mut c_void);
    type OnExit = unsafe extern "C" fn(Handler, *mut c_void) -> i32;
    const NAME: SymbolName<'_> = SymbolName::new(b"on_exit\0");
    unsafe extern "C" fn ends(status: i32, _: *mut c_void) {
        keep(status);
    }
    if let Some(found) = symbols::find_libc(NAME).filter(|_| chooses_errors(ErrorSet::EXIT)) {
        // SAFETY: the function has this type, and our object stays loaded.
        unsafe { transmute::<usize, OnExit>(found)(ends, null_mut()) };
    }
}
