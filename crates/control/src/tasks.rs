//! Threads: whose events these are. The first of each process is entered with the process.

use crate::area::ControlArea;
use crate::claim::{Claimed, EntryTable, Reach};
use crate::comm::{load_comm, name, store_comm};
use crate::current_call::{self, CurrentCall, store_current_call};
use crate::placeholders::is_placeholder;
use crate::processes::ProcessInfo;
use abi::control::{CallWords, TASK_STATES_OFFSET, TASKS, TASKS_OFFSET, Table, TaskEntry};
use core::sync::atomic::Ordering::Relaxed;

/// A thread to enter, which is not the first of its process.
#[derive(Debug, Clone, Copy)]
pub struct NewTask {
    /// The thread.
    pub tid: u32,
    /// Its process.
    pub tgid: u32,
    /// The entry of its process.
    pub process: Option<u32>,
    /// Its name, with zeros after it.
    pub comm: [u8; 16],
    /// Now, in the buffer's clock.
    pub time: u64,
}

/// A thread, as the session knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskInfo {
    /// The thread.
    pub tid: u32,
    /// Its process.
    pub tgid: u32,
    /// The entry of its process.
    pub process: Option<u32>,
    /// Its name, with zeros after it.
    pub comm: [u8; 16],
    /// From when on this is so, in the buffer's clock.
    pub start_time: u64,
    /// From when on it is no longer so; 0 while it is.
    pub end_time: u64,
    /// The call that it is in, or was when it ended.
    pub call: Option<CurrentCall>,
}

impl TaskInfo {
    /// The thread's name.
    pub fn name(&self) -> &str {
        name(&self.comm)
    }
}

impl ControlArea {
    fn task_table(&self) -> EntryTable<'_, TaskEntry> {
        self.table(TASK_STATES_OFFSET, TASKS_OFFSET, TASKS, Reach::Window)
    }

    /// Enters a thread and gives the index of its entry. In a full table it gets that of the thread that
    /// ended longest ago, of those that snapshots don't refer to if there are any: events that are there
    /// still lose its name. None when there is no space.
    // Relaxed: published by the Release of `EntryTable::publish`.
    pub fn add_task(&self, task: &NewTask) -> Option<u32> {
        let table = self.task_table();
        let is_before = |found: &TaskEntry| self.is_before(found, task.process);
        let claimed = table.claim(task.tid, task.time, self.needs(), is_before);
        self.count_lost(Table::Tasks, claimed.as_ref());
        let Claimed { index, entry, .. } = claimed?;
        entry.start_time.store(task.time, Relaxed);
        store_comm(&entry.comm, task.comm);
        store_current_call(&entry.current, 0, 0);
        entry.tgid.store(task.tgid, Relaxed);
        entry.process.store(task.process.map_or(0, |process| process + 1), Relaxed);
        table.publish(index, task.tid);
        Some(index as u32)
    }

    pub(crate) fn task_place(&self, entry: u32) -> Option<&CallWords> {
        Some(&self.task_table().entries.get(entry as usize)?.current)
    }

    /// Counts a thread whose start nobody sees. Async-signal-safe.
    pub fn count_unseen_start(&self) {
        self.count_refused(Table::Starts);
    }

    /// Says that a thread is gone, or is another by now.
    pub fn end_task(&self, entry: u32, time: u64) {
        if let Some(task) = self.task(entry) {
            self.task_table().end(entry as usize, task.tid, time);
        }
    }

    /// Ends the threads whose process has ended, or is another by now: nobody does that for those that were
    /// killed with it. Cost: a look at each slot of the table.
    pub fn end_tasks_of_ended(&self, time: u64) {
        let is_over = |task: &TaskInfo| {
            let process = task.process.map(|entry| self.process(entry));
            let is_its = |process: &ProcessInfo| process.pid == task.tgid && process.end_time == 0;
            process.is_some_and(|process| !process.as_ref().is_some_and(is_its))
        };
        let is_running = |task: &TaskInfo| task.end_time == 0 && !is_placeholder(task.tid);
        for entry in 0..TASKS as u32 {
            if self.task(entry).is_some_and(|task| is_running(&task) && is_over(&task)) {
                self.end_task(entry, time);
            }
        }
    }

    /// Gives a thread another name.
    pub fn rename_task(&self, entry: u32, comm: [u8; 16]) {
        if let Some(task) = self.task_table().entries.get(entry as usize) {
            store_comm(&task.comm, comm);
        }
    }

    /// A thread's entry, if it is valid.
    // Relaxed: between the two looks at the state in `EntryTable::read`.
    pub fn task(&self, entry: u32) -> Option<TaskInfo> {
        self.task_table().read(entry as usize, |found| TaskInfo {
            tid: found.owner,
            tgid: found.entry.tgid.load(Relaxed),
            process: process_of(found.entry),
            comm: load_comm(&found.entry.comm),
            start_time: found.start_time,
            end_time: found.end_time,
            call: current_call::load(&found.entry.current, found.owner),
        })
    }

    /// All threads that are entered, in no order.
    pub fn tasks(&self) -> impl Iterator<Item = TaskInfo> {
        let others = self.task_entries().filter(|task| !is_placeholder(task.tid));
        self.processes().map(|process| process.first_thread()).chain(others)
    }

    /// Those that are not the first of their processes, and placeholders.
    pub(crate) fn task_entries(&self) -> impl Iterator<Item = TaskInfo> {
        (0..TASKS as u32).filter_map(|entry| self.task(entry))
    }

    /// The entry of the thread that `tid` is now, if it is one of this process.
    pub fn find_task_entry(&self, tid: u32, process: Option<u32>) -> Option<u32> {
        let is_its = |found: &TaskEntry| process_of(found) == process;
        Some(self.task_table().find_where(tid, is_its)? as u32)
    }

    /// Whether an entry is of somebody else who was killed, by its number, if that is now a thread of a
    /// process: one of this process or of its pid namespace, or of nobody's. In doubt it lives.
    fn is_before(&self, found: &TaskEntry, process: Option<u32>) -> bool {
        let namespace = |entry: u32| self.process(entry).map_or(0, |process| process.pid_namespace);
        match (process_of(found), process) {
            (Some(before), Some(now)) if before != now => {
                namespace(before) != 0 && namespace(before) == namespace(now)
            }
            (before, now) => before == now || before.is_none(),
        }
    }

    /// The thread that `tid` is now, if it is entered.
    pub fn find_task(&self, tid: u32) -> Option<TaskInfo> {
        match self.find_process(tid) {
            Some(process) => Some(process.first_thread()),
            None => self.task(self.task_table().find(tid)? as u32),
        }
    }
}

// Relaxed: who asks has found the entry to be ready.
fn process_of(found: &TaskEntry) -> Option<u32> {
    found.process.load(Relaxed).checked_sub(1)
}

impl ProcessInfo {
    fn first_thread(&self) -> TaskInfo {
        TaskInfo {
            tid: self.pid,
            tgid: self.pid,
            process: Some(self.entry),
            comm: self.comm,
            start_time: self.start_time,
            end_time: self.end_time,
            call: self.call,
        }
    }
}
