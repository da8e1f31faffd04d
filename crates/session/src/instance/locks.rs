//! Locks of an instance: for its readers, for those that have its files open, and for its removal.

use super::Instance;
use crate::session::{CPU_LOCK, OPEN, lock};
use crate::{Error, Lock};
use abi::instance::RECORDING;
use rustix::fs::FlockOperation;
use std::path::PathBuf;

impl Instance {
    /// For one who takes events out of this instance: one at a time, so that each gets all of them.
    /// [`Error::Busy`] when somebody does, [`Error::NoSession`] when it has been deleted.
    pub fn lock_reader(&self) -> Result<Lock, Error> {
        self.session.check_place()?;
        Lock::reader(&self.reader_file())
    }

    /// What readers of this instance have a lock of.
    pub(crate) fn reader_file(&self) -> PathBuf {
        match self.index {
            RECORDING => self.path().to_path_buf(),
            index => self.session.lock_file(index),
        }
    }

    /// For one who takes events of one CPU out: those of different CPUs don't exclude each other.
    ///
    /// Source: `open_pipe_on_cpu` in `kernel/trace/trace.c` of Linux 6.18.
    pub fn lock_cpu_reader(&self, cpu: u32) -> Result<Lock, Error> {
        self.session.check_place()?;
        let shared = Lock::take(&self.reader_file(), FlockOperation::NonBlockingLockShared)?;
        let path = self.session.companion_of(self.index, &format!("{}{cpu}{}", CPU_LOCK.0, CPU_LOCK.1));
        let own = self.session.make_file(&path)?;
        lock(&own, self.path(), FlockOperation::NonBlockingLockExclusive)?;
        Ok(Lock { _cpu: Some(own), ..shared })
    }

    /// For one who has a file of this instance's tree open: it isn't removed meanwhile. [`Error::NoInstance`]
    /// when it has been.
    pub fn lock_open(&self) -> Result<Lock, Error> {
        let path = self.session.companion_of(self.index, OPEN);
        let file = self.session.make_file(&path)?;
        match lock(&file, self.path(), FlockOperation::NonBlockingLockShared) {
            Ok(()) if self.is_there() => Ok(Lock { _file: file, _cpu: None }),
            Ok(()) | Err(Error::Busy { .. }) => Err(self.session.no_instance("")),
            Err(error) => Err(error),
        }
    }

    /// For one who removes this instance: [`Error::Busy`] while somebody has one of its files open.
    pub(crate) fn lock_removal(&self) -> Result<Lock, Error> {
        let file = self.session.make_file(&self.session.companion_of(self.index, OPEN))?;
        lock(&file, self.path(), FlockOperation::NonBlockingLockExclusive)?;
        Ok(Lock { _file: file, _cpu: None })
    }

    /// Forgets what a reader has left after that was killed: tables keep nothing more for it.
    pub fn forget_dead_reader(&self) {
        if self.control().is_collected() && Lock::reader(self.path()).is_ok() {
            self.control().set_collected(u64::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};

    #[test]
    fn a_reader_that_was_killed_is_forgotten_and_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
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
        let session =
            Session::create(&path, &SessionOptions { buffer_kb: 64, ..SessionOptions::default() }).unwrap();
        let other = Instance::open(&path).unwrap();
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
        let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
        let session = Session::create(&path, &options).unwrap();
        Session::remove(&path).unwrap();
        assert!(session.session().lock_settings().is_err());
        let other = Session::create(&path, &options).unwrap();
        let is_none = |taken: Result<Lock, Error>| matches!(taken, Err(Error::NoSession { .. }));
        assert!(is_none(session.session().lock_settings()) && is_none(session.lock_reader()));
        assert!(is_none(session.lock_cpu_reader(0)));
        assert!(other.session().lock_settings().is_ok() && other.lock_reader().is_ok());
    }
}
