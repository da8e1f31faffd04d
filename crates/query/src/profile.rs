//! What is typical of a trace: how often each call of each program is made, how long it takes, how it fails,
//! and what it is about. Two of them can be compared.

use crate::{Findings, FinishedCall};
use foldhash::HashMap;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::rc::Rc;
use trace_data::info::TraceInfo;

/// Collects what is typical, from calls as they end. Takes 8 bytes for each, and memory for each path.
#[derive(Debug, Default)]
pub struct ProfileSums {
    /// By process, and by the event at the call's end.
    lengths: HashMap<(i32, u16), CallLengths>,
    /// By process.
    paths: HashMap<(i32, Rc<str>), u64>,
}

/// The calls of a process, of one kind.
#[derive(Debug, Default)]
struct CallLengths {
    count: u64,
    lengths: Vec<u64>,
}

/// What is typical of a trace.
#[derive(Debug, Default)]
pub struct TraceProfile {
    /// How long the trace is, in nanoseconds.
    pub span: u64,
    /// How many events it has.
    pub events: u64,
    /// By program.
    pub programs: BTreeMap<String, ProgramProfile>,
    /// By program and call; waits for locks are calls, too.
    pub calls: BTreeMap<(String, String), CallProfile>,
    /// How often calls have failed: by program, call and error.
    pub errors: BTreeMap<(String, String, i64), FailureProfile>,
    /// What calls were about, and how often: by program; ids in paths are the same.
    pub paths: BTreeMap<(String, String), u64>,
}

/// The processes of a program, which is known by its name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProgramProfile {
    /// How many.
    pub processes: u64,
    /// Whether the trace has the start and the end of all of them, in the time that is meant.
    pub is_whole: bool,
}

/// The calls of a program, of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallProfile {
    /// How many have ended.
    pub count: u64,
    /// How long they took, in nanoseconds, in order; without those of which it isn't known.
    pub lengths: Vec<u64>,
}

/// Failures of calls of one kind, with the same error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailureProfile {
    /// How many.
    pub count: u64,
    /// What they were about, and how often.
    pub abouts: BTreeMap<String, u64>,
}

/// The most paths that are told apart.
const MOST: usize = 1 << 16;

impl ProfileSums {
    /// Counts a call, and what it was about.
    pub fn add(&mut self, call: &FinishedCall, about: Option<Rc<str>>) {
        let lengths = self.lengths.entry((call.tgid, call.exit)).or_default();
        lengths.count += 1;
        lengths.lengths.extend(call.length);
        let Some(about) = about else { return };
        let is_full = self.paths.len() >= MOST;
        match self.paths.get_mut(&(call.tgid, Rc::clone(&about))) {
            Some(count) => *count += 1,
            None if is_full => {}
            None => drop(self.paths.insert((call.tgid, about), 1)),
        }
    }

    /// What is typical, once all records have come. `findings` are those of the same records, and `window` is
    /// the time that is meant.
    pub fn finish(
        self,
        findings: &mut Findings,
        window: &RangeInclusive<u64>,
        trace: &TraceInfo<'_>,
    ) -> TraceProfile {
        let program = |tgid: i32| trace.tasks.comm(tgid).unwrap_or("<...>").to_owned();
        let call = |exit: u16| trace.events.get(exit).map_or("?", |event| crate::call_of(event.format()));
        let (first, last) = findings.seen.times.unwrap_or_default();
        let mut profile =
            TraceProfile { span: last - first, events: findings.seen.count, ..TraceProfile::default() };
        for ((tgid, exit), CallLengths { count, lengths }) in self.lengths {
            let known = profile.calls.entry((program(tgid), call(exit).to_owned())).or_default();
            known.count += count;
            known.lengths.extend(lengths);
        }
        for thread in findings.waits.finish() {
            let tgid = trace.tasks.tgid(thread.tid).unwrap_or(thread.tid);
            for waits in thread.objects.iter().filter(|waits| waits.object.kind.is_lock()) {
                let name = format!("wait for {}", waits.object.kind.name());
                let known = profile.calls.entry((program(tgid), name)).or_default();
                known.count += waits.durations.count();
                known.lengths.extend(waits.durations.lengths());
            }
        }
        profile.calls.values_mut().for_each(|call| call.lengths.sort_unstable());
        for (kind, failures) in findings.failed.kinds() {
            let key = (program(kind.tgid), call(kind.exit).to_owned(), kind.error);
            let known = profile.errors.entry(key).or_default();
            known.count += failures.count;
            if let Some(about) = &kind.about {
                *known.abouts.entry(without_ids(about)).or_default() += failures.count;
            }
        }
        for ((tgid, path), count) in self.paths {
            *profile.paths.entry((program(tgid), without_ids(&path))).or_default() += count;
        }
        findings.tree.finish();
        for node in findings.tree.nodes().iter().filter(|node| node.calls > 0) {
            let known = profile.programs.entry(program(node.pid));
            let known = known.or_insert(ProgramProfile { processes: 0, is_whole: true });
            known.processes += 1;
            let ends = [node.start, node.end.map(|end| end.time)];
            known.is_whole &= ends.iter().all(|time| time.is_some_and(|time| window.contains(&time)));
        }
        profile
    }
}

impl CallProfile {
    /// What `percent` of 100 lengths don't exceed.
    pub fn percentile(&self, percent: usize) -> u64 {
        let rank = (self.lengths.len() * percent).div_ceil(100).max(1) - 1;
        self.lengths.get(rank).copied().unwrap_or(0)
    }

    /// How long all took together, in nanoseconds.
    pub fn total(&self) -> u64 {
        self.lengths.iter().sum()
    }
}

/// A path with each integer in it replaced: ids of processes and the like differ from run to run.
fn without_ids(path: &str) -> String {
    let mut shown = String::new();
    for letter in path.chars() {
        match letter {
            '0'..='9' if shown.ends_with('#') => {}
            '0'..='9' => shown.push('#'),
            _ => shown.push(letter),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_apart_without_their_ids() {
        assert_eq!(without_ids("/proc/4711/task/12/stat"), "/proc/#/task/#/stat");
        assert_eq!(without_ids("/etc/hosts"), "/etc/hosts");
    }

    #[test]
    fn percentiles_are_those_of_sorted_lengths() {
        let call = CallProfile { count: 100, lengths: (1..=100).collect() };
        assert_eq!([50, 99, 100].map(|percent| call.percentile(percent)), [50, 99, 100]);
        assert_eq!((CallProfile::default().percentile(50), call.total()), (0, 5050));
    }
}
