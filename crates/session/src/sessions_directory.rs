//! Where sessions lie.
//!
//! In memory, because a page of a file on a disk would be written back now and then, and a program that
//! touches it meanwhile would wait. `/dev/shm` is there on every Linux; what stays there when its user logs
//! out is up to systemd-logind ([`lasting`](crate::lasting())). `$XDG_RUNTIME_DIR` goes at logout, so it
//! comes second.

use crate::Error;
use crate::names::DEFAULT_NAME;
use crate::session::{DIRECTORY_FOR_GROUP, is_sibling, share};
use abi::control::{LONGEST_PATH, SESSION_FILE};
use rustix::fs::{Access, Mode, StatVfsMountFlags, access, statvfs};
use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A user's directory of sessions: `/dev/shm/lookback-UID`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionsDirectory {
    path: PathBuf,
}

impl SessionsDirectory {
    /// The calling user's, which is made if it isn't there. Where somebody else has taken the name of the
    /// first it is the next: anybody can make a directory in `/dev/shm`.
    pub fn of_user() -> Result<SessionsDirectory, Error> {
        let user = rustix::process::geteuid();
        let runtime =
            std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
        let system = if user.is_root() { "/run".into() } else { format!("/run/user/{}", user.as_raw()) };
        let parents = runtime.into_iter().chain([PathBuf::from(system)]);
        let shared = Path::new("/dev/shm").join(format!("lookback-{}", user.as_raw()));
        SessionsDirectory::first([shared].into_iter().chain(parents.map(|parent| parent.join("lookback"))))
    }

    /// The first of `paths` that can be had. Otherwise what is wrong with the first that somebody else has.
    fn first(paths: impl Iterator<Item = PathBuf>) -> Result<SessionsDirectory, Error> {
        let is_writable =
            |path: &PathBuf| path.parent().is_some_and(|parent| access(parent, Access::WRITE_OK).is_ok());
        let mut failed = None;
        for path in paths.filter(is_writable) {
            match SessionsDirectory::at(path, Mode::RWXU) {
                Ok(place) => return Ok(place),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or(Error::NoMemoryFileSystem))
    }

    /// That of a group, which is made if it isn't there. Who may be in it trusts all members.
    pub fn of_group(group: u32) -> Result<SessionsDirectory, Error> {
        SessionsDirectory::shared(PathBuf::from("/dev/shm").join(format!("lookback-group-{group}")), group)
    }

    fn shared(path: PathBuf, group: u32) -> Result<SessionsDirectory, Error> {
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
        if is_the_groups { Ok(SessionsDirectory { path }) } else { Err(Error::ForeignGroup { path, group }) }
    }

    /// The directory `path`, which is made if it isn't there. It has to be the user's own, with this mode:
    /// `/dev/shm` is everybody's, and somebody else may have been there first.
    fn at(path: PathBuf, mode: Mode) -> Result<SessionsDirectory, Error> {
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
        if own { Ok(SessionsDirectory { path }) } else { Err(Error::ForeignDirectory { path }) }
    }

    /// The sessions in it, by name. What is no session is left out, and what is being made or removed.
    pub fn sessions(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let is_session = |path: &PathBuf| path.join(SESSION_FILE).is_file() && !is_sibling(path);
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_session).collect();
        found.sort();
        found
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory of the session `name` in it.
    fn session(&self, name: &OsStr) -> Result<PathBuf, Error> {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let bytes = name.as_bytes();
        let is_good = bytes.first().is_some_and(is_plain)
            && bytes.iter().all(|byte| is_plain(byte) || b"-.".contains(byte));
        match is_good {
            true => Ok(self.path.join(name)),
            false => Err(Error::BadName { name: name.to_string_lossy().into_owned() }),
        }
    }

    /// Where the object to preload is put: on a disk if possible, from where the kernel maps it quicker
    /// than from memory (large folios: 8 us less for each program that starts), and where programs may be
    /// executed.
    ///
    /// Programs that root starts can become others' and execute again, so root's has to be found by
    /// everybody. The path must have nothing that the dynamic linker takes for something else in
    /// `LD_PRELOAD`.
    pub fn for_objects() -> Result<SessionsDirectory, Error> {
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
            if !is_taken_literally(&path) {
                continue;
            }
            if let Some(parent) = path.parent() {
                let _ = std::fs::create_dir_all(parent);
            }
            if let Ok(place) = SessionsDirectory::at(path, mode)
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

/// The directory of the session `name`, of the one that the environment names, or of the default one. A name
/// with a `/` is a path; others are in the user's [`SessionsDirectory`], which is asked for then only.
pub fn session_path(name: Option<&OsStr>) -> Result<PathBuf, Error> {
    let environment = std::env::var_os("LOOKBACK_SESSION");
    let name = name.or(environment.as_deref()).unwrap_or(DEFAULT_NAME.as_ref());
    let path = match name.as_bytes().contains(&b'/') {
        true => PathBuf::from(name),
        false => SessionsDirectory::of_user()?.session(name)?,
    };
    let most = LONGEST_PATH - SESSION_FILE.len() - c"/".to_bytes_with_nul().len();
    // That is what programs are given.
    let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
    if absolute.as_os_str().len() > most { Err(Error::LongPath(path, most)) } else { Ok(path) }
}

/// Whether the dynamic linker looks for the objects of `directory` where they are: a path is absolute, since
/// programs go elsewhere; blanks and colons separate paths; what begins with `$` stands for something else.
fn is_taken_literally(directory: &Path) -> bool {
    directory.is_absolute() && !directory.as_os_str().as_bytes().iter().any(|byte| b": $".contains(byte))
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
        let place = SessionsDirectory::at(directory.path().join("own"), Mode::RWXU).unwrap();
        assert_eq!(place.session("a-b_1.x".as_ref()).unwrap(), place.path().join("a-b_1.x"));
        assert_eq!(session_path(Some("./x y".as_ref())).unwrap(), PathBuf::from("./x y"));
        for bad in ["", "..", ".hidden", "a b", "ä"] {
            assert!(matches!(place.session(bad.as_ref()), Err(Error::BadName { .. })), "{bad:?}");
        }
        let not_text = OsStr::from_bytes(b"./\xff");
        assert_eq!(session_path(Some(not_text)).unwrap(), PathBuf::from(not_text));
        let longest = PathBuf::from(format!("/{}", "x".repeat(LONGEST_PATH - "//session\0".len())));
        assert_eq!(session_path(Some(longest.as_os_str())).unwrap(), longest);
        let longer = format!("{}x", longest.display());
        assert!(matches!(session_path(Some(longer.as_ref())), Err(Error::LongPath(..))));
    }

    #[test]
    fn a_name_that_somebody_else_has_taken_is_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let [foreign, own] = ["foreign", "own"].map(|name| directory.path().join(name));
        std::fs::create_dir(&foreign).unwrap();
        std::fs::set_permissions(&foreign, Permissions::from_mode(0o755)).unwrap();
        let missing = directory.path().join("missing").join("lookback");
        let first =
            |paths: &[&PathBuf]| SessionsDirectory::first(paths.iter().map(|path| path.to_path_buf()));
        assert_eq!(first(&[&missing, &foreign, &own]).unwrap().path(), own);
        assert!(
            matches!(first(&[&missing, &foreign]), Err(Error::ForeignDirectory { path }) if path == foreign)
        );
        assert!(matches!(first(&[&missing]), Err(Error::NoMemoryFileSystem)));
    }

    #[test]
    fn what_the_dynamic_linker_would_expand_or_split_is_no_place_for_objects() {
        for (path, is_good) in [
            ("/users/user/.cache/lookback", true),
            ("/users/us er/.cache/lookback", false),
            ("/users/user:1/.cache/lookback", false),
            ("/users/$LIB/.cache/lookback", false),
            ("/tmp/${ORIGIN}/lookback", false),
            ("lookback-objects-1", false),
        ] {
            assert_eq!(is_taken_literally(path.as_ref()), is_good, "{path}");
        }
    }

    #[test]
    fn a_directory_that_others_can_enter_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("open");
        std::fs::create_dir(&path).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(SessionsDirectory::at(path, Mode::RWXU), Err(Error::ForeignDirectory { .. })));
    }

    #[test]
    fn a_groups_directory_is_the_groups_alone() {
        let directory = tempfile::tempdir().unwrap();
        let group = rustix::process::getegid().as_raw();
        let path = directory.path().join("shared");
        let place = SessionsDirectory::shared(path.clone(), group).unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o2770);
        assert_eq!(SessionsDirectory::shared(path.clone(), group).unwrap(), place);
        std::fs::set_permissions(&path, Permissions::from_mode(0o2777)).unwrap();
        assert!(matches!(SessionsDirectory::shared(path, group), Err(Error::ForeignGroup { .. })));
    }

    #[test]
    fn a_link_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("link");
        std::os::unix::fs::symlink(directory.path(), &path).unwrap();
        assert!(matches!(SessionsDirectory::at(path, Mode::RWXU), Err(Error::ForeignDirectory { .. })));
    }
}
