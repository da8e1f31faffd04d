//! The processes that should be attached to a session and are not: which ones, and why.
//!
//! What can be found out from outside, by who may look: the session has an entry for the process, or stands
//! in its environment, or it descends from an attached one, and it does not map the session's file.

use super::family::{descendants, parents};
use crate::json::Json;
use crate::object;
use crate::record::program::obstacle;
use abi::control::Obstacle;
use control::ProcessInfo;
use rustix::fs::{major, minor};
use session::{Instance, OwnPid};
use std::fs::{read, read_link, read_to_string};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use trace_data::dat::UnseenProcess;

/// A process that should be attached: the session knows it, or is in its environment, or knows whom it
/// descends from.
#[derive(Debug)]
pub(crate) struct UnattachedProcess {
    pub(crate) pid: u32,
    pub(crate) comm: String,
    pub(crate) exe: Option<String>,
    /// Why it is not attached; None for one that is.
    pub(crate) why: Option<String>,
    /// Whether it stays so: another one may be about to attach.
    pub(crate) is_certain: bool,
    /// Whether the PID is the one that it has here.
    pub(crate) is_here: bool,
}

impl UnattachedProcess {
    /// All that can be seen, by PID; also those that are attached.
    pub(crate) fn all(session: &Instance) -> Vec<UnattachedProcess> {
        let look = Look::new(session);
        let parents = parents();
        let known = look.known().collect();
        let mut related = descendants(&parents, &known);
        related.extend(known);
        let mut all: Vec<_> = parents.keys().filter_map(|pid| look.at(*pid, related.contains(pid))).collect();
        all.sort_by_key(|process| process.pid);
        all
    }

    /// Adds those that run what their makers have said to run unrecorded, and that can't be looked at from
    /// here, as those of another pid namespace.
    pub(crate) fn add_told(all: &mut Vec<UnattachedProcess>, session: &Instance) {
        let here = session.control().identity().pid_namespace;
        let running = session.control().processes().filter(|process| process.end_time == 0);
        for process in running {
            let is_known = all.iter().any(|other| other.pid == process.pid);
            if let Some(obstacle) = process.status.obstacle().filter(|_| !is_known) {
                let comm = process.executed_name().unwrap_or_default().to_owned();
                let why = Some(obstacle.describe().to_owned());
                let (pid, is_here) = (process.pid, process.pid_namespace == here);
                all.push(UnattachedProcess { pid, comm, exe: None, why, is_certain: true, is_here });
            }
        }
        all.sort_by_key(|process| process.pid);
    }

    /// As a process that is not seen; None for one that is attached.
    pub(super) fn unseen(self) -> Option<UnseenProcess> {
        Some(UnseenProcess { pid: self.pid, name: self.comm, why: self.why?, in_part: false })
    }

    /// With whether it could be attached, where that was asked.
    pub(crate) fn json(&self, prospect: Option<Json>) -> Json {
        let mut members = vec![
            ("pid", Json::Number(self.pid.into())),
            ("comm", Json::Text(self.comm.clone())),
            ("exe", Json::text(self.exe.as_ref())),
            ("why", Json::text(self.why.as_ref())),
        ];
        members.extend(prospect.map(|prospect| ("attach", prospect)));
        Json::Object(members)
    }
}

/// What is looked for in processes.
#[derive(Debug)]
pub(super) struct Look<'a> {
    session: &'a Instance,
    directory: PathBuf,
    /// How lines of `/proc/PID/maps` name the session's file, whatever its path is there: device and inode.
    mapping: String,
}

impl<'a> Look<'a> {
    pub(super) fn new(session: &'a Instance) -> Look<'a> {
        let directory = std::path::absolute(session.path()).unwrap_or_else(|_| session.path().into());
        let mapping = session.file().metadata().map_or_else(
            |_| String::new(),
            |found| format!(" {:02x}:{:02x} {} ", major(found.dev()), minor(found.dev()), found.ino()),
        );
        Look { session, directory, mapping }
    }

    /// The processes that the session knows, of those whose PIDs mean something here.
    pub(super) fn known(&self) -> impl Iterator<Item = u32> {
        let control = self.session.control();
        let here = control.identity().pid_namespace;
        let known = control.processes().filter(move |process| process.pid_namespace == here);
        known.filter(|process| process.end_time == 0).map(|process| process.pid)
    }

    /// Looks at a process, which is related to known ones or not. None where it has nothing to do with the
    /// session, or may not be looked at.
    pub(super) fn at(&self, pid: u32, is_related: bool) -> Option<UnattachedProcess> {
        let process = PathBuf::from(format!("/proc/{pid}"));
        let comm = read_to_string(process.join("comm")).ok()?.trim_end().to_string();
        let environment = match read(process.join("environ")) {
            Ok(environment) => environment,
            // The kernel keeps those from others that have got more rights by what they execute.
            Err(error) if error.kind() == ErrorKind::PermissionDenied && is_related => {
                return self.hidden(pid, comm);
            }
            Err(_) => return None,
        };
        let variable = |name: &str| {
            let mut variables = environment.split(|byte| *byte == 0);
            let value = variables.find_map(|variable| variable.strip_prefix(name.as_bytes()))?;
            Some(String::from_utf8_lossy(value).into_owned())
        };
        // One that another session is meant for is not this one's.
        let is_named = variable("LOOKBACK_SESSION=").map(|path| Path::new(&path) == self.directory);
        if !is_named.unwrap_or(is_related) || comm == "lookback" {
            return None;
        }
        // None for a zombie.
        let maps = read_to_string(process.join("maps")).ok().filter(|maps| !maps.is_empty())?;
        let exe = read_link(process.join("exe")).ok().map(|path| path.display().to_string());
        let found = UnattachedProcess { pid, comm, exe, why: None, is_certain: true, is_here: true };
        if maps.contains(&self.mapping) {
            let known = self.known_here(pid);
            let is_detached = known.is_some_and(|process| process.status.is_detached());
            return (!is_detached).then_some(found);
        }
        if let Some(obstacle) = obstacle_of(&process) {
            return Some(UnattachedProcess { why: Some(obstacle.describe().to_owned()), ..found });
        }
        let preload = variable("LD_PRELOAD=").unwrap_or_default();
        let why = Some(reason(self.session, &process, &maps, &preload));
        Some(UnattachedProcess { why, is_certain: false, ..found })
    }

    /// The process that this command knows by this PID, as the session knows it.
    fn known_here(&self, pid: u32) -> Option<ProcessInfo> {
        let own = OwnPid::of(pid)?;
        self.session.control().find_process_in(own.pid, own.namespace)
    }

    /// A process that may not be looked at, if it has executed something since it was seen: one that has
    /// dropped rights is hidden as well.
    fn hidden(&self, pid: u32, comm: String) -> Option<UnattachedProcess> {
        let known = self.known_here(pid);
        if known.is_some_and(|process| !process.status.is_executing()) {
            return None;
        }
        let why = Some("may not be looked at: it has other rights than this user".to_owned());
        Some(UnattachedProcess { pid, comm, exe: None, why, is_certain: false, is_here: true })
    }
}

/// What speaks against a process's being attached, as far as its program and its rights show.
fn obstacle_of(process: &Path) -> Option<Obstacle> {
    let program = process.join("exe");
    if let Some(obstacle) = obstacle(&program) {
        return Some(obstacle);
    }
    let mode = program.metadata().map_or(0, |found| found.mode());
    match mode {
        _ if !is_privileged(process) => None,
        mode if mode & 0o4000 != 0 => Some(Obstacle::SetUser),
        mode if mode & 0o2010 == 0o2010 => Some(Obstacle::SetGroup),
        _ => Some(Obstacle::OtherRights),
    }
}

fn reason(session: &Instance, process: &Path, maps: &str, preload: &str) -> String {
    let object = preload.split([':', ' ']).find(|path| path.contains(object::PREFIX));
    let Some(object) = object else {
        return "LD_PRELOAD in its environment doesn't name lookback's agent".to_string();
    };
    let file = session.file();
    if session.session().had_namesake(maps) {
        return "it records into an earlier session of this name, which was deleted: start it again"
            .to_string();
    }
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
    if !object::is_in(maps) {
        return "it has loaded another version of lookback: start it again".to_string();
    }
    if !may_open(&file, READ | WRITE) {
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
pub(crate) fn limit_of_addresses(process: &Path) -> Option<u64> {
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
pub(crate) struct User {
    pub(crate) uid: u32,
    pub(crate) groups: Vec<u32>,
}

impl User {
    /// Who a process is.
    pub(crate) fn of(process: &Path) -> Option<User> {
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
    pub(crate) fn may_attach(&self, directory: &Path) -> bool {
        self.may(&directory.join(abi::control::SESSION_FILE), READ | WRITE)
    }

    /// Whether a file can be read.
    pub(crate) fn may_read(&self, path: &Path) -> bool {
        self.may(path, READ)
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
