//! Where snapshots are saved as files, and how far that has come.
//!
//! Two small files next to the session's own: traced programs don't need them. The first is replaced as a
//! whole; the second has the time of the newest snapshot that was saved.

use super::Instance;
use crate::Error;
use crate::session::{SAVED, SAVING};
use abi::instance::RECORDING;
use rustix::process::geteuid;
use std::fs::DirBuilder;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Where the snapshots of a session's default instance are saved as files, and how many bytes these may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saving {
    /// The directory; None where snapshots are not saved.
    pub directory: Option<PathBuf>,
    /// MB that all files there may take.
    pub most_mb: u64,
}

impl Default for Saving {
    fn default() -> Saving {
        Saving { directory: None, most_mb: 256 }
    }
}

impl Saving {
    /// The most MB that can be chosen.
    pub const MOST_MB: u64 = 1 << 24;

    /// Whether files can be saved in a directory: if its path is absolute, and one line of UTF-8.
    pub fn is_directory(path: &Path) -> bool {
        path.is_absolute() && path.to_str().is_some_and(|path| !path.contains('\n'))
    }

    /// Makes a directory for them, and those above it, if need be: for nobody but their owner.
    pub fn make_directory(path: &Path) -> std::io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    /// Reads lines `NAME VALUE`. What makes no sense is as if nobody had set it.
    fn parse(text: &str) -> Saving {
        let mut saving = Saving::default();
        for (name, value) in text.lines().filter_map(|line| line.split_once(' ')) {
            match name {
                "directory" => {
                    saving.directory = Some(PathBuf::from(value)).filter(|path| Saving::is_directory(path))
                }
                "most_mb" => {
                    let value = value.parse().ok().filter(|most| (1..=Saving::MOST_MB).contains(most));
                    saving.most_mb = value.unwrap_or(saving.most_mb);
                }
                _ => {}
            }
        }
        saving
    }

    fn print(&self) -> String {
        let directory = self.directory.as_ref();
        let directory = directory.map_or(String::new(), |path| format!("directory {}\n", path.display()));
        format!("{directory}most_mb {}\n", self.most_mb)
    }
}

impl Instance {
    /// Where snapshots of the session's default instance are saved. Cost: reading a small file.
    pub fn saving(&self) -> Saving {
        Saving::parse(&std::fs::read_to_string(self.saving_file()).unwrap_or_default())
    }

    /// Where this process may save them: None where nobody has said so but another user than root. A member
    /// of a session's group is not to choose where others write.
    pub fn own_saving(&self) -> Option<(PathBuf, u64)> {
        let owner = self.saving_file().symlink_metadata().ok().filter(|found| found.is_file())?.uid();
        let saving = self.saving();
        let directory = saving.directory.filter(|_| owner == 0 || owner == geteuid().as_raw())?;
        Some((directory, saving.most_mb << 20))
    }

    /// Changes where they are saved, for all who look at the session from now on.
    ///
    /// # Errors
    ///
    /// When the directory can't be one, see [`Saving::is_directory`], or the session has been deleted.
    pub fn set_saving(&self, change: impl FnOnce(&mut Saving)) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        let mut saving = self.saving();
        change(&mut saving);
        if let Some(directory) = saving.directory.as_ref().filter(|path| !Saving::is_directory(path)) {
            return Err(Error::system(directory, ErrorKind::InvalidInput));
        }
        self.session.replace_file(RECORDING, SAVING, saving.print().as_bytes())
    }

    /// The time of the newest snapshot that was saved; 0 where none was.
    pub fn saved_until(&self) -> u64 {
        let text = std::fs::read_to_string(self.session.companion_of(RECORDING, SAVED)).unwrap_or_default();
        text.trim().parse().unwrap_or(0)
    }

    /// Says that all snapshots up to that of this time are saved, or can't be.
    ///
    /// # Errors
    ///
    /// When the session has been deleted, or there is no memory.
    pub fn set_saved_until(&self, time: u64) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        self.session.replace_file(RECORDING, SAVED, format!("{time}\n").as_bytes())
    }

    fn saving_file(&self) -> PathBuf {
        self.session.companion_of(RECORDING, SAVING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};

    #[test]
    fn it_is_kept_next_to_the_session_and_goes_with_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let options = SessionOptions { buffer_kb: 64, snapshots: 1, ..SessionOptions::default() };
        let session = Session::create(&path, &options).unwrap();
        assert_eq!((session.saving(), session.own_saving()), (Saving::default(), None));
        session.set_saving(|saving| saving.most_mb = 7).unwrap();
        assert_eq!(session.own_saving(), None, "nobody has said where");
        session.set_saving(|saving| saving.directory = Some("/some where".into())).unwrap();
        assert_eq!(session.own_saving(), Some(("/some where".into(), 7 << 20)));
        if geteuid().is_root() {
            std::os::unix::fs::chown(session.saving_file(), Some(4711), None).unwrap();
            assert_eq!(session.own_saving(), None, "another user has said so");
        }
        for bad in ["relative", "/two\nlines"] {
            assert!(session.set_saving(|saving| saving.directory = Some(bad.into())).is_err(), "{bad}");
        }
        assert_eq!(session.saved_until(), 0);
        session.set_saved_until(u64::MAX).unwrap();
        assert_eq!(session.again().unwrap().saved_until(), u64::MAX);
        Session::remove(&path).unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_makes_no_sense_is_as_if_not_set() {
        let text = "directory relative\nmost_mb 0\nother 7\n\nmost_mb x";
        assert_eq!(Saving::parse(text), Saving::default());
    }
}
