//! Making processes by vfork(2).
//!
//! # Safety
//!
//! As in `fork.rs`.

use crate::preload::object::mapped;
use crate::preload::process::birth::record_fork;
use crate::preload::process::fork::made;
use crate::preload::record;
use crate::preload::record::start::CallStart;
use crate::preload::record::value::FieldValue;
use events::Call;
use trace_event::{Parent, ThreadState, aside_word, session, thread_state};

/// Records that vfork(2) returns, which was entered at `time`.
fn record_return(time: u64, child: i32, error: i32) {
    let start = CallStart { call: Call::vfork, time };
    if let Some(duration) = start.duration() {
        let [child, error] = [child, error].map(|number| FieldValue::Half(number as u32));
        // SAFETY: no value is a pointer.
        unsafe { record::write(Call::vfork.exit(), &[child, error, duration]) };
    }
}

/// What the frame of vfork(2) needs to know, in two registers.
#[repr(C)]
pub(crate) struct VforkWords {
    state: *mut ThreadState,
    aside: u64,
}

pub(crate) extern "C" fn before_vfork(caller: usize, start: &mut u64) -> VforkWords {
    *start = CallStart::of(Call::vfork).time;
    // SAFETY: no value is a pointer.
    unsafe { record::write(Call::vfork.entry(), &[FieldValue::Word(caller as u64)]) };
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

pub(crate) extern "C" fn after_vfork(result: isize, aside: u64, start: u64) -> i32 {
    set_vforking(aside, false);
    made(trace_event::placeholder(aside).unwrap_or(0), result as i32);
    let (child, error) = if result < 0 { (-1, -result as i32) } else { (result as i32, 0) };
    record_return(start, child, error);
    if error != 0 {
        // SAFETY: libc's word for the calling thread.
        unsafe { *libc::__errno_location() = error };
    }
    child
}

pub(crate) extern "C" fn in_vforked_child(start: u64) {
    trace_event::child_in_memory(true);
    if let Some(session) = session() {
        record_fork(Parent { tid: trace_event::maker_aside(), comm: session.process_comm() });
    }
    record_return(start, 0, 0);
}
