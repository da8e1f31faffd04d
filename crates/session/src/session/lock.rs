//! Locks: who takes events out, and who changes what is wanted. They go with their process, whatever ends it.

use super::Session;
use crate::Error;
use abi::control::ControlHeader;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::mem::offset_of;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A lock that is held as long as this lives.
#[derive(Debug)]
pub struct Lock {
    pub(crate) _file: File,
    /// The CPU's, of one that is for a CPU.
    pub(crate) _cpu: Option<File>,
}

impl Lock {
    /// For one who takes events out of the session at `path`: one at a time, so that each gets all of them.
    /// [`Error::Busy`] when somebody does, of any CPU.
    pub fn reader(path: &Path) -> Result<Lock, Error> {
        Lock::take(path, FlockOperation::NonBlockingLockExclusive)
    }

    pub(crate) fn take(path: &Path, operation: FlockOperation) -> Result<Lock, Error> {
        let file = File::open(path).map_err(|error| Error::system(path, error))?;
        lock(&file, path, operation)?;
        Ok(Lock { _file: file, _cpu: None })
    }
}

/// Locks a file of the session at `path`.
pub(crate) fn lock(file: &File, path: &Path, operation: FlockOperation) -> Result<(), Error> {
    flock(file, operation).map_err(|error| match error {
        rustix::io::Errno::WOULDBLOCK => Error::Busy { path: path.to_path_buf() },
        error => Error::system(path, error),
    })
}

impl Session {
    /// Whether what lies at its path is this session still: it may have been deleted while it is mapped here,
    /// and another one made there.
    pub(crate) fn check_place(&self) -> Result<(), Error> {
        let mut number = [0; 8];
        let file = self.file();
        File::open(&file)
            .and_then(|file| file.read_exact_at(&mut number, offset_of!(ControlHeader, identity) as u64))
            .map_err(|error| Error::system(&file, error))?;
        match u64::from_ne_bytes(number) == self.control().identity().number {
            true => Ok(()),
            false => Err(Error::NoSession { path: self.path().to_path_buf() }),
        }
    }

    /// For one who changes what is wanted: waits for others that do, who need a moment. [`Error::NoSession`]
    /// when it has been deleted.
    pub fn lock_settings(&self) -> Result<Lock, Error> {
        let lock = Lock::take(&self.file(), FlockOperation::LockExclusive)?;
        self.check_place()?;
        self.control().mend();
        Ok(lock)
    }
}
