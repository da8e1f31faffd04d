//! The threads of a trace.

use trace_data::dat::Metadata;
use trace_data::text::Tasks;

/// Names and processes of threads, sorted by thread: every line asks for one, and searching is quicker than
/// hashing where threads are some hundreds.
#[derive(Debug)]
pub struct SavedThreads {
    comms: Vec<(i32, String)>,
    tgids: Vec<(i32, i32)>,
}

impl SavedThreads {
    /// Those of a trace.dat file.
    pub fn new(metadata: &Metadata) -> SavedThreads {
        let (mut comms, mut tgids) = (metadata.cmdlines.clone(), metadata.supplement.tgids.clone());
        comms.sort_by_key(|(pid, _)| *pid);
        tgids.sort_unstable();
        SavedThreads { comms, tgids }
    }

    /// Whether it is unknown which processes they belong to.
    pub fn has_no_tgids(&self) -> bool {
        self.tgids.is_empty()
    }
}

impl Tasks for SavedThreads {
    fn comm(&self, pid: i32) -> Option<&str> {
        let found = self.comms.binary_search_by_key(&pid, |(pid, _)| *pid).ok()?;
        Some(&self.comms[found].1)
    }

    fn tgid(&self, pid: i32) -> Option<i32> {
        let found = self.tgids.binary_search_by_key(&pid, |(pid, _)| *pid).ok()?;
        Some(self.tgids[found].1)
    }
}
