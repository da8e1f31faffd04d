//! Numbers for those who can't learn their TID.
//!
//! The child of vfork(2), and others that share their maker's memory, have their maker's thread descriptor.
//! Who they are only the kernel could tell them, which a filter of system calls may punish. So they record
//! under a number that no thread has; their maker learns their TID by what its call returns, and enters
//! which number is which TID. Readers put the TID in its place.

use crate::area::ControlArea;
use crate::processes::ProcessInfo;
use crate::tasks::{NewTask, TaskInfo};
use abi::control::{FIRST_PLACEHOLDER, PLACEHOLDERS};
use core::sync::atomic::Ordering::Relaxed;

/// Whether a number is none of a thread, but stands for one.
pub const fn is_placeholder(tid: u32) -> bool {
    tid >= FIRST_PLACEHOLDER
}

impl ControlArea {
    /// A number that stands for a thread which is about to be made. It comes again after twelve million
    /// others.
    ///
    /// Async-signal-safe.
    // Relaxed: the counter carries nothing but itself.
    pub fn new_placeholder(&self) -> u32 {
        let count = self.header().placeholders.fetch_add(1, Relaxed);
        FIRST_PLACEHOLDER + (count % u64::from(PLACEHOLDERS)) as u32
    }

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

    /// Whether any were given out.
    // Relaxed: the counter carries nothing but itself.
    pub(crate) fn has_placeholders(&self) -> bool {
        self.header().placeholders.load(Relaxed) > 0
    }

    /// The placeholders of which it is known which TIDs they stand for, in no order.
    pub fn placeholders(&self) -> impl Iterator<Item = (u32, u32)> {
        self.task_entries().filter(|task| is_placeholder(task.tid)).map(|task| (task.tid, task.tgid))
    }
}
