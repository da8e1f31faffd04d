//! Which TIDs placeholders stand for, as those enter it who have made the threads.

use crate::area::ControlArea;
use crate::placeholders::is_placeholder;
use crate::processes::ProcessInfo;
use crate::tasks::{NewTask, TaskInfo};

impl ControlArea {
    /// Says which TID a placeholder stands for, and the entry of the process that has made it. Where there
    /// is no space for that it is counted, and readers show the number.
    ///
    /// Async-signal-safe.
    pub fn resolve_placeholder(&self, number: u32, tid: u32, maker: Option<u32>, time: u64) {
        let task = NewTask { tid: number, tgid: tid, process: maker, comm: [0; 16], time };
        if let Some(entry) = self.add_task(&task) {
            // Its number is not used again soon, its entry may be.
            self.end_task(entry, time);
        }
    }

    /// Whether a process has recorded under a placeholder that it was made: then it knows of a TID that
    /// `maker`, the entry of its parent, has made it so, or makes it so just now.
    pub fn has_recorded_its_start(&self, tid: u32, maker: &ProcessInfo) -> bool {
        let is_it = |task: &TaskInfo| task.tgid == tid && task.process == Some(maker.entry);
        let is_resolved =
            || self.task_entries().filter(|task| is_placeholder(task.tid)).any(|task| is_it(&task));
        maker.status.is_vforking() || self.has_placeholders() && is_resolved()
    }

    /// The placeholders of which it is known which TIDs they stand for, in no order.
    pub fn placeholders(&self) -> impl Iterator<Item = (u32, u32)> {
        self.task_entries().filter(|task| is_placeholder(task.tid)).map(|task| (task.tid, task.tgid))
    }

    /// Whether a process is entered that `pid` is, or was last; under its placeholder, if it had one.
    pub fn knows_process(&self, pid: u32) -> bool {
        self.has_entry(pid) || self.has_placeholders() && self.placeholders().any(|(_, tid)| tid == pid)
    }
}
