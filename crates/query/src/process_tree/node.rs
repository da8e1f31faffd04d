//! A process of a trace.

use foldhash::HashMap;

/// A process.
#[derive(Debug, Default)]
pub struct ProcessNode {
    /// Its PID.
    pub pid: i32,
    /// The place of its parent among the nodes; `None` where the trace doesn't have how it was made.
    pub parent: Option<usize>,
    /// Its name, if an event says it.
    pub name: Option<String>,
    /// The file that it has executed last, if the trace has that.
    pub filename: Option<String>,
    /// The arguments of that program, as a shell would take them.
    pub argv: Option<String>,
    /// When it was made, if the trace has that.
    pub start: Option<u64>,
    /// When it was seen first and last.
    pub seen: (u64, u64),
    /// When it has ended, and what is known of that.
    pub end: Option<ProcessEnd>,
    /// How it has ended.
    pub outcome: ProcessOutcome,
    /// How many of its events are chosen.
    pub events: u64,
    /// How many of those are of calls: each counts once, with its entry, its exit or both.
    pub calls: u64,
    /// How many of those have failed.
    pub errors: u64,
    /// Whether it is chosen: one of its events is, or the one that it was made or ended by.
    pub is_chosen: bool,
    /// How many entries and exits of each call are chosen.
    pub(super) counts: HashMap<u16, [u64; 2]>,
    /// What it has called exit(3) or _exit(2) with.
    pub(super) status: Option<u8>,
    /// The places of those that it has made.
    pub(super) children: Vec<usize>,
}

impl ProcessNode {
    /// Whether the trace has nothing of it but that it has made one other process: a shell that isn't traced
    /// itself, or the recorder.
    pub fn is_only_a_maker(&self) -> bool {
        let has_one_event = self.seen.0 == self.seen.1;
        has_one_event && self.children.len() == 1 && self.start.is_none() && self.counts.is_empty()
    }
}

/// The end of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessEnd {
    /// When it was recorded.
    pub time: u64,
    /// Whether by another process, which came to know of it later.
    pub is_noticed: bool,
}

/// How a process has ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProcessOutcome {
    /// It goes on at the end of the trace, as far as is known.
    #[default]
    Running,
    /// It can't be known: events are missing after its last one, or no events of processes were recorded.
    Unknown,
    /// It has ended, nothing else is known.
    Ended,
    /// It has ended by itself, with a status that is not known.
    Exited,
    /// It has exited with this status.
    Status(u8),
    /// This signal has killed it.
    Killed(u8),
}

impl ProcessOutcome {
    /// Whether it has ended by a signal, or with a status that says that it has failed.
    pub fn is_failure(self) -> bool {
        matches!(self, ProcessOutcome::Killed(_) | ProcessOutcome::Status(1..))
    }
}
