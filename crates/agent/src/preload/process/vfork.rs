//! Making processes by vfork(2).
//!
//! # Safety
//!
//! As in `fork.rs`.

use crate::preload::object::mapped;
use crate::preload::process::birth::record_fork;
use crate::preload::process::fork::made;
use crate::preload::record;
use crate::preload::record::value::FieldValue;
use events::Call;
use trace_event::{Parent, ThreadState, aside_word, session, thread_state};

fn record_entry(call: Call, caller: usize) {
    // SAFETY: no value is a pointer.
    unsafe { record::write(call.entry(), &[FieldValue::Word(caller as u64)]) };
}

fn record_return(call: Call, child: i32, error: i32) {
    // SAFETY: no value is a pointer.
    unsafe { record::write(call.exit(), &[FieldValue::Half(child as u32), FieldValue::Half(error as u32)]) };
}

/// What the frame of vfork(2) needs to know, in two registers.
#[repr(C)]
pub(crate) struct VforkWords {
    state: *mut ThreadState,
    aside: u64,
}

pub(crate) extern "C" fn before_vfork(caller: usize) -> VforkWords {
    record_entry(Call::vfork, caller);
    mapped::keep_up();
    let aside = aside_word();
    set_vforking(aside, true);
    VforkWords { state: thread_state(), aside }
}

/// Has the process's entry say whether a child with a placeholder is in its memory.
fn set_vforking(aside: u64, begins: bool) {
    if trace_event::placeholder(aside).is_some()
        && let Some(session) = session()
        && let Some(process) = session.process()
    {
        session.control().set_vforking(process, begins);
    }
}

pub(crate) extern "C" fn after_vfork(result: isize, aside: u64) -> i32 {
    set_vforking(aside, false);
    made(trace_event::placeholder(aside).unwrap_or(0), result as i32);
    let (child, error) = if result < 0 { (-1, -result as i32) } else { (result as i32, 0) };
    record_return(Call::vfork, child, error);
    if error != 0 {
        // SAFETY: libc's word for the calling thread.
        unsafe { *libc::__errno_location() = error };
    }
    child
}

pub(crate) extern "C" fn in_vforked_child() {
    trace_event::child_in_memory(true);
    if let Some(session) = session() {
        record_fork(Parent { tid: trace_event::maker_aside(), comm: session.process_comm() });
    }
    record_return(Call::vfork, 0, 0);
}
