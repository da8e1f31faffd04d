//! The session that a process has mapped, if that is not the one that it is to be attached to.

use super::known::is_known;
use super::named::NamedProcess;
use crate::record::is_abandoned;
use session::Instance;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Another session that a process has mapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OtherSession {
    /// Its directory.
    directory: PathBuf,
    /// Whether its file was deleted.
    is_deleted: bool,
}

/// What the kernel shows after the path of a file that was deleted.
const DELETED: &str = " (deleted)";

impl OtherSession {
    /// That of a process.
    pub(super) fn of(process: &NamedProcess) -> Option<OtherSession> {
        OtherSession::in_maps(&read_to_string(format!("/proc/{}/maps", process.pid)).ok()?)
    }

    /// That in the lines of `/proc/PID/maps`.
    pub(super) fn in_maps(maps: &str) -> Option<OtherSession> {
        maps.lines().find_map(OtherSession::in_line)
    }

    fn in_line(line: &str) -> Option<OtherSession> {
        let shown = &line[line.find('/')?..];
        let path = Path::new(shown.strip_suffix(DELETED).unwrap_or(shown));
        let is_it = line.contains(" rw-s ") && path.file_name()? == abi::control::SESSION_FILE;
        let directory = path.parent().filter(|_| is_it)?.to_path_buf();
        Some(OtherSession { directory, is_deleted: shown.ends_with(DELETED) })
    }

    /// Whether nobody records with it any more: it was deleted, or whoever recorded was killed.
    pub(super) fn is_over(&self) -> bool {
        self.is_deleted || is_abandoned(&self.directory)
    }

    /// Why a process can't be attached to another one.
    pub(super) fn obstacle(&self, process: &NamedProcess) -> Option<String> {
        if self.is_over() || !is_known(&Instance::open(&self.directory).ok()?, process) {
            return None;
        }
        Some(format!("it is attached to another session: {}", self.directory.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_sessions_are_found() {
        let line = "7f00-7f80 rw-s 00000000 00:19 42    /dev/shm/lookback-0/default/session";
        let found = OtherSession::in_line(line).unwrap();
        assert_eq!(
            (found.directory.as_path(), found.is_deleted),
            (Path::new("/dev/shm/lookback-0/default"), false)
        );
        let deleted = OtherSession::in_line(&format!("{line}{DELETED}")).unwrap();
        assert_eq!((&deleted.directory, deleted.is_over()), (&found.directory, true));
        let others = [
            "7f00-7f80 r--p 00000000 00:19 42    /usr/lib/systemd/session",
            "7f00-7f80 rw-p 00000000 00:00 0",
        ];
        assert_eq!(others.map(OtherSession::in_line), [None, None]);
    }
}
