//! Why something can't be done, in words and as a number.

use ktrace::BadPosition;
use rustix::io::Errno;
use session::{BadFilteredSelection, BadSelection, SnapshotNumber};
use std::io;

/// Why something can't be done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something about a session.
    #[error(transparent)]
    Session(#[from] session::Error),
    /// Something about a trace.dat file, or about what was asked for in it.
    #[error(transparent)]
    Query(#[from] query::Error),
    /// Records can't be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A text is no selection of events.
    #[error(transparent)]
    BadSelection(#[from] BadSelection),
    /// A text is no selection of events with a filter.
    #[error(transparent)]
    BadFilteredSelection(#[from] BadFilteredSelection),
    /// What was given makes no sense: a filter, or a name that is none.
    #[error("{0}")]
    Invalid(String),
    /// A control file has refused something.
    #[error("{path}: {error}")]
    File {
        /// The file, from the tree's root on.
        path: String,
        /// The kernel's number for it.
        error: Errno,
    },
    /// A marker was not written.
    #[error("the marker was not written: {0}")]
    NotWritten(String),
    /// There is no such snapshot.
    #[error("there is no such snapshot: {}", called(*.0))]
    NoSnapshot(Option<SnapshotNumber>),
    /// There is no such CPU, or lane.
    #[error("there is no buffer {cpu} in the session")]
    NoBuffer {
        /// Its number.
        cpu: u32,
    },
    /// A position that can't be consumed to.
    #[error("what is before this position can't be consumed: {0:?}")]
    Position(BadPosition),
    /// What chooses events comes after the first event was read.
    #[error("events can be chosen only before the first is read")]
    TooLate,
    /// A signal was handled meanwhile.
    #[error("a signal was handled")]
    Interrupted,
}

impl Error {
    /// Its number, as `errno` has it: what the kernel's tracefs says in the same case.
    pub fn errno(&self) -> Errno {
        match self {
            Error::Session(error) => of_session(error),
            Error::Query(error) => of_query(error),
            Error::Io(error) => Errno::from_io_error(error).unwrap_or(Errno::IO),
            Error::BadSelection(_) | Error::BadFilteredSelection(_) | Error::Invalid(_) => Errno::INVAL,
            Error::File { error, .. } => *error,
            Error::NotWritten(_) => Errno::BADF,
            Error::NoSnapshot(_) => Errno::NOENT,
            Error::NoBuffer { .. } => Errno::NXIO,
            Error::Position(BadPosition::Beyond) => Errno::RANGE,
            Error::Position(BadPosition::InRecord) => Errno::INVAL,
            Error::Position(BadPosition::Contended) => Errno::AGAIN,
            Error::TooLate => Errno::BUSY,
            Error::Interrupted => Errno::INTR,
        }
    }
}

/// What a snapshot is called that was asked for.
fn called(number: Option<SnapshotNumber>) -> String {
    number.map_or_else(|| "none was taken".to_owned(), |number| number.to_string())
}

fn of_session(error: &session::Error) -> Errno {
    match error {
        session::Error::NoSession { .. } => Errno::NOENT,
        session::Error::NoSuchEvent { .. } | session::Error::BadName { .. } => Errno::INVAL,
        session::Error::BadFilter { .. } | session::Error::NoEventToFilter { .. } => Errno::INVAL,
        session::Error::Unusable { .. } => Errno::PROTO,
        error => tracefs::errno_of(error),
    }
}

fn of_query(error: &query::Error) -> Errno {
    match error {
        query::Error::File(error) => of_file(error),
        query::Error::Format(_) => Errno::PROTO,
        query::Error::UnknownBuffer { .. } => Errno::NOENT,
        _ => Errno::INVAL,
    }
}

/// That of a trace.dat file: what is damaged, or of another version, is EPROTO.
fn of_file(error: &trace_data::dat::Error) -> Errno {
    match error {
        trace_data::dat::Error::Io { source, .. } => Errno::from_io_error(source).unwrap_or(Errno::IO),
        _ => Errno::PROTO,
    }
}

impl From<trace_data::dat::Error> for Error {
    fn from(error: trace_data::dat::Error) -> Error {
        Error::Query(error.into())
    }
}

impl From<BadPosition> for Error {
    fn from(bad: BadPosition) -> Error {
        Error::Position(bad)
    }
}
