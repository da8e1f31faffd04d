//! Removing a session.

use super::paths::{REMOVED, sibling};
use super::{Session, companions};
use crate::Error;
use std::path::Path;

impl Session {
    /// Removes the session at `path`, whatever its file has become. Who has it mapped goes on with what
    /// nobody else can see. Where the directory has something else in it, or can't be removed, nothing is.
    pub fn remove(path: &Path) -> Result<(), Error> {
        let entries = std::fs::read_dir(path).map_err(|error| Error::system(path, error))?;
        if entries.flatten().any(|entry| !companions::is_own(&entry.file_name())) {
            return Err(Error::unusable(path, "there is more in it than a session: remove it by yourself"));
        }
        let removed = sibling(path, REMOVED);
        std::fs::rename(path, &removed).map_err(|error| Error::system(path, error))?;
        std::fs::remove_dir_all(&removed).map_err(|error| Error::system(removed, error))
    }
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
        Session::remove(&path).unwrap();
        assert!(std::fs::read_dir(directory.path()).unwrap().next().is_none());
    }
}
