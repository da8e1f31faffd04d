//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

/// Why a journal could not be written, or not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The session can't be used.
    #[error(transparent)]
    Session(#[from] session::Error),
    /// A file or a directory can't be used.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// Somebody else writes it.
    #[error("{path} is being written by another lookback persist: end that, or choose another directory")]
    Busy {
        /// The journal.
        path: PathBuf,
    },
    /// There is none.
    #[error("{path} has no journal: expected a directory that `lookback persist` writes to")]
    NoJournal {
        /// The directory.
        path: PathBuf,
    },
    /// Nothing in it can be read.
    #[error("{path}: nothing can be read: {reason}")]
    Unreadable {
        /// The journal.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

impl Error {
    /// What went wrong at `path`.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_path_buf();
        move |error| Error::File { path, error }
    }

    /// Whether there is no space left for more.
    pub fn is_full(&self) -> bool {
        matches!(self, Error::File { error, .. } if reading::is_full(error))
    }
}
