//! What holds for the calling process, and for those that it starts or sees.

use rustix::thread::sched_getaffinity;
use std::fs::read_to_string;

/// For every CPU that this machine can ever have: whether the calling process may run on it now. What it
/// starts may run on the same.
pub(crate) fn allowed_cpus() -> Vec<bool> {
    let possible = possible().unwrap_or(1);
    let allowed = sched_getaffinity(None).ok();
    let is_allowed = |cpu: usize| allowed.is_none_or(|set| set.is_set(cpu));
    (0..possible).map(is_allowed).collect()
}

/// How many CPUs this machine can have: the highest in a list like `0-7` or `0,2-3`, and one.
fn possible() -> Option<usize> {
    let list = read_to_string("/sys/devices/system/cpu/possible").ok()?;
    let last = list.trim().rsplit([',', '-']).next()?;
    last.parse::<usize>().ok().map(|last| last + 1)
}

/// The inode of the pid namespace that this process counts in.
pub(crate) fn pid_namespace() -> u64 {
    rustix::fs::stat("/proc/self/ns/pid").map_or(0, |found| found.st_ino)
}

/// Whether there is such a process: one that was killed has an entry until somebody notices.
pub(crate) fn is_alive(pid: u32) -> bool {
    let pid = rustix::process::Pid::from_raw(pid.cast_signed());
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// The PID by which the calling process knows a process that has `pid` in the pid namespace with this inode.
/// None for one that can't be seen from here. Cost: for one of another namespace a look at all processes.
pub fn pid_here(pid: u32, namespace: u64) -> Option<u32> {
    if namespace == pid_namespace() {
        return Some(pid);
    }
    let all = std::fs::read_dir("/proc").ok()?.flatten();
    let mut all = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    all.find(|here: &u32| {
        let is_there =
            rustix::fs::stat(format!("/proc/{here}/ns/pid")).is_ok_and(|found| found.st_ino == namespace);
        let status = || read_to_string(format!("/proc/{here}/status")).ok();
        is_there && status().and_then(|status| innermost_pid(&status)) == Some(pid)
    })
}

/// The PID that a process has in its own namespace, the last of `NSpid:`.
fn innermost_pid(status: &str) -> Option<u32> {
    let pids = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    pids.split_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pid_is_found_by_its_namespace() {
        let own = std::process::id();
        assert_eq!(pid_here(own, pid_namespace()), Some(own));
        assert_eq!(pid_here(own, 1), None);
        assert_eq!(innermost_pid("Name:\tx\nNSpid:\t4711\t12\t1\n"), Some(1));
    }
}
