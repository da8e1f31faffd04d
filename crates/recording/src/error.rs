//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

/// Why a session could not be recorded, or a recording not written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The session can't be used.
    #[error(transparent)]
    Instance(#[from] session::Error),
    /// Events can't be kept on their way to the file.
    #[error(
        "{directory}: {error}: the events that are on their way to the file are kept there; free some space or write to another place by -o FILE"
    )]
    Spool {
        /// Where they are kept.
        directory: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The file can't be written.
    #[error(transparent)]
    Dat(trace_data::dat::Error),
    /// What was kept can't be read back.
    #[error("reading back the events: {0}")]
    ReadBack(#[from] io::Error),
    /// The kernel's events can't be recorded.
    #[error("{_0}{}", instead(_0))]
    Kernel(#[from] kernel_events::Error),
    /// A selection that selects none of the kernel's events.
    #[error(
        "the kernel has no such event:\n{text}\n{:>caret$}\n{}", "^",
        advice(similar), caret = column + 1
    )]
    UnknownKernelEvent {
        /// The selection.
        text: String,
        /// Where it goes wrong.
        column: usize,
        /// Events that may be meant.
        similar: Vec<String>,
    },
    /// The thread that records has failed.
    #[error("the thread that records has failed: this is a defect of lookback")]
    Failed,
}

impl Error {
    /// Whether there is no space left for more.
    pub fn is_full(&self) -> bool {
        let (Error::Spool { error, .. }
        | Error::ReadBack(error)
        | Error::Dat(trace_data::dat::Error::Io { source: error, .. })) = self
        else {
            return false;
        };
        reading::is_full(error)
    }

    /// What export says of a file whose pages wait in `directory`.
    pub(crate) fn of_export(error: export::Error, directory: &Path) -> Error {
        match error {
            export::Error::Io(error) => Error::Spool { directory: directory.to_path_buf(), error },
            export::Error::Dat(error) => Error::Dat(error),
            export::Error::UnknownCpu(_) | export::Error::Nothing(_) => Error::Failed,
        }
    }
}

/// What helps who may not have the kernel's events.
fn instead(error: &kernel_events::Error) -> &'static str {
    match error {
        kernel_events::Error::NotRoot => {
            ": expected root, as by sudo; without it -e @switch records when threads run, and -e @syscalls system calls"
        }
        _ => "",
    }
}

/// What may be meant instead.
fn advice(similar: &[String]) -> String {
    match similar {
        [] => "/sys/kernel/tracing/available_events has all of them".to_owned(),
        similar => format!("similar: {}", similar.join(", ")),
    }
}
