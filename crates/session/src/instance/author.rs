//! Who writes to an instance, or does something to it.

use ring_buffer::{Reason, SnapshotCause, SnapshotOrigin};
use std::fs::read_to_string;

/// Who has written something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Author {
    /// The thread.
    pub tid: u32,
    /// The CPU that it was on; None for the calling thread's own.
    pub cpu: Option<u32>,
}

impl Author {
    /// The calling thread.
    pub fn current() -> Author {
        Author { tid: rustix::thread::gettid().as_raw_nonzero().get() as u32, cpu: None }
    }

    /// The thread as the one that takes a snapshot.
    pub(super) fn origin(self, cause: SnapshotCause) -> SnapshotOrigin {
        let uid = rustix::fs::stat(format!("/proc/{}", self.tid)).ok().map(|found| found.st_uid);
        let comm = self.comm().unwrap_or_default();
        SnapshotOrigin { cause, tid: self.tid, uid, comm, reason: Reason::default() }
    }

    /// The thread's name, as the kernel knows it, with zeros after it.
    pub(super) fn comm(self) -> Option<[u8; 16]> {
        let name = read_to_string(format!("/proc/{}/comm", self.tid)).ok()?;
        let mut comm = [0; 16];
        for (to, from) in comm.iter_mut().take(15).zip(name.trim_end_matches('\n').bytes()) {
            *to = from;
        }
        Some(comm)
    }
}
