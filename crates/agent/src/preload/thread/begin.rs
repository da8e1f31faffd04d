//! The start of a thread, seen by the thread itself.
//!
//! # Safety
//!
//! The first function of a thread calls what is here, with the place that the thread was given.

use crate::preload::process::birth::record_fork;
use crate::preload::thread::starts::{self, Routine, StartSlot};
use core::ffi::c_void;
use trace_event::{enter, session};

/// Records a thread's start and gives what it is to run.
pub(crate) unsafe extern "C" fn begin_thread(
    place: &StartSlot,
    argument: &mut *mut c_void,
) -> Option<Routine> {
    let start = starts::give_back(place)?;
    trace_event::begin_thread(start.parent.comm);
    if let (Some(session), Some(entered)) = (session(), enter()) {
        session.control().pid_forked(start.parent.tid, entered.tid() as u32);
    }
    record_fork(start.parent);
    *argument = start.argument;
    Some(start.routine)
}
