//! The processes that should be attached to a session and are not: which ones, and why.
//!
//! What can be found out from outside, by who may look: the session has an entry for the process, or stands
//! in its environment, and it does not map the session's file.

use crate::json::Json;
use crate::object;
use crate::record::program::obstacle;
use rustix::fs::{major, minor};
use session::Instance;
use std::collections::HashSet;
use std::fs::{read, read_link, read_to_string};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A process that should be attached: the session knows it, or is in its environment.
#[derive(Debug)]
pub(super) struct UnattachedProcess {
    pub(super) pid: u32,
    pub(super) comm: String,
    pub(super) exe: Option<String>,
    /// Why it is not attached; None for one that is.
    pub(super) why: Option<String>,
}

impl UnattachedProcess {
    /// All that can be seen, by PID; `known` are those that the session knows.
    pub(super) fn all(session: &Instance, known: &HashSet<u32>) -> Vec<UnattachedProcess> {
        let directory = std::path::absolute(session.path()).unwrap_or_else(|_| session.path().into());
        let mapping = mapping(session);
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let look = |pid| look(session, pid, known.contains(&pid), &directory, &mapping);
        let mut all: Vec<UnattachedProcess> = pids.filter_map(look).collect();
        all.sort_by_key(|stranger| stranger.pid);
        all
    }

    pub(super) fn json(&self) -> Json {
        Json::Object(vec![
            ("pid", Json::Number(self.pid.into())),
            ("comm", Json::Text(self.comm.clone())),
            ("exe", Json::text(self.exe.as_ref())),
            ("why", Json::text(self.why.as_ref())),
        ])
    }
}

/// How lines of `/proc/PID/maps` name the session's file, whatever its path is there: device and inode.
fn mapping(session: &Instance) -> String {
    session.file().metadata().map_or_else(
        |_| String::new(),
        |found| format!(" {:02x}:{:02x} {} ", major(found.dev()), minor(found.dev()), found.ino()),
    )
}

/// Looks at a process; None where it has nothing to do with the session, or may not be looked at.
fn look(
    session: &Instance,
    pid: u32,
    is_known: bool,
    directory: &Path,
    mapping: &str,
) -> Option<UnattachedProcess> {
    let process = PathBuf::from(format!("/proc/{pid}"));
    let environment = read(process.join("environ")).ok()?;
    let variable = |name: &str| {
        let mut variables = environment.split(|byte| *byte == 0);
        let value = variables.find_map(|variable| variable.strip_prefix(name.as_bytes()))?;
        Some(String::from_utf8_lossy(value).into_owned())
    };
    let comm = read_to_string(process.join("comm")).ok()?.trim_end().to_string();
    let is_meant =
        is_known || variable("LOOKBACK_SESSION=").is_some_and(|path| Path::new(&path) == directory);
    if !is_meant || comm == "lookback" {
        return None;
    }
    // None for a zombie.
    let maps = read_to_string(process.join("maps")).ok().filter(|maps| !maps.is_empty())?;
    let why = if maps.contains(mapping) {
        None
    } else {
        let preload = variable("LD_PRELOAD=").unwrap_or_default();
        Some(reason(session, &process, &maps, &preload))
    };
    let exe = read_link(process.join("exe")).ok().map(|path| path.display().to_string());
    Some(UnattachedProcess { pid, comm, exe, why })
}

fn reason(session: &Instance, process: &Path, maps: &str, preload: &str) -> String {
    if let Some(obstacle) = obstacle(&process.join("exe")) {
        return obstacle;
    }
    if is_privileged(process) {
        return "it has more privileges than its caller, so the dynamic linker ignores LD_PRELOAD"
            .to_string();
    }
    let object = preload.split([':', ' ']).find(|path| path.contains(object::PREFIX));
    let Some(object) = object else {
        return "LD_PRELOAD in its environment doesn't name lookback's agent".to_string();
    };
    let needed = session.attached_bytes() / 1024;
    let user = User::of(process);
    let may_open = |path: &Path, mode| user.as_ref().is_none_or(|user| user.may(path, mode));
    if !maps.contains(object::PREFIX) {
        return if may_open(Path::new(object), READ) {
            format!("the dynamic linker has not loaded {object}: does it exist, and is it for this libc?")
        } else {
            format!("it may not read {object}")
        };
    }
    if !maps.contains(&object::name()) {
        return "it has loaded another version of lookback: start it again".to_string();
    }
    if !may_open(&session.file(), READ | WRITE) {
        let id = user.map_or(0, |user| user.uid);
        return format!(
            "its user, {id}, may not open the session: `lookback start --group` makes one that others may"
        );
    }
    if let Some(limit_kb) = limit_of_addresses(process).filter(|limit_kb| limit_kb / 4 < needed) {
        return format!(
            "its address space is limited to {limit_kb} KB (ulimit -v), and the session takes {needed}"
        );
    }
    "it could not attach, or has left: LOOKBACK_DEBUG=1 in its environment says why".to_string()
}

/// KB of addresses that a process may have. None where they are not limited.
pub(super) fn limit_of_addresses(process: &Path) -> Option<u64> {
    let limits = read_to_string(process.join("limits")).ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let bytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(bytes / 1024)
}

/// Whether the kernel has the dynamic linker be careful: AT_SECURE.
fn is_privileged(process: &Path) -> bool {
    const AT_SECURE: u64 = 23;
    let vector = read(process.join("auxv")).unwrap_or_default();
    let words: Vec<u64> = vector.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    words.as_chunks::<2>().0.iter().any(|[name, value]| *name == AT_SECURE && *value != 0)
}

/// What permissions are asked for: bits of a mode, for others.
const READ: u32 = 4;
const WRITE: u32 = 2;
const ENTER: u32 = 1;

/// Who somebody is when he opens a file.
#[derive(Debug)]
pub(super) struct User {
    pub(super) uid: u32,
    pub(super) groups: Vec<u32>,
}

impl User {
    /// Who a process is.
    fn of(process: &Path) -> Option<User> {
        let status = read_to_string(process.join("status")).ok()?;
        let numbers = |name: &str| -> Vec<u32> {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.split_whitespace().filter_map(|number| number.parse().ok()).collect()
        };
        // Real, effective, saved, and that for files.
        let uid = *numbers("Uid:").get(3)?;
        let mut groups = numbers("Groups:");
        groups.extend(numbers("Gid:").get(3));
        Some(User { uid, groups })
    }

    /// Whether the session in `directory` can be opened.
    pub(super) fn may_attach(&self, directory: &Path) -> bool {
        self.may(&directory.join(abi::control::SESSION_FILE), READ | WRITE)
    }

    /// Whether a file's permissions, and those of the directories above it, allow `wanted`.
    fn may(&self, path: &Path, wanted: u32) -> bool {
        let mut above = path.ancestors().skip(1).filter(|directory| *directory != Path::new(""));
        self.is_allowed(path, wanted) && above.all(|directory| self.is_allowed(directory, ENTER))
    }

    fn is_allowed(&self, path: &Path, wanted: u32) -> bool {
        let Ok(found) = path.metadata() else { return false };
        let shift = match () {
            () if found.uid() == self.uid => 6,
            () if self.groups.contains(&found.gid()) => 3,
            () => 0,
        };
        self.uid == 0 || found.mode() >> shift & wanted == wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn permissions_are_those_of_the_owner_then_the_group_then_others() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, "").unwrap();
        let found = path.metadata().unwrap();
        let (uid, group) = (found.uid() + 1, found.gid());
        let mode = |path: &Path, mode| set_permissions(path, Permissions::from_mode(mode)).unwrap();
        let may = |groups: &[u32]| User { uid, groups: groups.to_vec() }.may(&path, READ | WRITE);
        mode(directory.path(), 0o755);
        mode(&path, 0o660);
        assert!(may(&[group]) && !may(&[group + 1]));
        mode(&path, 0o606);
        assert!(!may(&[group]) && may(&[]));
        mode(directory.path(), 0o700);
        assert!(!may(&[]));
    }
}
