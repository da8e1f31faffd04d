//! The start of the agent in a process that runs already: `lookback attach`.
//!
//! A thread of the process is made to come here from outside, wherever it was, but never while it holds a
//! lock of the C library's. It has a stack that the command has mapped, and all its signals are blocked.

use crate::preload::function;
use crate::preload::object::{binding, borrowed};
use crate::preload::process::{attach, origin};
use crate::preload::signal::blocked;
use abi::attach::{AttachRequest, AttachResult, NamedThread};
use core::ffi::CStr;
use rustix::process::{geteuid, getpid};
use trace_event::{AttachError, Attachment, Hooks, session};

/// Attaches the process as it is told to, for a thread that was made to come here.
pub(crate) extern "C" fn attach(request: &AttachRequest) -> AttachResult {
    if session().is_some() {
        // Perhaps one who was brought here before has met with somebody whose turn it was.
        return if binding::is_on() { AttachResult::Attached } else { bind() };
    }
    let Some(tid_offset) = attach::published_tid_offset().filter(|_| borrowed::is_glibc()) else {
        return AttachResult::UnknownLibc;
    };
    let Ok(file) = CStr::from_bytes_until_nul(&request.file) else { return AttachResult::System };
    attach::read_clocks_by_libc();
    let usual = attach::attachment(file, tid_offset);
    let attachment = Attachment {
        user: geteuid().as_raw(),
        comm: request.comm,
        pid: Some(own_pid()),
        hooks: Hooks { origin: || origin::of(own_pid()), ..usual.hooks },
        ..usual
    };
    // SAFETY: as it is for a process that starts.
    let attached = match unsafe { trace_event::attach(&attachment) } {
        Ok(attached) => attached,
        Err(error) => return result(error),
    };
    // Others may be in any function.
    attach::settle(&attached, false);
    blocked::set(request.mask);
    name_threads(&request.threads);
    // Last: from here on others record.
    bind()
}

fn bind() -> AttachResult {
    if function::bind() { AttachResult::Done } else { AttachResult::Busy }
}

fn own_pid() -> u32 {
    getpid().as_raw_nonzero().get() as u32
}

/// Gives threads the names that they have: they are entered under their process's.
fn name_threads(threads: &[NamedThread]) {
    if let Some(session) = session() {
        let named = threads.iter().take_while(|thread| thread.tid != 0);
        named.for_each(|thread| session.rename_thread(thread.tid, thread.comm));
    }
}

fn result(error: AttachError) -> AttachResult {
    match error {
        AttachError::Attached => AttachResult::Attached,
        AttachError::Foreign => AttachResult::Foreign,
        AttachError::System(_) | AttachError::TooLarge(_) => AttachResult::System,
        AttachError::Control(_) | AttachError::Buffer(_) | AttachError::OtherAgent => AttachResult::Unusable,
    }
}
