//! Looking at the processes that descend from a recorded program, as long as they are there.

use super::family::{descendants, parents};
use super::unattached::{Look, UnattachedProcess};
use session::Instance;
use std::collections::{HashMap, HashSet};
use std::fs::metadata;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

/// The time for which each tick is used to look, and the pace after it.
const EAGER: Duration = Duration::from_secs(2);
const PACE: Duration = Duration::from_secs(1);

/// How long a program may take to attach that is about to when the recording ends.
const PATIENCE: Duration = Duration::from_millis(20);

/// The processes that were seen not to be attached while a session was recorded.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    looked: Duration,
    /// Who is attached, with the device and the inode of its program: it stays so while it runs that.
    attached: HashMap<u32, (u64, u64)>,
    /// Who was not attached when it was looked at last, and could be about to attach then.
    suspects: HashSet<u32>,
    found: HashMap<u32, UnattachedProcess>,
}

impl Watch {
    /// Looks if it is time, with the time for which the program has run. Cost: about 10 us for each process
    /// of the machine, and 50 us for one that was not looked at before.
    pub(crate) fn tick(&mut self, session: &Instance, elapsed: Duration) {
        if elapsed < EAGER || elapsed >= self.looked + PACE {
            self.looked = elapsed;
            self.look(session);
        }
    }

    /// Looks when the program has ended, and once more where somebody may be about to attach.
    pub(crate) fn end(mut self, session: &Instance) -> Vec<UnattachedProcess> {
        self.look(session);
        if !self.suspects.is_empty() {
            std::thread::sleep(PATIENCE);
            self.look(session);
        }
        self.found.into_values().collect()
    }

    fn look(&mut self, session: &Instance) {
        let look = Look::new(session);
        let roots = look.known().chain([std::process::id()]).collect();
        let mut related = descendants(&parents(), &roots);
        related.extend(look.known());
        let mut suspects = HashSet::new();
        for pid in related {
            let program = program(pid);
            if program.is_some() && self.attached.get(&pid).copied() == program {
                continue;
            }
            match look.at(pid, true) {
                Some(UnattachedProcess { why: None, .. }) => {
                    self.attached.extend(program.map(|program| (pid, program)));
                }
                Some(process) => {
                    if process.is_certain || self.suspects.contains(&pid) {
                        self.found.insert(pid, process);
                    } else {
                        suspects.insert(pid);
                    }
                }
                None => {}
            }
        }
        self.suspects = suspects;
    }
}

/// The device and the inode of what a process runs.
fn program(pid: u32) -> Option<(u64, u64)> {
    let found = metadata(format!("/proc/{pid}/exe")).ok()?;
    Some((found.dev(), found.ino()))
}
