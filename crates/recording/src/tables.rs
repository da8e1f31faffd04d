//! Who took part: what a session's tables say, kept beyond the reuse of their entries.

use control::{ControlFile, Map, ProcessInfo, TaskInfo};
use std::collections::{HashMap, HashSet};

/// Processes and threads that were there at any time of the recording.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// By entry and start, which no two have in common.
    processes: HashMap<(u32, u64), Process>,
    /// By TID and start.
    tasks: HashMap<(u32, u64), TaskInfo>,
}

/// A program that a process has run.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) info: ProcessInfo,
    pub(crate) maps: Vec<Map>,
}

impl Tables {
    /// Adds what the tables say now. Nothing that ended before `now` has to be kept in them after this.
    pub(crate) fn collect(&mut self, control: &ControlFile, now: u64) {
        for info in control.processes() {
            let known = self.processes.get(&(info.entry, info.start_time));
            if known.is_none_or(|known| known.info.end_time == 0) {
                let maps = control.maps(info.entry).collect();
                self.processes.insert((info.entry, info.start_time), Process { info, maps });
            }
        }
        for task in control.tasks() {
            self.tasks.insert((task.tid, task.start_time), task);
        }
        control.set_collected(now);
    }

    /// How many processes there were.
    pub(crate) fn process_count(&self) -> usize {
        self.processes.values().map(|process| process.info.pid).collect::<HashSet<_>>().len()
    }

    /// How many have not ended.
    pub(crate) fn running(&self) -> usize {
        self.processes.values().filter(|process| process.info.end_time == 0).count()
    }

    /// The last name of every thread; and that of the session's creator, which starts the first.
    pub(crate) fn names(&self, creator: u32) -> Vec<(i32, String)> {
        let mut latest: HashMap<u32, &TaskInfo> = HashMap::new();
        for task in self.tasks.values() {
            let known = latest.entry(task.tid).or_insert(task);
            if known.start_time < task.start_time {
                *known = task;
            }
        }
        let mut names: Vec<_> =
            latest.into_iter().map(|(tid, task)| (tid as i32, task.name().to_string())).collect();
        names.push((creator as i32, "lookback".to_string()));
        names.sort();
        names.dedup_by_key(|(tid, _)| *tid);
        names
    }

    /// The threads in the order of time, to find whose events are whose.
    pub(crate) fn by_time(&self) -> TasksByTime<'_> {
        let mut starts: HashMap<u32, Vec<(u64, Option<&Process>)>> = HashMap::new();
        for task in self.tasks.values() {
            let process = self.process_of(task);
            starts.entry(task.tid).or_default().push((task.start_time, process));
        }
        for starts in starts.values_mut() {
            starts.sort_by_key(|(start, _)| *start);
        }
        TasksByTime { starts }
    }

    /// The process that a thread was in: the one that its entry named when the thread started.
    fn process_of(&self, task: &TaskInfo) -> Option<&Process> {
        let entry = task.process?;
        let of_entry = self.processes.values().filter(|process| {
            process.info.entry == entry
                && process.info.pid == task.tgid
                && process.info.start_time <= task.start_time
        });
        of_entry.max_by_key(|process| process.info.start_time)
    }
}

/// What every TID was, and since when.
#[derive(Debug)]
pub(crate) struct TasksByTime<'a> {
    starts: HashMap<u32, Vec<(u64, Option<&'a Process>)>>,
}

impl<'a> TasksByTime<'a> {
    /// The process that a thread was in at a time in the buffer's clock. The first event of a thread can be
    /// a little older than its entry.
    pub(crate) fn process(&self, tid: u32, time: u64) -> Option<&'a Process> {
        let starts = self.starts.get(&tid)?;
        let behind = starts.partition_point(|(start, _)| *start <= time);
        starts.get(behind.saturating_sub(1))?.1
    }
}
