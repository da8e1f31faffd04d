//! The numbers that processes have in pid namespaces: their own, and those by which others know them.

use crate::this_process::pid_namespace;
use abi::pid_namespace::FIRST;
use control::ProcessInfo;
use std::collections::HashMap;
use std::fs::{read_dir, read_to_string};

/// A process, as it knows itself: as sessions have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OwnPid {
    /// Its PID in its own pid namespace.
    pub pid: u32,
    /// The inode of that.
    pub namespace: u64,
}

impl From<&ProcessInfo> for OwnPid {
    fn from(process: &ProcessInfo) -> OwnPid {
        OwnPid { pid: process.pid, namespace: process.pid_namespace }
    }
}

impl OwnPid {
    /// That of the process which the calling one knows by this PID. None for one that is gone, or that this
    /// user may not look at.
    pub fn of(pid_here: u32) -> Option<OwnPid> {
        let status = read_to_string(format!("/proc/{pid_here}/status")).ok()?;
        // One of this namespace has no other number, and need not be looked at more closely.
        let namespace = match numbers(&status)?.nth(1) {
            None => pid_namespace(),
            Some(_) => rustix::fs::stat(format!("/proc/{pid_here}/ns/pid")).ok()?.st_ino,
        };
        Some(OwnPid { pid: innermost(&status)?, namespace })
    }

    /// The PID by which the calling process knows this one. None for one that can't be seen from here. Cost:
    /// for one of another namespace a look at all processes.
    pub fn here(self) -> Option<u32> {
        if self.namespace == pid_namespace() {
            return Some(self.pid);
        }
        ProcessesHere::look().pids.get(&self).copied()
    }
}

/// The processes that the calling one sees.
#[derive(Debug)]
pub struct ProcessesHere {
    /// The PIDs by which it knows them, by how they know themselves.
    pub pids: HashMap<OwnPid, u32>,
    /// Whether these are all processes that run.
    pub are_all: bool,
}

impl ProcessesHere {
    /// Cost: a look at all of them.
    pub fn look() -> ProcessesHere {
        let mut found = ProcessesHere { pids: HashMap::new(), are_all: pid_namespace() == FIRST };
        let entries = read_dir("/proc").into_iter().flatten().flatten();
        for here in entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()) {
            match OwnPid::of(here) {
                Some(own) => drop(found.pids.insert(own, here)),
                None if runs(here) => found.are_all = false,
                None => {}
            }
        }
        found
    }
}

/// Whether there is such a process, and it has not ended: of one that has, nobody waits for it.
fn runs(pid: u32) -> bool {
    let status = read_to_string(format!("/proc/{pid}/status"));
    status.is_ok_and(|status| {
        !status.lines().any(|line| line.starts_with("State:\tZ") || line.starts_with("State:\tX"))
    })
}

/// The number that a task has in its own namespace: the last of `NSpid:` in its status.
pub fn innermost(status: &str) -> Option<u32> {
    numbers(status)?.last()?.parse().ok()
}

/// The numbers that a task has: in the namespace of whoever looks, and in those below that it is in.
fn numbers(status: &str) -> Option<impl Iterator<Item = &str>> {
    let pids = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    Some(pids.split_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_found_by_how_it_knows_itself() {
        let own = OwnPid { pid: std::process::id(), namespace: pid_namespace() };
        assert_eq!(OwnPid::of(own.pid), Some(own));
        assert_eq!(own.here(), Some(own.pid));
        assert_eq!(ProcessesHere::look().pids.get(&own), Some(&own.pid));
        assert_eq!(OwnPid { namespace: 1, ..own }.here(), None);
        assert_eq!(innermost("Name:\tx\nNSpid:\t4711\t12\t1\n"), Some(1));
    }
}
