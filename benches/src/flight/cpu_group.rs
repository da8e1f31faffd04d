//! The CPU time of a group of processes, those included that nobody waits for.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the kernel has the groups, what says the time, and how many us its unit is.
const PLACES: [(&str, &str, &str, f64); 2] = [
    ("/sys/fs/cgroup", "cpu.stat", "cgroup.procs", 1.0),
    ("/sys/fs/cgroup/cpuacct", "cpuacct.usage", "tasks", 1e-3),
];

/// A control group of this process's own, which goes with this.
#[derive(Debug)]
pub(super) struct CpuGroup {
    path: PathBuf,
    usage: &'static str,
    members: &'static str,
    unit: f64,
}

impl CpuGroup {
    /// An empty one.
    pub(super) fn new() -> Result<CpuGroup, String> {
        let made = PLACES.iter().find_map(|(place, usage, members, unit)| {
            let path = Path::new(place).join(format!("lookback-benches-{}", std::process::id()));
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
        let _ = fs::remove_dir(&self.path);
    }
}
