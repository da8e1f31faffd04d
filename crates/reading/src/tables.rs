//! Processes and threads that were attached.

use control::{ControlArea, Map, ProcessInfo, TaskInfo, is_placeholder};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;
use trace_data::threads::ThreadTable;

/// Processes and threads that a reader remembers at most, in addition to those that the session knows now.
/// Where the oldest events are not read for long all that has ended since would be.
const MOST_ENDED: usize = 1 << 15;

/// Processes and threads that a session has known: what its tables say, kept beyond the reuse of their
/// entries.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// By entry and start, which no two have in common.
    processes: HashMap<(u32, u64), Arc<Process>>,
    /// By TID and start.
    tasks: HashMap<(u32, u64), TaskInfo>,
    /// Which TIDs placeholders stand for.
    placeholders: Placeholders,
    /// What is made of them when it is asked for, and kept until they change.
    lives: Option<Arc<Lives>>,
}

/// A program that a process has run.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) info: ProcessInfo,
    pub(crate) maps: Vec<Map>,
}

impl Process {
    /// Whether its maker has entered it, because it would not attach itself.
    fn was_unrecorded(&self) -> bool {
        self.info.status.is_executing() && self.maps.is_empty()
    }
}

impl Tables {
    /// Adds what the tables say now.
    pub fn collect(&mut self, control: &ControlArea) {
        self.lives = None;
        for info in control.processes() {
            let known = self.processes.get(&(info.entry, info.start_time));
            if known.is_none_or(|known| known.info.end_time == 0) {
                let maps = control.maps(info.entry).collect();
                self.processes.insert((info.entry, info.start_time), Arc::new(Process { info, maps }));
            }
        }
        for task in control.tasks() {
            self.tasks.insert((task.tid, task.start_time), task);
        }
        self.placeholders.extend(control.placeholders());
    }

    /// Adds what the tables say now, at the time `now`; where too much is known then, all is forgotten that
    /// the session has forgotten.
    pub(crate) fn collect_bounded(&mut self, control: &ControlArea, now: u64) {
        self.collect(control);
        if self.processes.len() + self.tasks.len() > MOST_ENDED {
            self.forget(now);
            self.placeholders.clear();
            self.collect(control);
        }
    }

    /// Forgets what ended before `time`.
    pub fn forget(&mut self, time: u64) {
        self.lives = None;
        let is_needed = |end| end == 0 || end >= time;
        self.processes.retain(|_, process| is_needed(process.info.end_time));
        self.tasks.retain(|_, task| is_needed(task.end_time));
    }

    /// How many processes were attached.
    pub fn process_count(&self) -> usize {
        let pids = self.attached().map(|(info, _)| info.pid).filter(|pid| !is_placeholder(*pid));
        pids.collect::<HashSet<u32>>().len()
    }

    /// The processes that have executed a program which has not attached: as they were before, but for their
    /// [`executed_name`](ProcessInfo::executed_name).
    pub fn unattached(&self) -> Vec<ProcessInfo> {
        let executing = self.programs_entered().filter(|info| info.status.is_executing());
        // What a child executes, for which a placeholder was entered, enters itself under its own PID.
        let pid = |info: &ProcessInfo| self.placeholders.get(&info.pid).copied().unwrap_or(info.pid);
        let of_child = |info: &ProcessInfo| (pid(info), info.pid_namespace);
        let of_pids = self.last_starts(of_child);
        let has_attached = |info: &ProcessInfo| of_pids.get(&of_child(info)) != Some(&info.start_time);
        let unattached = executing.filter(|info| info.status.obstacle().is_some() || !has_attached(info));
        let named = unattached.map(|info| ProcessInfo { pid: pid(&info), ..info });
        let mut unattached: Vec<_> = named.filter(|info| !is_placeholder(info.pid)).collect();
        unattached.sort_by_key(|info| info.start_time);
        unattached
    }

    /// What was attached, with the files that it had mapped, the program first.
    pub fn attached(&self) -> impl Iterator<Item = (&ProcessInfo, &[Map])> {
        let attached = self.processes.values().filter(|process| !process.was_unrecorded());
        attached.map(|process| (&process.info, process.maps.as_slice()))
    }

    /// How many of them have not ended. What a process ran before it executed another program has, and so has
    /// what an entry said that says something else by now; nobody may have seen that end.
    pub fn running(&self) -> usize {
        let (of_pids, of_entries) = (self.last_starts(of_pid), self.last_starts(|info| info.entry));
        let is_last = |info: &ProcessInfo| {
            let last = Some(&info.start_time);
            of_pids.get(&of_pid(info)) == last && of_entries.get(&info.entry) == last
        };
        let is_attached = |info: &ProcessInfo| !info.status.is_executing();
        let running = self.programs_entered().filter(|info| info.end_time == 0 && is_attached(info));
        running.filter(is_last).count()
    }

    /// When the last program started of those that have the same `key`.
    fn last_starts<K: Eq + Hash>(&self, key: impl Fn(&ProcessInfo) -> K) -> HashMap<K, u64> {
        let mut last = HashMap::new();
        for info in self.programs_entered() {
            let known = last.entry(key(&info)).or_insert(info.start_time);
            *known = info.start_time.max(*known);
        }
        last
    }

    fn programs_entered(&self) -> impl Iterator<Item = ProcessInfo> {
        self.processes.values().map(|process| process.info)
    }

    /// The last name of every thread; and that of the session's creator, which starts the first.
    pub fn names(&self, creator: u32) -> Vec<(i32, String)> {
        let mut names: Vec<_> =
            self.latest().map(|(tid, task)| (tid as i32, task.name().to_string())).collect();
        // Unless its PID is another's by now.
        if names.iter().all(|(tid, _)| *tid != creator as i32) {
            names.push((creator as i32, "lookback".to_string()));
        }
        names.sort();
        names
    }

    /// The last process of every thread.
    pub fn tgids(&self) -> Vec<(i32, i32)> {
        let process = |task: &TaskInfo| self.placeholders.get(&task.tgid).copied().unwrap_or(task.tgid);
        let mut tgids: Vec<_> = self.latest().map(|(tid, task)| (tid as i32, process(task) as i32)).collect();
        tgids.sort_unstable();
        tgids
    }

    /// What every thread was last, as far as [`Tables::names`] knows them.
    pub(crate) fn threads(&self, creator: u32) -> ThreadTable {
        let (names, mut processes) = (self.names(creator), self.tgids());
        let creator = creator as i32;
        if processes.iter().all(|(tid, _)| *tid != creator) {
            processes.push((creator, creator));
        }
        ThreadTable::new(names, processes)
    }

    /// What every TID was last.
    fn latest(&self) -> impl Iterator<Item = (u32, &TaskInfo)> {
        let mut latest: HashMap<u32, &TaskInfo> = HashMap::new();
        for task in self.tasks.values() {
            let tid = self.placeholders.get(&task.tid).copied().unwrap_or(task.tid);
            let known = latest.entry(tid).or_insert(task);
            if known.start_time < task.start_time {
                *known = task;
            }
        }
        latest.into_iter()
    }

    /// What every TID was, to find whose events are whose.
    pub(crate) fn lives(&mut self) -> Arc<Lives> {
        let lives = self.lives.take().unwrap_or_else(|| Arc::new(self.sorted_lives()));
        self.lives.insert(lives).clone()
    }

    fn sorted_lives(&self) -> Lives {
        let mut lives: HashMap<u32, Vec<Life>> = HashMap::new();
        let programs = self.programs();
        for task in self.tasks.values() {
            let end = if task.end_time == 0 { u64::MAX } else { task.end_time };
            let life = Life { start: task.start_time, end, process: program_of(task, &programs) };
            lives.entry(task.tid).or_default().push(life);
        }
        for lives in lives.values_mut() {
            lives.sort_by_key(|life| life.start);
        }
        Lives { of_tids: lives, placeholders: self.placeholders.clone() }
    }

    /// The programs that each entry has described for each PID, by their start.
    fn programs(&self) -> Programs<'_> {
        let mut programs = Programs::new();
        for process in self.processes.values() {
            programs.entry((process.info.entry, process.info.pid)).or_default().push(process);
        }
        for programs in programs.values_mut() {
            programs.sort_by_key(|process| process.info.start_time);
        }
        programs
    }
}

/// Whom a PID means.
fn of_pid(info: &ProcessInfo) -> (u32, u64) {
    (info.pid, info.pid_namespace)
}

/// By entry and PID.
type Programs<'a> = HashMap<(u32, u32), Vec<&'a Arc<Process>>>;

/// The process that a thread was in: the one that its entry named when the thread started.
fn program_of(task: &TaskInfo, programs: &Programs<'_>) -> Option<Arc<Process>> {
    let of_entry = programs.get(&(task.process?, task.tgid))?;
    let after = of_entry.partition_point(|process| process.info.start_time <= task.start_time);
    of_entry.get(after.checked_sub(1)?).map(|process| Arc::clone(process))
}

/// What every TID was, and when.
#[derive(Debug, Default)]
pub(crate) struct TasksByTime {
    pub(crate) lives: Arc<Lives>,
    /// What earlier records have told.
    pub(crate) forks: Forks,
}

/// Which TIDs placeholders stand for.
type Placeholders = HashMap<u32, u32>;

/// What every TID was.
#[derive(Debug, Default)]
pub(crate) struct Lives {
    /// One after the other.
    of_tids: HashMap<u32, Vec<Life>>,
    placeholders: Placeholders,
}

/// When a TID was made last, and by which.
pub(crate) type Forks = HashMap<u32, (u64, u32)>;

/// What a TID was for some time.
#[derive(Debug)]
struct Life {
    start: u64,
    end: u64,
    process: Option<Arc<Process>>,
}

/// How many children, each in its parent's memory, are looked through.
const NESTED: usize = 8;

impl TasksByTime {
    /// Takes note of the event that reports a new thread or process.
    pub(crate) fn forked(&mut self, parent: u32, child: u32, time: u64) {
        self.forks.insert(child, (time, parent));
    }

    /// The TID that a number in an event means: itself, unless it is a placeholder of which it is known
    /// whom that stands for.
    pub(crate) fn resolve(&self, tid: u32) -> u32 {
        match is_placeholder(tid) {
            true => self.lives.placeholders.get(&tid).copied().unwrap_or(tid),
            false => tid,
        }
    }

    /// The process that a thread was in at a time in the buffer's clock.
    ///
    /// A child by vfork(2) has no entry before it executes a program: until then it is in its parent's
    /// memory.
    pub(crate) fn process(&self, tid: u32, time: u64) -> Option<&Process> {
        let (mut tid, mut time) = (tid, time);
        for _ in 0..NESTED {
            let lives = self.lives.of_tids.get(&tid).map_or(&[][..], Vec::as_slice);
            let after = lives.partition_point(|life| life.start <= time);
            let life = lives.get(after.wrapping_sub(1));
            match (life, self.forks.get(&tid)) {
                (Some(life), _) if time <= life.end => return life.process.as_deref(),
                (life, Some((forked, parent)))
                    if *forked <= time && life.is_none_or(|life| life.end <= *forked) =>
                {
                    (tid, time) = (*parent, *forked);
                }
                // A thread's first event can be a little older than its entry, its last a little newer.
                _ => return life.or(lives.first())?.process.as_deref(),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session::{Session, SessionOptions};

    fn process(pid: u32) -> Arc<Process> {
        let info = ProcessInfo { entry: pid, pid, parent: 1, ..ProcessInfo::default() };
        Arc::new(Process { info, maps: Vec::new() })
    }

    #[test]
    fn what_has_ended_is_not_remembered_for_ever() {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        let (control, mut tables) = (session.control(), Tables::default());
        let last = MOST_ENDED as u32 + 8192;
        for number in 1..=last {
            let (time, comm) = (u64::from(number), *b"many\0\0\0\0\0\0\0\0\0\0\0\0");
            let task = control::NewTask { tid: number, tgid: number, process: None, comm, time };
            if let Some(entry) = control.add_task(&task) {
                control.end_task(entry, time);
            }
            if number % 4096 == 0 {
                tables.collect_bounded(control, time);
            }
        }
        assert!(tables.tasks.len() <= MOST_ENDED, "{}", tables.tasks.len());
        assert!(tables.tasks.values().any(|task| task.tid == last));
    }

    #[test]
    fn a_child_is_in_its_parents_memory_until_it_executes() {
        let (parent, first, second) = (process(10), process(11), process(11));
        let life = |start, end, process: &Arc<Process>| Life { start, end, process: Some(process.clone()) };
        let lives = HashMap::from([
            (10, vec![life(100, u64::MAX, &parent)]),
            (11, vec![life(200, 300, &first), life(500, u64::MAX, &second)]),
        ]);
        let lives = Arc::new(Lives { of_tids: lives, placeholders: Placeholders::new() });
        let mut tasks = TasksByTime { lives, forks: HashMap::new() };
        let pid = |tasks: &TasksByTime, tid, time| tasks.process(tid, time).map(|found| found.info.pid);
        assert_eq!(pid(&tasks, 11, 199), Some(11), "nothing is known of a fork");
        assert_eq!(pid(&tasks, 12, 199), None);
        tasks.forked(10, 11, 400);
        assert_eq!(pid(&tasks, 11, 250), Some(11));
        assert_eq!(pid(&tasks, 11, 450), Some(10), "made again, with no program of its own yet");
        assert!(std::ptr::eq(tasks.process(11, 500).unwrap(), &*second));
        tasks.forked(11, 12, 600);
        assert_eq!(pid(&tasks, 12, 700), Some(11));
    }
}
