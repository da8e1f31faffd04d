//! What can be wrong with a trace.dat file.

use super::PageDamage;
use std::io;
use thiserror::Error;

/// Why a trace.dat file can't be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The file itself failed.
    #[error("{what}: {source}")]
    Io {
        /// What was being read or written.
        what: &'static str,
        /// The error.
        source: io::Error,
    },
    /// The file doesn't start as a trace.dat file does.
    #[error("not a trace.dat file")]
    NotADatFile,
    /// A file of this kind exists, but not for this reader.
    #[error("{what} of the file is {found}, which this reader doesn't know")]
    Unsupported {
        /// What it is that has variants.
        what: &'static str,
        /// The variant found.
        found: String,
    },
    /// Something reaches beyond the end of the file, or of the section it is part of.
    #[error("{what} at offset {offset} needs {needed} bytes, {available} are there")]
    Truncated {
        /// What.
        what: &'static str,
        /// Where it starts.
        offset: u64,
        /// Bytes that it should have.
        needed: u64,
        /// Bytes from there to the end.
        available: u64,
    },
    /// Something claims a size that no sensible file has.
    #[error("{what} at offset {offset} claims {size} bytes")]
    TooLarge {
        /// What.
        what: &'static str,
        /// Where it starts.
        offset: u64,
        /// The size claimed.
        size: u64,
    },
    /// Something has a value that makes no sense.
    #[error("{what} at offset {offset}: {reason}")]
    Invalid {
        /// What.
        what: &'static str,
        /// Where it is.
        offset: u64,
        /// Why not.
        reason: String,
    },
    /// Pages are damaged; what comes before that, and after it, can be read.
    #[error(transparent)]
    Damaged(#[from] PageDamage),
    /// The data of a CPU to be written isn't what was announced.
    #[error("the data of CPU {cpu} is {reason}")]
    Data {
        /// The CPU.
        cpu: usize,
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// `what` makes no sense.
    pub(super) fn invalid(what: &'static str, offset: u64, reason: impl Into<String>) -> Error {
        Error::Invalid { what, offset, reason: reason.into() }
    }
}
