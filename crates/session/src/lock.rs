//! Locks: who takes events out, and who changes what is wanted. They go with their process, whatever ends it.

use crate::{Error, Session};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::Path;

/// A lock that is held as long as this lives.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// For who takes events out of the session at `path`: one at a time, so that each gets all of them.
    /// [`Error::Busy`] when somebody does.
    pub fn reader(path: &Path) -> Result<Lock, Error> {
        Lock::take(path, FlockOperation::NonBlockingLockExclusive)
    }

    fn take(path: &Path, operation: FlockOperation) -> Result<Lock, Error> {
        let file = File::open(path).map_err(|error| Error::system(path, error))?;
        flock(&file, operation).map_err(|error| match error {
            rustix::io::Errno::WOULDBLOCK => Error::Busy { path: path.to_path_buf() },
            error => Error::system(path, error),
        })?;
        Ok(Lock { _file: file })
    }
}

impl Session {
    /// For who changes what is wanted: waits for others that do, who need a moment.
    pub fn lock_settings(&self) -> Result<Lock, Error> {
        Lock::take(&self.file(), FlockOperation::LockExclusive)
    }

    /// Forgets what a reader has left behind that was killed: tables keep nothing more for it.
    pub fn forget_dead_reader(&self) {
        if self.control().is_collected() && Lock::reader(self.path()).is_ok() {
            self.control().set_collected(u64::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    #[test]
    fn a_reader_that_was_killed_is_forgotten_and_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let options = Options { buffer_kb: 64, ..Options::default() };
        let session = Session::create(&path, &options).unwrap();
        let lock = Lock::reader(&path).unwrap();
        assert!(matches!(Lock::reader(&path), Err(Error::Busy { .. })));
        session.control().set_collected(7);
        session.forget_dead_reader();
        assert!(session.control().is_collected());
        // It goes with its process, which has said nothing.
        drop(lock);
        session.forget_dead_reader();
        assert!(!session.control().is_collected());
    }
}
