//! The threads of a recording.

use trace_data::dat::Metadata;
use trace_data::text::{Tasks, printable};

/// Names and processes of threads, sorted by thread: every line asks for one, and searching is quicker than
/// hashing where threads are some hundreds.
#[derive(Debug)]
pub(crate) struct Threads {
    comms: Vec<(i32, String)>,
    tgids: Vec<(i32, i32)>,
}

impl Threads {
    pub(crate) fn new(metadata: &Metadata) -> Threads {
        let (mut comms, mut tgids) = (metadata.cmdlines.clone(), metadata.supplement.tgids.clone());
        comms.sort_by_key(|(pid, _)| *pid);
        tgids.sort_unstable();
        Threads { comms, tgids }
    }

    /// Whether the recording doesn't know processes.
    pub(crate) fn has_no_tgids(&self) -> bool {
        self.tgids.is_empty()
    }

    /// How a thread is called in tables: `NAME-TID`.
    pub(crate) fn label(&self, pid: i32) -> String {
        format!("{}-{pid}", printable(self.comm(pid).unwrap_or("<...>")))
    }
}

impl Tasks for Threads {
    fn comm(&self, pid: i32) -> Option<&str> {
        let found = self.comms.binary_search_by_key(&pid, |(pid, _)| *pid).ok()?;
        Some(&self.comms[found].1)
    }

    fn tgid(&self, pid: i32) -> Option<i32> {
        let found = self.tgids.binary_search_by_key(&pid, |(pid, _)| *pid).ok()?;
        Some(self.tgids[found].1)
    }
}
