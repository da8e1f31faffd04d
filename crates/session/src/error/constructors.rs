//! Errors that are made in many places.

use super::Error;
use std::path::PathBuf;

impl Error {
    pub(crate) fn system(path: impl Into<PathBuf>, error: impl Into<std::io::Error>) -> Error {
        Error::System { path: path.into(), error: error.into() }
    }

    pub(crate) fn unusable(path: impl Into<PathBuf>, reason: impl ToString) -> Error {
        Error::Unusable { path: path.into(), reason: reason.to_string() }
    }

    pub(crate) fn errno(path: impl Into<PathBuf>, error: shm::Errno) -> Error {
        Error::system(path, std::io::Error::from_raw_os_error(error.0))
    }
}
