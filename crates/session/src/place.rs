//! Where sessions lie.
//!
//! In memory, because a page of a file on a disk would be written back now and then, and a program that
//! touches it meanwhile would wait. `/dev/shm` is there on every Linux and stays when its user logs out;
//! `$XDG_RUNTIME_DIR` goes at logout, so it comes second.

use crate::Error;
use crate::files::{DIRECTORY_FOR_GROUP, share};
use rustix::fs::{Mode, StatVfsMountFlags, statvfs};
use std::fs::Permissions;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A user's directory of sessions: `/dev/shm/lookback-UID`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    path: PathBuf,
}

/// The name of the session that is used when none is named.
pub(crate) const DEFAULT_NAME: &str = "default";

impl Place {
    /// The calling user's, which is made if it isn't there.
    pub fn of_user() -> Result<Place, Error> {
        let user = rustix::process::geteuid().as_raw();
        let shared = [PathBuf::from("/dev/shm").join(format!("lookback-{user}"))];
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let runtime = runtime.filter(|path| path.is_absolute()).map(|path| path.join("lookback"));
        for path in shared.into_iter().chain(runtime) {
            if let Some(parent) = path.parent()
                && rustix::fs::access(parent, rustix::fs::Access::WRITE_OK).is_ok()
            {
                return Place::at(path, Mode::RWXU);
            }
        }
        Err(Error::NoMemoryFileSystem)
    }

    /// That of a group, which is made if it isn't there. Who may be in it trusts all members.
    pub fn of_group(group: u32) -> Result<Place, Error> {
        Place::shared(PathBuf::from("/dev/shm").join(format!("lookback-group-{group}")), group)
    }

    fn shared(path: PathBuf, group: u32) -> Result<Place, Error> {
        match std::fs::DirBuilder::new().mode(Mode::RWXU.bits()).create(&path) {
            Ok(()) => {
                share(&path, group, DIRECTORY_FOR_GROUP).inspect_err(|_| drop(std::fs::remove_dir(&path)))?
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::system(path, error)),
        }
        // Only members of the group can have made a directory like this.
        let found = std::fs::symlink_metadata(&path).map_err(|error| Error::system(&path, error))?;
        let mode = found.mode() & 0o7777;
        let is_the_groups = found.is_dir() && found.gid() == group && mode == DIRECTORY_FOR_GROUP;
        if is_the_groups { Ok(Place { path }) } else { Err(Error::ForeignGroup { path, group }) }
    }

    /// The directory `path`, which is made if it isn't there. It has to be the user's own, with this mode:
    /// `/dev/shm` is everybody's, and somebody else may have been there first.
    fn at(path: PathBuf, mode: Mode) -> Result<Place, Error> {
        match std::fs::DirBuilder::new().mode(mode.bits()).create(&path) {
            // Whatever the caller's umask is.
            Ok(()) => std::fs::set_permissions(&path, Permissions::from_mode(mode.bits()))
                .map_err(|error| Error::system(&path, error))?,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::system(path, error)),
        }
        let found = std::fs::symlink_metadata(&path).map_err(|error| Error::system(&path, error))?;
        let own = found.is_dir()
            && found.uid() == rustix::process::geteuid().as_raw()
            && Mode::from_raw_mode(found.mode()) == mode;
        if own { Ok(Place { path }) } else { Err(Error::ForeignDirectory { path }) }
    }

    /// The sessions in it, by name. What is no session is left out.
    pub fn sessions(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let is_session = |path: &PathBuf| path.join(abi::control::SESSION_FILE).is_file();
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_session).collect();
        found.sort();
        found
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory of the session `name`, of the one that the environment names, or of the default one. A
    /// name with a `/` is a path.
    pub fn session(&self, name: Option<&str>) -> Result<PathBuf, Error> {
        let environment = std::env::var("LOOKBACK_SESSION").ok();
        let name = name.map(str::to_string).or(environment);
        let name = name.unwrap_or_else(|| DEFAULT_NAME.to_string());
        if name.contains('/') {
            return Ok(PathBuf::from(name));
        }
        let is_good = |name: &str| {
            let mut letters = name.chars();
            letters.next().is_some_and(|first| first.is_ascii_alphanumeric() || first == '_')
                && letters.all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
        };
        if is_good(&name) { Ok(self.path.join(name)) } else { Err(Error::BadName { name }) }
    }

    /// Where the object to preload is put: on a disk if possible, from where the kernel maps it quicker
    /// than from memory (large folios: 8 us less for each program that starts), and where programs may be
    /// executed.
    ///
    /// Programs that root starts can become others' and execute again, so root's has to be found by
    /// everybody. The path must not have the characters that separate paths in `LD_PRELOAD`.
    pub fn for_objects(&self) -> Result<Place, Error> {
        let user = rustix::process::geteuid();
        let (cache, mode) = if user.is_root() {
            (Some(PathBuf::from("/var/cache/lookback")), FOR_ALL)
        } else {
            (user_cache().map(|cache| cache.join("lookback")), Mode::RWXU)
        };
        let temporary = |directory: &Path| directory.join(format!("lookback-objects-{}", user.as_raw()));
        let candidates =
            [cache, Some(temporary(&std::env::temp_dir())), Some(temporary("/dev/shm".as_ref()))];
        for path in candidates.into_iter().flatten() {
            let separates = |byte: &u8| matches!(byte, b':' | b' ');
            if path.as_os_str().as_encoded_bytes().iter().any(separates) {
                continue;
            }
            if let Some(parent) = path.parent() {
                let _ = std::fs::create_dir_all(parent);
            }
            if let Ok(place) = Place::at(path, mode)
                && place.may_execute()
            {
                return Ok(place);
            }
        }
        Err(Error::NoPlaceForObjects)
    }

    fn may_execute(&self) -> bool {
        statvfs(&self.path).is_ok_and(|found| !found.f_flag.contains(StatVfsMountFlags::NOEXEC))
    }
}

/// The mode of a directory that everybody can look into.
const FOR_ALL: Mode = Mode::RWXU.union(Mode::RGRP).union(Mode::XGRP).union(Mode::ROTH).union(Mode::XOTH);

/// The user's directory for what can be made again.
fn user_cache() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))
}

/// Bytes that are free in the file system of `path`, or of the nearest directory above that exists.
pub(crate) fn free_bytes(path: &Path) -> Option<u64> {
    let existing = path.ancestors().find(|path| path.exists())?;
    let found = statvfs(existing).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_and_paths_taken_as_they_are() {
        let directory = tempfile::tempdir().unwrap();
        let place = Place::at(directory.path().join("own"), Mode::RWXU).unwrap();
        assert_eq!(place.session(Some("a-b_1.x")).unwrap(), place.path().join("a-b_1.x"));
        assert_eq!(place.session(Some("./x y")).unwrap(), PathBuf::from("./x y"));
        for bad in ["", "..", ".hidden", "a b", "ä"] {
            assert!(matches!(place.session(Some(bad)), Err(Error::BadName { .. })), "{bad:?}");
        }
    }

    #[test]
    fn a_directory_that_others_can_enter_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("open");
        std::fs::create_dir(&path).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(Place::at(path, Mode::RWXU), Err(Error::ForeignDirectory { .. })));
    }

    #[test]
    fn a_groups_directory_is_the_groups_alone() {
        let directory = tempfile::tempdir().unwrap();
        let group = rustix::process::getegid().as_raw();
        let path = directory.path().join("shared");
        let place = Place::shared(path.clone(), group).unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o2770);
        assert_eq!(Place::shared(path.clone(), group).unwrap(), place);
        std::fs::set_permissions(&path, Permissions::from_mode(0o2777)).unwrap();
        assert!(matches!(Place::shared(path, group), Err(Error::ForeignGroup { .. })));
    }

    #[test]
    fn a_link_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("link");
        std::os::unix::fs::symlink(directory.path(), &path).unwrap();
        assert!(matches!(Place::at(path, Mode::RWXU), Err(Error::ForeignDirectory { .. })));
    }
}
