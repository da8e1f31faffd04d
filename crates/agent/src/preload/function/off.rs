//! What makes a process trace no functions any more (ftrace_kill), as the session is told.

use abi::control::{FunctionsOff, FunctionsOffReason};
use text_poke::{NotApplied, SiteCode, SiteFailure};

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
