//! The files next to a session's own, which traced programs don't need.

use super::Session;
use crate::Error;
use abi::control::SESSION_FILE;
use abi::instance::RECORDING;
use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The file of [`crate::Preferences`].
pub(crate) const PREFERENCES: &str = "preferences";

/// The file of the error log.
pub(crate) const ERROR_LOG: &str = "error_log";

/// The file of lists of functions.
pub(crate) const FUNCTIONS: &str = "functions";

/// The file of probes.
pub(crate) const PROBES: &str = "probes";

/// The file of [`crate::Saving`].
pub(crate) const SAVING: &str = "saving";

/// The file that says which snapshots were saved.
pub(crate) const SAVED: &str = "saved";

/// What the lock of a CPU is named: `cpuN.lock`.
pub(crate) const CPU_LOCK: (&str, &str) = ("cpu", ".lock");

/// The file whose lock those have that have a file of an instance's tree open.
pub(crate) const OPEN: &str = "open";

/// What the names of files begin with whose locks readers of instances have.
pub(crate) const FILE_PREFIX: &str = "instance-";

/// Whether a name in a session's directory is of such a file.
pub(crate) fn is_instance_file(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(FILE_PREFIX))
}

/// What the name of a file ends with before it is whole.
const NEW: &str = ".new";

/// Whether a file of this name in a session's directory is the session's.
pub(crate) fn is_own(name: &OsStr) -> bool {
    let is_cpu_lock = |name: &str| {
        let number = name.strip_prefix(CPU_LOCK.0).and_then(|rest| rest.strip_suffix(CPU_LOCK.1));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let is_known = |name: &str| {
        [SESSION_FILE, PREFERENCES, ERROR_LOG, FUNCTIONS, PROBES, SAVING, SAVED, OPEN].contains(&name)
    };
    is_instance_file(name)
        || name
            .to_str()
            .is_some_and(|name| is_known(name.strip_suffix(NEW).unwrap_or(name)) || is_cpu_lock(name))
}

impl Session {
    pub(crate) fn companion_of(&self, instance: usize, name: &str) -> PathBuf {
        match instance {
            RECORDING => self.path().join(name),
            index => self.path().join(format!("{FILE_PREFIX}{index}-{name}")),
        }
    }

    /// Where the file lies whose lock readers of an instance have that is not the default one.
    pub(crate) fn lock_file(&self, index: usize) -> PathBuf {
        self.path().join(format!("{FILE_PREFIX}{index}"))
    }

    /// Removes what an instance has remembered there: for one who removes it, or makes the next.
    pub(crate) fn forget_companions(&self, instance: usize) -> Result<(), Error> {
        for path in [PREFERENCES, ERROR_LOG, FUNCTIONS].map(|name| self.companion_of(instance, name)) {
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(Error::system(path, error)),
                _ => {}
            }
        }
        Ok(())
    }

    /// A file of its directory for one who may use the session, made if it isn't there. Never what a link
    /// leads to, which another member of its group may have put there.
    pub(crate) fn make_file(&self, path: &Path) -> Result<File, Error> {
        let no_link = OFlags::NOFOLLOW.bits().cast_signed();
        let mut options = File::options();
        options.write(true).create(true).truncate(false).mode(0o600).custom_flags(no_link);
        let file = options.open(path);
        let file = file.map_err(|error| Error::system(path, error))?;
        let like = self.file().metadata().and_then(|found| {
            let is_like = file.metadata()?.permissions() == found.permissions();
            if is_like { Ok(()) } else { file.set_permissions(found.permissions()) }
        });
        like.map_err(|error| Error::system(path, error))?;
        Ok(file)
    }

    /// Replaces a file of an instance as a whole: a process that is killed meanwhile has changed nothing. The
    /// caller has [`Session::lock_settings`].
    pub(crate) fn replace_file(&self, instance: usize, name: &str, content: &[u8]) -> Result<(), Error> {
        let (path, new) =
            (self.companion_of(instance, name), self.companion_of(instance, &format!("{name}{NEW}")));
        let mut file = self.make_file(&new)?;
        let written = file.set_len(0).and_then(|()| file.write_all(content));
        written.map_err(|error| Error::system(&new, error))?;
        std::fs::rename(&new, &path).map_err(|error| Error::system(&path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SessionOptions, TraceOption};

    #[test]
    fn what_a_link_leads_to_is_not_touched() {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        let other = directory.path().join("other");
        std::fs::write(&other, "precious").unwrap();
        std::os::unix::fs::symlink(
            &other,
            session.session().companion_of(0, &format!("{}{NEW}", PREFERENCES)),
        )
        .unwrap();
        assert!(session.set_option(TraceOption::IrqInfo, false).is_err());
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
    }

    #[test]
    fn all_that_is_made_there_goes_with_the_session() {
        let directory = tempfile::tempdir().unwrap();
        let options =
            SessionOptions { buffer_kb: 64, snapshots: 1, instances: 2, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        let instance = session.session().create_instance("one").unwrap();
        let top = session.session().make_top().unwrap().unwrap();
        for session in [&session, &instance, &top] {
            session.set_option(TraceOption::IrqInfo, false).unwrap();
            session.log_error("place", "error", "command", 0).unwrap();
            drop(session.lock_open().unwrap());
            drop(session.lock_reader().unwrap());
            drop(session.lock_cpu_reader(0).unwrap());
        }
        Session::remove(session.path()).unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
