//! The threads of a trace.

use crate::text::Tasks;

/// Names and processes of threads, sorted by thread: every line asks for one, and searching is quicker than
/// hashing where threads are some hundreds.
#[derive(Debug, Default)]
pub struct ThreadTable {
    names: Vec<(i32, String)>,
    processes: Vec<(i32, i32)>,
}

impl ThreadTable {
    /// Threads with these names and processes, by their TIDs, in any order.
    pub fn new(mut names: Vec<(i32, String)>, mut processes: Vec<(i32, i32)>) -> ThreadTable {
        names.sort_by_key(|(tid, _)| *tid);
        processes.sort_unstable();
        ThreadTable { names, processes }
    }

    /// The names that are known, by TID.
    pub fn names(&self) -> &[(i32, String)] {
        &self.names
    }

    /// The processes that are known, by TID.
    pub fn processes(&self) -> &[(i32, i32)] {
        &self.processes
    }
}

impl Tasks for ThreadTable {
    fn comm(&self, pid: i32) -> Option<&str> {
        let found = self.names.binary_search_by_key(&pid, |(tid, _)| *tid).ok()?;
        Some(&self.names[found].1)
    }

    fn tgid(&self, pid: i32) -> Option<i32> {
        let found = self.processes.binary_search_by_key(&pid, |(tid, _)| *tid).ok()?;
        Some(self.processes[found].1)
    }
}
