//! Processes: who ran which program when an event was recorded. What they have mapped: `maps.rs`.

use crate::area::ControlArea;
use crate::claim::{Claimed, EntryTable, Reach};
use crate::comm::{load_comm, name, store_comm};
use crate::current_call::{self, CurrentCall, store_current_call};
use abi::control::{
    CallWords, Obstacle, PROCESS_STATES_OFFSET, PROCESSES, PROCESSES_OFFSET, ProcessEntry, ProcessStatus,
    Table,
};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};

/// A process to enter: one for each program that a PID runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewProcess {
    /// The process.
    pub pid: u32,
    /// Its parent.
    pub parent: u32,
    /// The inode of its pid namespace.
    pub pid_namespace: u64,
    /// The name of its first thread, with zeros after it.
    pub comm: [u8; 16],
    /// What it hands on to those that it makes.
    pub status: ProcessStatus,
    /// Pages of address space that its limit was raised by.
    pub limit_raised: u32,
    /// Now, in the buffer's clock.
    pub time: u64,
}

/// A process's entry. What it has mapped: [`ControlArea::maps`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProcessInfo {
    /// Index of the entry.
    pub entry: u32,
    /// The process.
    pub pid: u32,
    /// Its parent.
    pub parent: u32,
    /// The inode of its pid namespace.
    pub pid_namespace: u64,
    /// The name of its first thread, with zeros after it.
    pub comm: [u8; 16],
    /// The name of what it was executing last, with zeros after it. Counts while its status says so.
    pub executed: [u8; 16],
    /// What it hands on to those that it makes.
    pub status: ProcessStatus,
    /// Pages of address space that its limit was raised by.
    pub limit_raised: u32,
    /// The [`ControlArea::functions_wanted`] that its code was last brought up to date with.
    pub functions_done: u32,
    /// How many of its functions are traced.
    pub traced_functions: u32,
    /// From when on it runs this program, in the buffer's clock.
    pub start_time: u64,
    /// From when on it no longer does; 0 while it does.
    pub end_time: u64,
    /// The call that its first thread is in, or was when it ended.
    pub call: Option<CurrentCall>,
}

impl ProcessInfo {
    /// The name of its first thread.
    pub fn name(&self) -> &str {
        name(&self.comm)
    }

    /// The name of the program that it has executed and that has not attached, which may be empty. None for
    /// one that executes nothing.
    pub fn executed_name(&self) -> Option<&str> {
        self.status.is_executing().then(|| name(&self.executed))
    }

    /// The name of its first thread, or of the program that it has executed and that has not attached.
    pub fn last_comm(&self) -> [u8; 16] {
        match self.executed_name() {
            None | Some("") => self.comm,
            Some(_) => self.executed,
        }
    }
}

impl ControlArea {
    pub(crate) fn process_table(&self) -> EntryTable<'_, ProcessEntry> {
        let reach = &self.header().processes_reach;
        self.table(PROCESS_STATES_OFFSET, PROCESSES_OFFSET, PROCESSES, Reach::Table(reach))
    }

    /// Enters a process without any maps and gives the index of its entry, for which, as for
    /// [`ControlArea::add_task`], the process is dropped that ended longest ago. None when there is no space.
    // Relaxed: published by the Release of `EntryTable::publish`.
    pub fn add_process(&self, process: &NewProcess) -> Option<u32> {
        let table = self.process_table();
        let is_before = |found: &ProcessEntry| is_before(found, process.pid_namespace);
        let claimed = table.claim(process.pid, process.time, self.needs(), is_before);
        self.count_lost(Table::Processes, claimed.as_ref());
        let Claimed { index, entry, .. } = claimed?;
        self.free_chunks(entry);
        for word in &entry.maps {
            word.store(0, Relaxed);
        }
        entry.start_time.store(process.time, Relaxed);
        entry.parent.store(process.parent, Relaxed);
        entry.pid_namespace.store(process.pid_namespace, Relaxed);
        entry.status.store(process.status.0, Relaxed);
        entry.limit_raised.store(process.limit_raised, Relaxed);
        entry.functions.store(0, Relaxed);
        entry.traced_functions.store(0, Relaxed);
        entry.functions_off.store(0, Relaxed);
        store_comm(&entry.comm, process.comm);
        store_comm(&entry.executed, [0; 16]);
        store_current_call(&entry.current, 0, 0);
        table.publish(index, process.pid);
        Some(index as u32)
    }

    /// Says that a process is gone, or runs another program. False when that was known.
    pub fn end_process(&self, entry: u32, time: u64) -> bool {
        let Some(process) = self.process(entry) else { return false };
        let is_first = self.process_table().end(entry as usize, process.pid, time);
        if is_first {
            self.process_pids_ended(process.pid);
        }
        is_first
    }

    /// A process's entry, if it is valid.
    // Relaxed: between the two looks at the state in `EntryTable::read`.
    pub fn process(&self, entry: u32) -> Option<ProcessInfo> {
        self.process_table().read(entry as usize, |found| ProcessInfo {
            entry,
            pid: found.owner,
            parent: found.entry.parent.load(Relaxed),
            pid_namespace: found.entry.pid_namespace.load(Relaxed),
            comm: load_comm(&found.entry.comm),
            executed: load_comm(&found.entry.executed),
            status: ProcessStatus(found.entry.status.load(Relaxed)),
            limit_raised: found.entry.limit_raised.load(Relaxed),
            functions_done: found.entry.functions.load(Acquire),
            traced_functions: found.entry.traced_functions.load(Relaxed),
            start_time: found.start_time,
            end_time: found.end_time,
            call: current_call::load(&found.entry.current, found.owner),
        })
    }

    /// The word that says where it is said why a process traces no functions.
    pub(crate) fn functions_off_word(&self, entry: u32) -> Option<&AtomicU64> {
        Some(&self.process_table().entries.get(entry as usize)?.functions_off)
    }

    pub(crate) fn process_place(&self, entry: u32) -> Option<&CallWords> {
        Some(&self.process_table().entries.get(entry as usize)?.current)
    }

    /// Gives the first thread of a process another name.
    pub fn rename_process(&self, entry: u32, comm: [u8; 16]) {
        if let Some(process) = self.process_table().entries.get(entry as usize) {
            store_comm(&process.comm, comm);
        }
    }

    /// Says that a process records nothing from now on, or that it does again.
    // Relaxed: the flag carries nothing but itself.
    pub fn set_detached(&self, entry: u32, is_detached: bool) {
        if let Some(process) = self.process_table().entries.get(entry as usize) {
            match is_detached {
                true => process.status.fetch_or(ProcessStatus::DETACHED, Relaxed),
                false => process.status.fetch_and(!ProcessStatus::DETACHED, Relaxed),
            };
        }
    }

    /// Says that a process, and who is made by it from now on, may have a filter of system calls.
    // Relaxed: the flag carries nothing but itself.
    pub fn may_not_call(&self, entry: u32) {
        if let Some(process) = self.process_table().entries.get(entry as usize) {
            process.status.fetch_and(!ProcessStatus::MAY_CALL, Relaxed);
        }
    }

    /// Notes that a process's error was seen where it happened. Async-signal-safe.
    // Relaxed: the flag carries nothing but itself.
    pub fn note_error(&self, entry: u32) {
        if let Some(process) = self.process_table().entries.get(entry as usize) {
            process.status.fetch_or(ProcessStatus::IN_ERROR, Relaxed);
        }
    }

    /// Has the events of a process not be recorded from now on, nor those of the children that it forks.
    // Relaxed: the flag carries nothing but itself.
    pub fn leave_out(&self, entry: u32) {
        if let Some(process) = self.process_table().entries.get(entry as usize) {
            process.status.fetch_or(ProcessStatus::LEFT_OUT, Relaxed);
        }
    }

    /// The [`ProcessStatus`] of the process with this entry, as others change it. It says whether its
    /// events are not recorded, which is asked for each of them.
    pub fn process_status(&self, entry: u32) -> Option<&AtomicU32> {
        self.process_table().entries.get(entry as usize).map(|process| &process.status)
    }

    /// Says that a process is about to execute another program, of this name, which runs unrecorded if there
    /// is an obstacle. A process that is killed leaves its entry for others to end, and its PID may come
    /// again; who executes a program says so.
    // Relaxed: the words carry nothing but themselves.
    pub fn set_executing(&self, entry: u32, name: [u8; 16], obstacle: Option<Obstacle>) {
        if let Some(process) = self.process_table().entries.get(entry as usize) {
            store_comm(&process.executed, name);
            process.status.fetch_and(!ProcessStatus::OBSTACLE, Relaxed);
            process.status.fetch_or(ProcessStatus::executing(obstacle), Relaxed);
        }
    }

    /// Says that a process could not execute another program.
    // Relaxed: the flag carries nothing but itself.
    pub fn has_not_executed(&self, entry: u32) {
        if let Some(process) = self.process_table().entries.get(entry as usize) {
            process.status.fetch_and(!(ProcessStatus::EXECUTING | ProcessStatus::OBSTACLE), Relaxed);
        }
    }

    /// Says that a process is about to make a child in its memory under a placeholder, or that such a child
    /// is gone from it.
    // Relaxed: the count carries nothing but itself.
    pub fn set_vforking(&self, entry: u32, begins: bool) {
        if let Some(process) = self.process_table().entries.get(entry as usize) {
            match begins {
                true => process.status.fetch_add(ProcessStatus::VFORK, Relaxed),
                false => process.status.fetch_sub(ProcessStatus::VFORK, Relaxed),
            };
        }
    }

    /// Says by how many pages its limit of addresses was raised.
    // Relaxed: the word carries nothing but itself.
    pub fn set_limit_raised(&self, entry: u32, pages: u32) {
        if let Some(process) = self.process_table().entries.get(entry as usize) {
            process.limit_raised.store(pages, Relaxed);
        }
    }

    /// Says how many of a process's functions are traced, and that its code is up to date with `done` by
    /// that.
    // Relaxed, then Release: pairs with the Acquire of `process`: who sees what is done sees how many.
    pub fn set_functions_done(&self, entry: u32, done: u32, traced: u32) {
        if let Some(process) = self.process_table().entries.get(entry as usize) {
            process.traced_functions.store(traced, Relaxed);
            process.functions.store(done, Release);
        }
    }

    /// All processes that are entered, in no order.
    pub fn processes(&self) -> impl Iterator<Item = ProcessInfo> {
        (0..PROCESSES as u32).filter_map(|entry| self.process(entry))
    }

    /// The process that `pid` is now, if it is entered.
    pub fn find_process(&self, pid: u32) -> Option<ProcessInfo> {
        self.process(self.process_table().find(pid)? as u32)
    }

    /// The process that `pid` is now in a pid namespace, if it is entered.
    // Relaxed: the entry was found to be ready by an Acquire, and is read again.
    pub fn find_process_in(&self, pid: u32, namespace: u64) -> Option<ProcessInfo> {
        let is_in = |found: &ProcessEntry| found.pid_namespace.load(Relaxed) == namespace;
        let entry = self.process_table().find_where(pid, is_in)?;
        self.process(entry as u32).filter(|found| found.pid == pid && found.pid_namespace == namespace)
    }

    /// The process that is `pid` and has said that it executes a program: the one that the calling process
    /// was, which counts in this pid namespace, as far as that is known of both.
    // Relaxed: as for `find_process_in`.
    pub fn find_executing(&self, pid: u32, namespace: u64) -> Option<ProcessInfo> {
        let is_meant = |found: &ProcessEntry| is_executing(found) && is_before(found, namespace);
        let found = self.process(self.process_table().find_where(pid, is_meant)? as u32)?;
        Some(found).filter(|found| found.pid == pid && found.status.is_executing())
    }

    /// Whether an entry says of `pid` what it is, or was last.
    pub(crate) fn has_entry(&self, pid: u32) -> bool {
        let table = self.process_table();
        table.candidates(pid).any(|(_, state)| state.is_valid() && state.owner() == pid)
    }
}

/// Whether an entry is what a process was that counts in a pid namespace and has the entry's number: before
/// it has executed a program, or as somebody else, who was killed. In doubt it is not, and lives: where the
/// namespace of either isn't known, only one that executes a program is.
// Relaxed: who asks has found the entry to be ready.
fn is_before(found: &ProcessEntry, namespace: u64) -> bool {
    match found.pid_namespace.load(Relaxed) {
        before if before != 0 && namespace != 0 => before == namespace,
        _ => is_executing(found),
    }
}

// Relaxed: the flag carries nothing but itself.
fn is_executing(found: &ProcessEntry) -> bool {
    ProcessStatus(found.status.load(Relaxed)).is_executing()
}
