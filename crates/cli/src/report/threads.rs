//! The threads of a recording.

use std::collections::HashMap;
use trace_data::dat::Metadata;
use trace_data::text::Tasks;

/// Names and processes of threads.
#[derive(Debug)]
pub(crate) struct Threads {
    comms: HashMap<i32, String>,
    tgids: HashMap<i32, i32>,
}

impl Threads {
    pub(crate) fn new(metadata: &Metadata) -> Threads {
        Threads {
            comms: metadata.cmdlines.iter().cloned().collect(),
            tgids: metadata.supplement.tgids.iter().copied().collect(),
        }
    }

    /// Whether the recording doesn't know processes.
    pub(crate) fn has_no_tgids(&self) -> bool {
        self.tgids.is_empty()
    }

    /// How a thread is called in tables: `NAME-TID`.
    pub(crate) fn label(&self, pid: i32) -> String {
        format!("{}-{pid}", self.comm(pid).unwrap_or("<...>"))
    }
}

impl Tasks for Threads {
    fn comm(&self, pid: i32) -> Option<&str> {
        self.comms.get(&pid).map(String::as_str)
    }

    fn tgid(&self, pid: i32) -> Option<i32> {
        self.tgids.get(&pid).copied()
    }
}
