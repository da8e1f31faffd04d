//! Whether the process may have a filter of system calls.
//!
//! A filter can end the program for a call that it does not make by itself. So what is no call of the
//! program's is made only where there is no filter: none that the process was started with, by what its
//! traced parent knew or by what the kernel says of it, and none that it has installed since. Installing
//! one is seen when it goes through libc; who does it by an instruction of his own is not.
//!
//! Without a filter nothing is made on a recording path either; it is a question of what is looked up once,
//! and of what is read of a call that has failed.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use trace_event::session;

/// [`NONE`] once it is known that there was no filter at the start; [`INSTALLED`] when one was installed
/// since; and a count of those that are being installed just now.
static STATE: AtomicU32 = AtomicU32::new(0);

const NONE: u32 = 1 << 31;
const INSTALLED: u32 = 1 << 30;

/// Whether there may be a filter. Async-signal-safe.
pub(crate) fn may_be_there() -> bool {
    STATE.load(Acquire) != NONE
}

/// Says that there was no filter when the process was started.
pub(crate) fn was_none() {
    STATE.fetch_or(NONE, AcqRel);
}

/// Says whether all threads' filters, as they are now, allow what the agent does: in a process that is
/// attached while it runs, and may have installed some unseen.
pub(crate) fn is_told(allows_all: bool) {
    if !allows_all {
        installed();
    } else if session().is_none() {
        STATE.store(NONE, Release);
    }
}

/// Makes a call that may install a filter: while it is under way there may be one. Whether there is says
/// what the call returns.
pub(crate) fn installing<T: Copy>(call: impl FnOnce() -> T, has_succeeded: impl FnOnce(T) -> bool) -> T {
    STATE.fetch_add(1, AcqRel);
    let result = call();
    if has_succeeded(result) {
        installed();
    }
    STATE.fetch_sub(1, AcqRel);
    result
}

/// Whoever is made by this process has the filter, too.
fn installed() {
    STATE.fetch_or(INSTALLED, AcqRel);
    if let Some(session) = session()
        && let Some(process) = session.process()
    {
        session.control().may_not_call(process);
    }
}
