//! What holds for the calling process, and for those that it starts or sees.

use control::ProcessInfo;
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

/// The inode of the pid namespace that this process counts in; 0 where that can't be found out.
pub fn pid_namespace() -> u64 {
    rustix::fs::stat("/proc/self/ns/pid").map_or(0, |found| found.st_ino)
}

/// Whether a process may run still: one that was killed has an entry until somebody notices. Only
/// one that counts in the calling process's own pid namespace can be judged: the numbers of others are not
/// theirs here.
pub(crate) fn may_run() -> impl Fn(&ProcessInfo) -> bool {
    let here = pid_namespace();
    move |process| here == 0 || process.pid_namespace != here || is_alive(process.pid)
}

/// How the calling process's thread `tid` is known to a session's buffers.
pub(crate) fn identity(tid: u32) -> u64 {
    u64::from(tid) | pid_namespace() << 32
}

/// Whether there is such a process.
fn is_alive(pid: u32) -> bool {
    let pid = rustix::process::Pid::from_raw(pid.cast_signed());
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}
