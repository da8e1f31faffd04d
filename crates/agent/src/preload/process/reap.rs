//! Waiting for children.
//!
//! A process that was killed can't record its own end. Its parent learns of it here, and records it unless
//! someone else has: the session's table says who is the first. What nobody waits for, the command that
//! records finds.
//!
//! # Safety
//!
//! Hooks are called by the frame of `frame.rs` only, around the call that they are named after, with its
//! arguments and its result.

use crate::preload::process::priority::priority;
use crate::preload::record;
use crate::preload::record::value::FieldValue;
use crate::preload::signal::fatal;
use crate::preload::thread::end::record_exit;
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use abi::control::ErrorSet;
use events::sched;
use libc::{WEXITED, WIFEXITED, WIFSIGNALED, WTERMSIG, siginfo_t};
use ring_buffer::{Reason, SnapshotCause};
use trace_event::{is_enabled, session};

/// wait(2).
pub(crate) const WAIT: CallHooks = CallHooks { before: before_wait, after: after_wait };
/// wait3(2).
pub(crate) const WAIT3: CallHooks = WAIT;
/// waitpid(2), wait4(2).
pub(crate) const WAITPID: CallHooks = CallHooks { before: before_waitpid, after: after_waitpid };
/// waitid(2).
pub(crate) const WAITID: CallHooks = CallHooks { before: before_waitid, after: after_waitid };

unsafe fn before_wait(frame: &mut CallFrame) {
    record_wait(-1);
    let scratch = &raw mut frame.scratch;
    let [status, ..] = &mut frame.arguments;
    provide_status(status, scratch);
}

unsafe fn after_wait(frame: &mut CallFrame) {
    let [status, ..] = frame.arguments;
    // SAFETY: libc has got this pointer as the status.
    unsafe { look_at_child(frame.result as i32, status) };
}

unsafe fn before_waitpid(frame: &mut CallFrame) {
    let scratch = &raw mut frame.scratch;
    let [pid, status, ..] = &mut frame.arguments;
    record_wait(*pid as i32);
    provide_status(status, scratch);
}

unsafe fn after_waitpid(frame: &mut CallFrame) {
    let [_, status, ..] = frame.arguments;
    // SAFETY: libc has filled the status of a child that it has returned.
    unsafe { look_at_child(frame.result as i32, status) };
}

/// Has libc fill a status also for one who doesn't want it.
fn provide_status(status: &mut u64, own: *mut u64) {
    if *status == 0 {
        *status = own as u64;
    }
}

/// Looks at how a child has changed.
///
/// # Safety
///
/// libc has written its status there if there is one.
unsafe fn look_at_child(child: i32, status: u64) {
    if child > 0 {
        // SAFETY: the caller's promise.
        let status = unsafe { (status as usize as *const i32).read_unaligned() };
        if WIFEXITED(status) {
            record_end(child as u32, 0);
        } else if WIFSIGNALED(status) {
            record_end(child as u32, WTERMSIG(status) as u32);
        }
    }
}

unsafe fn before_waitid(frame: &mut CallFrame) {
    let [kind, id, ..] = frame.arguments;
    record_wait(if kind == u64::from(libc::P_PID) { id as i32 } else { -1 });
}

unsafe fn after_waitid(frame: &mut CallFrame) {
    let [_, _, info, options, ..] = frame.arguments;
    if frame.result as i32 == 0 && info != 0 && options as i32 & WEXITED != 0 {
        // SAFETY: the call has filled it.
        let info = unsafe { (info as usize as *const siginfo_t).read_unaligned() };
        let ended = [libc::CLD_EXITED, libc::CLD_KILLED, libc::CLD_DUMPED].contains(&info.si_code);
        // SAFETY: for these codes there are a PID, 0 when no child has changed its state, and a status.
        let (child, status) = unsafe { (info.si_pid(), info.si_status()) };
        if ended && child > 0 {
            let signal = if info.si_code == libc::CLD_EXITED { 0 } else { status };
            record_end(child as u32, signal as u32);
        }
    }
}

/// The kernel's event at the start of a wait.
fn record_wait(pid: i32) {
    if let Some(session) = session().filter(|_| is_enabled(sched::WAIT_ID)) {
        let comm = session.comm();
        let values = [
            FieldValue::text(comm.as_ptr()),
            FieldValue::Half(pid as u32),
            FieldValue::Half(priority() as u32),
        ];
        // SAFETY: a name ends with a zero byte.
        unsafe { record::write(sched::WAIT_ID, &values) };
    }
}

/// Records the end of a child that hasn't done so itself: by a signal, or 0.
fn record_end(child: u32, signal: u32) {
    let Some(session) = session() else { return };
    let (control, now) = (session.control(), session.now());
    let process = session.find_process(child);
    let comm = match &process {
        Some(process) => process.last_comm(),
        None => control.find_task(child).map_or_else(|| session.comm(), |task| task.comm),
    };
    let was_seen = process.as_ref().is_some_and(|process| process.status.is_in_error());
    let is_first = match process {
        Some(process) => control.end_process(process.entry, now) && !process.status.is_left_out(),
        // It has recorded its own end; or it died before it could say that it was there, and then had this
        // process's name. One of another pid namespace has another number, by which it does so.
        None => !session.is_making_elsewhere() && !control.knows_process(child),
    };
    if is_first {
        record_exit(&comm, child, true, [sched::PARENT, signal]);
    }
    if is_first && !was_seen {
        keep(child, signal);
    }
}

/// Takes a snapshot for a child that was killed, or has ended by an error that was not seen in it: its stack
/// had overflowed, or it had a filter of system calls.
fn keep(child: u32, signal: u32) {
    let kind = ErrorSet::of_signal(signal);
    let cause = SnapshotCause::Killed { number: signal as u16 };
    fatal::take_snapshot(kind, Some(child), cause, Reason::default());
}
