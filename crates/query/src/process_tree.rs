//! The processes of a trace: who has made whom, when, and how each has ended.

mod events;
mod node;

pub use node::{ProcessEnd, ProcessNode, ProcessOutcome};

use events::{ProcessEvent, ProcessEvents};
use foldhash::HashMap;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// The processes of a trace, collected from its records. Takes memory for each process and for each call
/// that it makes, however often.
#[derive(Debug)]
pub struct ProcessTree {
    gaps: Gaps,
    events: ProcessEvents,
    processes: Vec<ProcessNode>,
    /// The latest with each PID.
    places: HashMap<i32, usize>,
    /// Whether any event of a process was there: its start, its programs or its end.
    knows_processes: bool,
}

impl ProcessTree {
    /// Events are missing from `gaps`: what goes on before one may have ended in it.
    pub fn new(gaps: Gaps) -> ProcessTree {
        let (events, places) = (ProcessEvents::default(), HashMap::default());
        ProcessTree { gaps, events, processes: Vec::new(), places, knows_processes: false }
    }

    /// Looks at a record. All have to come, in the order of time; the chosen ones are counted.
    pub fn add(&mut self, record: &Record<'_>, is_chosen: bool, trace: &TraceInfo<'_>) {
        let process = |pid: i32| trace.tasks.tgid(pid).unwrap_or(pid);
        let event = self.events.of(record, trace);
        let is_of_processes = matches!(
            event,
            ProcessEvent::Fork { .. } | ProcessEvent::Exec { .. } | ProcessEvent::Exit { .. }
        );
        self.knows_processes |= is_of_processes;
        let own = match event {
            // Without a parent whose trace goes on here, a PID that was used before is a new process's.
            ProcessEvent::Exec { .. } => self.alive(process(record.pid()), record.time),
            _ => self.place(process(record.pid()), record.time),
        };
        self.count(own, record, &event, is_chosen);
        match event {
            ProcessEvent::Fork { child, name } if process(child) == child => {
                self.fork(own, child, name, record.time, is_chosen);
            }
            ProcessEvent::Exec { filename, argv } => {
                let node = &mut self.processes[own];
                (node.filename, node.argv) = (filename, argv);
            }
            ProcessEvent::Exit { pid, name, is_last, is_noticed, signal } => {
                let is_last = is_last.unwrap_or(process(pid) == pid);
                let ended = self.place(process(pid), record.time);
                if is_last {
                    self.end(ended, ProcessEnd { time: record.time, is_noticed }, signal);
                }
                if let Some(node) = self.processes.get_mut(ended) {
                    node.name = name.filter(|_| process(pid) == pid).or(node.name.take());
                    node.is_chosen |= is_chosen;
                }
            }
            ProcessEvent::Leave { status } => self.processes[own].status = Some(status as u8),
            ProcessEvent::Reap { child, outcome } => self.reap(own, child, outcome),
            _ => {}
        }
    }

    /// All processes, in the order in which they were seen first.
    pub fn nodes(&self) -> &[ProcessNode] {
        &self.processes
    }

    /// Whether the trace has any event that is about processes: else nothing is known of starts and ends.
    pub fn knows_processes(&self) -> bool {
        self.knows_processes
    }

    /// Settles what is known at the end of the trace. The places of the chosen nodes and of those that they
    /// descend from, each with how deep it is, parents before children, in the order of their starts.
    pub fn finish(&mut self) -> Vec<(usize, usize)> {
        for place in 0..self.processes.len() {
            let node = &mut self.processes[place];
            let is_uncertain = !self.knows_processes || self.gaps.lie_between(node.seen.1, u64::MAX);
            if is_uncertain && node.outcome == ProcessOutcome::Running {
                node.outcome = ProcessOutcome::Unknown;
            }
            if let (ProcessOutcome::Exited, Some(status)) = (node.outcome, node.status) {
                node.outcome = ProcessOutcome::Status(status);
            }
            node.calls = node.counts.values().map(|[entries, exits]| entries.max(exits)).sum();
            let (is_chosen, mut parent) = (node.is_chosen, node.parent);
            // Its ancestors are shown, too; those of one that is chosen already are known.
            while let Some(place) = parent.filter(|place| is_chosen && !self.processes[*place].is_chosen) {
                self.processes[place].is_chosen = true;
                parent = self.processes[place].parent;
            }
        }
        let roots = (0..self.processes.len()).rev().filter(|place| self.processes[*place].parent.is_none());
        let mut next: Vec<(usize, usize)> = roots.map(|place| (place, 0)).collect();
        let mut order = Vec::new();
        while let Some((place, depth)) = next.pop() {
            let node = &self.processes[place];
            if node.is_chosen {
                order.push((place, depth));
                next.extend(node.children.iter().rev().map(|child| (*child, depth + 1)));
            }
        }
        order
    }

    /// The place of a process that has an event at `time`.
    fn place(&mut self, pid: i32, time: u64) -> usize {
        let place = match self.places.get(&pid) {
            Some(place) => *place,
            None => self.push(ProcessNode { pid, seen: (time, time), ..ProcessNode::default() }),
        };
        self.processes[place].seen.1 = time;
        place
    }

    /// The place of a process that starts a program at `time`: of one that has not ended before.
    fn alive(&mut self, pid: i32, time: u64) -> usize {
        let ended = self.places.get(&pid).is_some_and(|place| self.processes[*place].end.is_some());
        if ended {
            self.places.remove(&pid);
        }
        self.place(pid, time)
    }

    fn push(&mut self, node: ProcessNode) -> usize {
        let place = self.processes.len();
        self.places.insert(node.pid, place);
        self.processes.push(node);
        place
    }

    fn fork(&mut self, parent: usize, child: i32, name: Option<String>, time: u64, is_chosen: bool) {
        let is_new = |node: &ProcessNode| node.start.is_none() && node.end.is_none();
        let known = self.places.get(&child).copied().filter(|place| is_new(&self.processes[*place]));
        // Nobody makes an ancestor: the PID is used again.
        let place = match known.filter(|place| !self.descends(parent, *place)) {
            Some(place) => place,
            None => self.push(ProcessNode { pid: child, seen: (time, time), ..ProcessNode::default() }),
        };
        let node = &mut self.processes[place];
        (node.parent, node.start, node.name) = (Some(parent), Some(time), name);
        node.is_chosen |= is_chosen;
        self.processes[parent].children.push(place);
    }

    /// Whether a process is `ancestor`, or descends from it.
    fn descends(&self, place: usize, ancestor: usize) -> bool {
        let mut next = Some(place);
        while let Some(place) = next.filter(|place| *place != ancestor) {
            next = self.processes[place].parent;
        }
        next.is_some()
    }

    fn end(&mut self, place: usize, end: ProcessEnd, signal: Option<u32>) {
        let node = &mut self.processes[place];
        if node.end.is_none() {
            node.end = Some(end);
        }
        let outcome = match signal {
            Some(0) => ProcessOutcome::Exited,
            Some(signal @ 1..=127) => ProcessOutcome::Killed(signal as u8),
            _ => ProcessOutcome::Ended,
        };
        // What waited for it knows best, and may have recorded that before.
        if matches!(node.outcome, ProcessOutcome::Running | ProcessOutcome::Ended) {
            node.outcome = outcome;
        }
    }

    /// A process has waited for its child.
    fn reap(&mut self, parent: usize, child: i32, outcome: ProcessOutcome) {
        let Some(place) = self.places.get(&child).copied() else { return };
        let node = &mut self.processes[place];
        // In another pid namespace the number may be of another process.
        if node.parent == Some(parent) {
            node.outcome = outcome;
        }
    }

    fn count(&mut self, place: usize, record: &Record<'_>, event: &ProcessEvent, is_chosen: bool) {
        if !is_chosen {
            return;
        }
        let node = &mut self.processes[place];
        node.is_chosen = true;
        node.events += 1;
        match self.events.call(record) {
            Some((call, is_exit)) => node.counts.entry(call).or_default()[usize::from(is_exit)] += 1,
            // A call that never returns.
            None if matches!(event, ProcessEvent::Leave { .. }) => {
                node.counts.entry(record.id()).or_default()[0] += 1;
            }
            None => {}
        }
        node.errors += u64::from(self.events.has_failed(record));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_event::test_event;
    use trace_data::dat::Metadata;
    use trace_data::event::EventTable;
    use trace_data::page::Missed;

    const FORK: u16 = 1;
    const EXIT: u16 = 2;
    const WAITED: u16 = 3;

    fn table() -> EventTable {
        let event = |system: &str, name: &str, id: u16, fields: [&str; 3]| {
            let line = |(index, field): (usize, &str)| {
                format!("\tfield:int {field};\toffset:{};\tsize:4;\tsigned:1;\n", 8 + 4 * index)
            };
            test_event(system, name, id, &fields.into_iter().enumerate().map(line).collect::<String>())
        };
        [
            event("sched", "sched_process_fork", FORK, ["child_pid", "x", "y"]),
            event("sched", "sched_process_exit", EXIT, ["pid", "noticed_by", "signal"]),
            event("libc", "wait_exit", WAITED, ["ret", "wstatus", "x"]),
        ]
        .into_iter()
        .collect()
    }

    /// The tree of records, each of a time, a PID, an event and its fields.
    fn tree(gaps: &[(u64, u64)], records: &[(u64, i32, u16, [i32; 3])]) -> ProcessTree {
        let (events, metadata) = (table(), Metadata::new(4096));
        let trace =
            TraceInfo { metadata: &metadata, events: &events, tasks: &(), symbols: &(), nanoseconds: true };
        let mut tree = ProcessTree::new(Gaps::new(gaps.to_vec()));
        for (time, pid, id, fields) in records {
            let mut payload = abi::common::word(*id, 0, 0, *pid).to_le_bytes().to_vec();
            fields.iter().for_each(|field| payload.extend(field.to_le_bytes()));
            let record = Record { cpu: 0, time: *time, payload: &payload, lost: Missed::None };
            tree.add(&record, true, &trace);
        }
        tree
    }

    fn shown(mut tree: ProcessTree) -> Vec<(i32, usize, ProcessOutcome)> {
        let order = tree.finish();
        let nodes = tree.nodes();
        order.iter().map(|(place, depth)| (nodes[*place].pid, *depth, nodes[*place].outcome)).collect()
    }

    #[test]
    fn a_pid_that_is_used_again_is_another_process() {
        let found = shown(tree(
            &[],
            &[
                (10, 1, FORK, [7, 0, 0]),
                (20, 7, EXIT, [7, 0, 0]),
                (21, 1, WAITED, [7, 3 << 8, 0]),
                (30, 1, FORK, [7, 0, 0]),
                (40, 7, EXIT, [7, 1, 9]),
                (50, 1, FORK, [8, 0, 0]),
            ],
        ));
        let expected = [
            (1, 0, ProcessOutcome::Running),
            (7, 1, ProcessOutcome::Status(3)),
            (7, 1, ProcessOutcome::Killed(9)),
            (8, 1, ProcessOutcome::Running),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn nothing_is_said_of_what_was_lost() {
        let records = [(10, 1, FORK, [7, 0, 0]), (90, 1, FORK, [8, 0, 0]), (91, 1, WAITED, [8, 0x137f, 0])];
        let found = shown(tree(&[(20, 80)], &records));
        let expected = [
            (1, 0, ProcessOutcome::Running),
            (7, 1, ProcessOutcome::Unknown),
            (8, 1, ProcessOutcome::Running),
        ];
        assert_eq!(found, expected);
        // Two that seem to have made each other.
        assert_eq!(shown(tree(&[], &[(1, 5, FORK, [6, 0, 0]), (2, 6, FORK, [5, 0, 0])])).len(), 3);
        // A status of another's child is of another pid namespace.
        let others = [(1, 5, FORK, [6, 0, 0]), (2, 9, WAITED, [6, 0, 0])];
        assert_eq!(shown(tree(&[], &others))[1], (6, 1, ProcessOutcome::Running));
    }
}
