//! Locks: who takes events out, and who changes what is wanted. They go with their process, whatever ends it.

use crate::{Error, Session};
use abi::control::Header;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::mem::offset_of;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A lock that is held as long as this lives.
#[derive(Debug)]
pub struct Lock {
    _file: File,
    /// The CPU's, of one that is for a CPU.
    _cpu: Option<File>,
}

/// What the lock of a CPU is named: `cpuN.lock`.
pub(crate) const CPU_LOCK: (&str, &str) = ("cpu", ".lock");

/// The file whose lock those have that have a file of an instance's tree open.
pub(crate) const OPEN: &str = "open";

impl Lock {
    /// For who takes events out of the session at `path`: one at a time, so that each gets all of them.
    /// [`Error::Busy`] when somebody does, of any CPU.
    pub fn reader(path: &Path) -> Result<Lock, Error> {
        Lock::take(path, FlockOperation::NonBlockingLockExclusive)
    }

    fn take(path: &Path, operation: FlockOperation) -> Result<Lock, Error> {
        let file = File::open(path).map_err(|error| Error::system(path, error))?;
        lock(&file, path, operation)?;
        Ok(Lock { _file: file, _cpu: None })
    }
}

fn lock(file: &File, path: &Path, operation: FlockOperation) -> Result<(), Error> {
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
            .and_then(|file| file.read_exact_at(&mut number, offset_of!(Header, identity) as u64))
            .map_err(|error| Error::system(&file, error))?;
        match u64::from_ne_bytes(number) == self.control().identity().number {
            true => Ok(()),
            false => Err(Error::NoSession { path: self.path().to_path_buf() }),
        }
    }

    /// For who changes what is wanted: waits for others that do, who need a moment. [`Error::NoSession`] when
    /// it has been deleted.
    pub fn lock_settings(&self) -> Result<Lock, Error> {
        let lock = Lock::take(&self.file(), FlockOperation::LockExclusive)?;
        self.check_place()?;
        self.control().mend();
        Ok(lock)
    }

    /// For who takes events of one CPU out: those of different CPUs don't exclude each other.
    ///
    /// Source: `open_pipe_on_cpu` in `kernel/trace/trace.c` of Linux 6.18.
    pub fn lock_cpu_reader(&self, cpu: u32) -> Result<Lock, Error> {
        self.check_place()?;
        let shared = Lock::take(&self.reader_file(), FlockOperation::NonBlockingLockShared)?;
        let path = self.companion(&format!("{}{cpu}{}", CPU_LOCK.0, CPU_LOCK.1));
        let own = self.make_file(&path)?;
        lock(&own, self.path(), FlockOperation::NonBlockingLockExclusive)?;
        Ok(Lock { _cpu: Some(own), ..shared })
    }

    /// For who has a file of this instance's tree open: it isn't removed meanwhile. [`Error::NoInstance`]
    /// when it has been.
    pub fn lock_open(&self) -> Result<Lock, Error> {
        let path = self.companion(OPEN);
        let file = self.make_file(&path)?;
        match lock(&file, self.path(), FlockOperation::NonBlockingLockShared) {
            Ok(()) if self.is_there() => Ok(Lock { _file: file, _cpu: None }),
            Ok(()) | Err(Error::Busy { .. }) => Err(self.no_instance("")),
            Err(error) => Err(error),
        }
    }

    /// For who removes this instance: [`Error::Busy`] while somebody has one of its files open.
    pub(crate) fn lock_removal(&self) -> Result<Lock, Error> {
        let file = self.make_file(&self.companion(OPEN))?;
        lock(&file, self.path(), FlockOperation::NonBlockingLockExclusive)?;
        Ok(Lock { _file: file, _cpu: None })
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

    #[test]
    fn one_reader_of_all_or_one_of_each() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let session = Session::create(&path, &Options { buffer_kb: 64, ..Options::default() }).unwrap();
        let other = Session::open(&path).unwrap();
        let is_busy = |taken: Result<Lock, Error>| matches!(taken, Err(Error::Busy { .. }));
        let all = Lock::reader(&path).unwrap();
        assert!(is_busy(other.lock_cpu_reader(0)));
        drop(all);
        let of_each = (session.lock_cpu_reader(0).unwrap(), other.lock_cpu_reader(1).unwrap());
        assert!(is_busy(other.lock_cpu_reader(0)) && is_busy(Lock::reader(&path)));
        drop(of_each);
        assert!(Lock::reader(&path).is_ok());
        Session::remove(&path).unwrap();
    }

    #[test]
    fn a_session_in_the_place_of_another_is_not_locked_for_that() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let options = Options { buffer_kb: 64, ..Options::default() };
        let session = Session::create(&path, &options).unwrap();
        Session::remove(&path).unwrap();
        assert!(session.lock_settings().is_err());
        let other = Session::create(&path, &options).unwrap();
        let is_none = |taken: Result<Lock, Error>| matches!(taken, Err(Error::NoSession { .. }));
        assert!(is_none(session.lock_settings()) && is_none(session.lock_reader()));
        assert!(is_none(session.lock_cpu_reader(0)));
        assert!(other.lock_settings().is_ok() && other.lock_reader().is_ok());
    }
}
