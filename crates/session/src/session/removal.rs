//! Removing a session.

use super::paths::{REMOVED, sibling};
use super::{Session, companions};
use crate::Error;
use abi::control::{MAGIC, SESSION_FILE};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

impl Session {
    /// Whether `/proc/PID/maps` has the file of an earlier session of this name, which was removed.
    pub fn had_namesake(&self, maps: &str) -> bool {
        let directory = std::path::absolute(self.path()).unwrap_or_else(|_| self.path().into());
        let start = format!(" {}.{REMOVED}-", directory.display());
        let end = format!("/{SESSION_FILE} (deleted)");
        maps.lines().any(|line| line.contains(&start) && line.ends_with(&end))
    }

    /// Removes the session at `path`, whatever its file has become. Who has it mapped goes on with what
    /// nobody else can see. Where the directory has something else in it, or can't be removed, nothing is: a
    /// file that has a session's name and not its first bytes is not ours.
    pub fn remove(path: &Path) -> Result<(), Error> {
        let entries = std::fs::read_dir(path).map_err(|error| Error::system(path, error))?;
        if entries.flatten().any(|entry| !companions::is_own(&entry.file_name())) {
            return Err(Error::unusable(path, "there is more in it than a session: remove it by yourself"));
        }
        if !starts_as_session(path).map_err(|error| Error::system(path, error))? {
            return Err(Error::unusable(path, "its file `session` is not lookback's: remove it by yourself"));
        }
        let removed = sibling(path, REMOVED);
        std::fs::rename(path, &removed).map_err(|error| Error::system(path, error))?;
        std::fs::remove_dir_all(&removed).map_err(|error| Error::system(removed, error))
    }
}

/// Whether the file that has a session's name begins as one, of whatever version.
fn starts_as_session(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path.join(SESSION_FILE))?.take(size_of_val(&MAGIC) as u64).read_to_end(&mut start)?;
    // None of them where the file was truncated to nothing.
    Ok(MAGIC.to_le_bytes().starts_with(&start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instance, SessionOptions};

    #[test]
    fn only_a_session_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        Session::create(&path, &SessionOptions { buffer_kb: 64, ..SessionOptions::default() }).unwrap();
        std::fs::write(path.join("more"), "").unwrap();
        assert!(matches!(Session::remove(&path), Err(Error::Unusable { .. })));
        std::fs::remove_file(path.join("more")).unwrap();
        assert!(Instance::open(&path).is_ok());
        let other = directory.path().join("other");
        std::fs::create_dir(&other).unwrap();
        std::fs::write(other.join(SESSION_FILE), "somebody's").unwrap();
        assert!(matches!(Session::remove(&other), Err(Error::Unusable { .. })));
        assert!(other.join(SESSION_FILE).exists());
        std::fs::remove_dir_all(&other).unwrap();
        Session::remove(&path).unwrap();
        assert!(std::fs::read_dir(directory.path()).unwrap().next().is_none());
    }
}
