//! The numbers of the session's errors.

use rustix::io::Errno;
use session::{BadTrigger, Error};

/// The number of an error of the session's. What has none is EIO.
pub(crate) fn errno(error: Error) -> Errno {
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
        Error::NoSnapshots { .. } | Error::NoMemory { .. } => Errno::NOMEM,
        Error::System { error, .. } => Errno::from_io_error(&error).unwrap_or(Errno::IO),
        _ => Errno::IO,
    }
}
