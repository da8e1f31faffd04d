//! The start of the agent in a process that runs already, and its end: `lookback attach`, `lookback detach`.
//!
//! A thread of the process is made to come here from outside, wherever it was, but never while it holds a
//! lock of the C library's. It has a stack that the command has mapped, and all its signals are blocked.

use crate::preload::function;
use crate::preload::object::{binding, mapped, symbols};
use crate::preload::process::{attach, origin, sandbox, tid_place};
use crate::preload::signal::{blocked, fatal, handler};
use crate::preload::thread::end;
use abi::attach::{AttachAnswer, AttachRequest, AttachResult, NamedThread};
use core::ffi::CStr;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Release};
use rustix::process::{geteuid, getpid};
use trace_event::{AttachError, AttachedAgain, Attachment, Hooks, session};

/// Whether a thread is attaching or detaching the process. It goes on with that even if the command is gone
/// that has made it come here, so others may be made to come here meanwhile.
static IS_CHANGING: AtomicBool = AtomicBool::new(false);

/// In a copy of the process: what its parent's threads do is not done here.
pub(crate) fn copied() {
    IS_CHANGING.store(false, Release);
}

/// Does something, unless another thread is here. What has come of it, as the command is told.
// Acquire: pairs with the Release at the end: all is seen that was done before.
fn alone(act: impl FnOnce() -> AttachResult) -> u64 {
    let is_busy = IS_CHANGING.swap(true, Acquire);
    let result = if is_busy { AttachResult::Busy } else { act() };
    let answer = AttachAnswer { result, detached_times: trace_event::detached_times() };
    if !is_busy {
        IS_CHANGING.store(false, Release);
    }
    answer.to_word()
}

/// Attaches the process as it is told to, for a thread that was made to come here.
pub(crate) extern "C" fn attach(request: &AttachRequest) -> u64 {
    alone(|| attach_alone(request))
}

fn attach_alone(request: &AttachRequest) -> AttachResult {
    if let Some(session) = session() {
        if session.number() != request.session {
            return AttachResult::Elsewhere;
        }
        // Perhaps one who was brought here before has met with somebody whose turn it was.
        return if binding::is_on() { AttachResult::Attached } else { bind() };
    }
    match trace_event::attach_again(request.session, own_pid()) {
        None if request.session == 0 => AttachResult::Done,
        None => attach_first(request),
        Some(AttachedAgain::OtherSession) if request.freed == u64::from(trace_event::detached_times()) => {
            function::forget_session();
            mapped::forget_entered();
            // SAFETY: whoever has made us come here has seen all threads elsewhere since then.
            unsafe { trace_event::free_session() };
            if request.session == 0 { AttachResult::Done } else { attach_first(request) }
        }
        Some(AttachedAgain::OtherSession) => AttachResult::OtherSession,
        Some(AttachedAgain::Copied) => AttachResult::Copied,
        Some(AttachedAgain::Done) => {
            sandbox::is_told(request.may_call != 0);
            mapped::keep_up();
            fatal::install();
            end::make_key();
            blocked::set(request.mask);
            name_threads(&request.threads);
            match session().is_some_and(function::attach_again) {
                true => bind(),
                false => AttachResult::Busy,
            }
        }
    }
}

/// Detaches the process, likewise. What other threads may be in, or return to, stays: the agent, and what it
/// has mapped of the session.
pub(crate) extern "C" fn detach(_: &AttachRequest) -> u64 {
    alone(detach_alone)
}

fn detach_alone() -> AttachResult {
    let Some(session) = session() else { return AttachResult::NotAttached };
    if !symbols::are_late() {
        return AttachResult::Preloaded;
    }
    if !function::detach(session) {
        return AttachResult::Busy;
    }
    fatal::remove();
    handler::give_back();
    end::forget_key();
    trace_event::detach();
    AttachResult::Done
}

fn attach_first(request: &AttachRequest) -> AttachResult {
    let Some(tid_offset) = tid_place::of_running() else {
        return AttachResult::UnknownLibc;
    };
    let Ok(file) = CStr::from_bytes_until_nul(&request.file) else { return AttachResult::System };
    sandbox::is_told(request.may_call != 0);
    attach::read_clocks_by_libc();
    let usual = attach::attachment(file, tid_offset);
    let attachment = Attachment {
        user: geteuid().as_raw(),
        comm: request.comm,
        pid: Some(own_pid()),
        pid_namespace: Some(request.pid_namespace).filter(|namespace| *namespace != 0),
        hooks: Hooks {
            pid: asked_pid,
            origin: || origin::of(own_pid(), |_| !sandbox::may_be_there()),
            ..usual.hooks
        },
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

/// This process, as the kernel says where it may be asked.
fn asked_pid() -> Option<u32> {
    (!sandbox::may_be_there()).then(own_pid)
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
