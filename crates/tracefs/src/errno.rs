//! The numbers of the session's errors.

use rustix::io::Errno;
use session::{BadTrigger, Error, ProbeError, ProbeFailure};

/// The number of an error of the session's. What has none is EIO.
pub(crate) fn errno(error: Error) -> Errno {
    errno_of(&error)
}

/// The number of an error of a session's, as the files of the tree have it. What has none is EIO.
pub fn errno_of(error: &Error) -> Errno {
    match error {
        Error::Busy { .. } | Error::Snapshot { .. } | Error::NotResized { .. } => Errno::BUSY,
        Error::Protected { .. } | Error::NotEnabled { .. } => Errno::BUSY,
        Error::LatencyMeasured { .. } | Error::NoSpare { .. } => Errno::BUSY,
        Error::BadTrigger { reason: BadTrigger::CountTooLarge, .. } => Errno::RANGE,
        Error::BadTrigger { .. } | Error::BadErrorRule(_) => Errno::INVAL,
        Error::NoSuchCommand { .. } => Errno::NODEV,
        Error::NoInstance { .. } => Errno::NOENT,
        Error::InstanceExists { .. } | Error::TriggerExists { .. } => Errno::EXIST,
        Error::TooManyInstances { .. } => Errno::NOMEM,
        Error::TooManyTriggers { .. } | Error::TooManyPids => Errno::NOMEM,
        Error::BadInstanceName { .. } | Error::OptionsExclude { .. } | Error::AlwaysOn { .. } => Errno::INVAL,
        Error::OtherClock { .. } => Errno::INVAL,
        Error::Probe(ProbeFailure::Bad(bad)) => of_probe(bad.error),
        Error::Probe(ProbeFailure::NotFound { .. }) => Errno::NOENT,
        Error::Probe(ProbeFailure::InUse { .. }) => Errno::BUSY,
        Error::NoSnapshots { .. } | Error::NoMemory { .. } => Errno::NOMEM,
        Error::System { error, .. } => Errno::from_io_error(error).unwrap_or(Errno::IO),
        _ => Errno::IO,
    }
}

/// That of a probe's definition.
fn of_probe(error: ProbeError) -> Errno {
    match error {
        ProbeError::FileNotFound => Errno::NOENT,
        ProbeError::EventExists | ProbeError::SameProbe => Errno::EXIST,
        ProbeError::OtherKind | ProbeError::OtherArguments => Errno::EXIST,
        ProbeError::TooManyArguments | ProbeError::ArgumentTooLong => Errno::TOOBIG,
        ProbeError::EventTooBig => Errno::TOOBIG,
        ProbeError::TooManyProbes => Errno::NOSPC,
        _ => Errno::INVAL,
    }
}
