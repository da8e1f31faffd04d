//! What makes a process trace no functions any more (ftrace_kill), as the session is told.

use super::objects::TracedObject;
use abi::control::{FunctionsOff, FunctionsOffReason};
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Release};
use text_poke::{NotApplied, SiteCode, SiteFailure};
use trace_event::AttachedSession;

/// 1 once something was not as it should be: then sites are off, and stay as they are (F4).
static KILLED: AtomicU32 = AtomicU32::new(0);

/// Bytes of code, and how many of them count.
fn code(code: SiteCode) -> ([u8; SiteCode::MOST], u8) {
    let mut bytes = [0; SiteCode::MOST];
    bytes.iter_mut().zip(code.bytes()).for_each(|(to, from)| *to = *from);
    (bytes, code.len() as u8)
}

/// Why code can't be changed at all.
pub(super) fn refused(why: NotApplied) -> FunctionsOff {
    let (reason, address, errno) = match why {
        NotApplied::Forbidden { text, error } => (FunctionsOffReason::Forbidden, text, error.raw_os_error()),
        NotApplied::Unsynchronized(error) => (FunctionsOffReason::Unsynchronized, 0, error.raw_os_error()),
        NotApplied::LeftWritable { text, error } => {
            (FunctionsOffReason::LeftWritable, text, error.raw_os_error())
        }
        NotApplied::NoSpace { text } => (FunctionsOffReason::NoSpace, text, 0),
    };
    FunctionsOff { address, errno, ..FunctionsOff::of(reason) }
}

/// Why a site is not as it should be.
pub(super) fn failed(failure: SiteFailure) -> FunctionsOff {
    let off = FunctionsOff::of(FunctionsOffReason::Differs);
    match failure {
        SiteFailure::Differs { address, expected, found } => {
            FunctionsOff { address, code: [code(expected), code(found)], ..off }
        }
        SiteFailure::TooLate { address } | SiteFailure::NoText { address } => FunctionsOff { address, ..off },
    }
}

/// Whether something was not as it should be.
pub(super) fn is_killed() -> bool {
    KILLED.load(Acquire) != 0
}

/// Says why no functions are traced, or none of an object, whose code it was about.
pub(super) fn say_off(session: AttachedSession, off: FunctionsOff, object: Option<&TracedObject>) {
    let (object, base) = object.map_or((off.object, 0), |object| (Some(object.entry()), object.base));
    let off = FunctionsOff { object, address: off.address.wrapping_sub(base), ..off };
    if let Some(process) = session.process() {
        session.control().set_functions_off(process, &off);
    }
}

/// Disables all sites from now on, for a reason (ftrace_kill).
pub(super) fn kill(session: AttachedSession, off: FunctionsOff, object: Option<&TracedObject>) {
    say_off(session, off, object);
    KILLED.store(1, Release);
}
