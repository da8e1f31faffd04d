//! Which CPUs there are.

use crate::{Error, Session};
use rustix::thread::sched_getaffinity;
use std::fs::read_to_string;

/// For every CPU that this machine can ever have: whether the calling process may run on it now. What it
/// starts may run on the same.
pub(crate) fn allowed() -> Vec<bool> {
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

impl Session {
    /// The CPUs that have buffers.
    pub fn cpus(&self) -> impl Iterator<Item = u32> {
        (0..self.buffer().geometry().cpus).filter(|cpu| self.buffer().capacity(*cpu) > 0)
    }

    /// An error where a CPU has no buffer.
    pub fn check_cpu(&self, cpu: u32) -> Result<(), Error> {
        if self.cpus().any(|known| known == cpu) {
            return Ok(());
        }
        Err(Error::NoCpu { path: self.path().to_path_buf(), cpu, cpus: self.cpus().collect() })
    }
}
