//! The CPU time of a group of processes, those included that nobody waits for.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::sleep;
use std::time::Duration;

/// Where the kernel has the groups, what says the time, and how many us its unit is.
const PLACES: [(&str, &str, &str, f64); 2] = [
    ("/sys/fs/cgroup", "cpu.stat", "cgroup.procs", 1.0),
    ("/sys/fs/cgroup/cpuacct", "cpuacct.usage", "tasks", 1e-3),
];

/// How often it is tried to remove a group, and how long is waited in between: while a process of it is
/// dying, it can't be.
const REMOVALS: u32 = 500;
const REMOVAL_PAUSE: Duration = Duration::from_millis(20);

/// How many this process has made.
// Relaxed: no two get the same number, which is all.
static MADE: AtomicU32 = AtomicU32::new(0);

/// A control group of this process's own, which goes with this.
#[derive(Debug)]
pub(super) struct CpuGroup {
    path: PathBuf,
    usage: &'static str,
    members: &'static str,
    unit: f64,
}

impl CpuGroup {
    /// An empty one, with a name of its own: an earlier one may be there still.
    pub(super) fn new() -> Result<CpuGroup, String> {
        let name = format!("lookback-benches-{}-{}", std::process::id(), MADE.fetch_add(1, Relaxed));
        let made = PLACES.iter().find_map(|(place, usage, members, unit)| {
            let path = Path::new(place).join(&name);
            fs::create_dir(&path).ok()?;
            let group = CpuGroup { path, usage, members, unit: *unit };
            group.us().is_ok().then_some(group)
        });
        made.ok_or_else(|| "no control group can be made: be root".to_owned())
    }

    /// What a process writes its PID to.
    pub(super) fn members(&self) -> PathBuf {
        self.path.join(self.members)
    }

    /// The CPU time of all that were in it, in us.
    pub(super) fn us(&self) -> Result<f64, String> {
        let path = self.path.join(self.usage);
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let line = text.lines().next().and_then(|line| line.split_whitespace().last());
        let value: Option<f64> = line.and_then(|value| value.parse().ok());
        value.map(|value| value * self.unit).ok_or_else(|| format!("{}: no time", path.display()))
    }
}

impl Drop for CpuGroup {
    fn drop(&mut self) {
        for _ in 0..REMOVALS {
            match fs::remove_dir(&self.path) {
                Err(error) if error.kind() == ErrorKind::ResourceBusy => sleep(REMOVAL_PAUSE),
                _ => return,
            }
        }
        eprintln!("{} stays: a process of it goes on", self.path.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn groups_have_names_of_their_own_and_go_while_processes_are_dying() {
        let made = CpuGroup::new().and_then(|group| Ok((group, CpuGroup::new()?)));
        let Ok((group, next)) = made else {
            assert!(std::env::var_os("LOOKBACK_CI").is_none(), "{made:?}");
            return;
        };
        let (path, next_path) = (group.path.clone(), next.path.clone());
        assert_ne!(path, next_path);
        let mut process = Command::new("sleep").arg("1000").spawn().unwrap();
        fs::write(group.members(), process.id().to_string()).unwrap();
        assert!(fs::remove_dir(&path).is_err(), "there is a process in it");
        process.kill().unwrap();
        drop(group);
        process.wait().unwrap();
        drop(next);
        assert!(!path.exists() && !next_path.exists());
    }
}
