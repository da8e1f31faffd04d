//! What was recorded, as `lookback report` shows it.

use super::run::{lookback, run};
use super::system_call_text::system_call;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

/// A recorded event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// The name of the thread.
    pub(crate) comm: String,
    /// The thread.
    pub(crate) tid: u32,
    pub(crate) cpu: u32,
    /// Microseconds.
    pub(crate) time: u64,
    pub(crate) name: String,
    /// The fields.
    pub(crate) text: String,
}

impl Event {
    /// A line: `comm-tid [cpu] flags seconds: name: fields`.
    fn parse(line: &str) -> Option<Event> {
        let (who, rest) = split_at_cpu(line)?;
        let (comm, tid) = who.trim().rsplit_once('-')?;
        let (cpu, rest) = rest.split_once("] ")?;
        let (_flags, rest) = rest.split_once(' ')?;
        let (time, rest) = rest.trim_start().split_once(": ")?;
        let (name, text) = system_call(rest).or_else(|| {
            let (name, text) = rest.split_once(':')?;
            Some((name.to_owned(), text.to_owned()))
        })?;
        Some(Event {
            comm: comm.to_string(),
            tid: tid.parse().ok()?,
            cpu: cpu.parse().ok()?,
            time: time.replace('.', "").parse().ok()?,
            name,
            text: text.trim_start().to_string(),
        })
    }

    /// The value of a field, without the quotation marks of a text.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let start = format!("{name}=");
        let words = self.text.split(' ');
        words.filter_map(|word| word.strip_prefix(&start)).next().map(|value| value.trim_matches('"'))
    }

    pub(crate) fn number(&self, name: &str) -> i64 {
        let value = self.field(name).unwrap_or_else(|| panic!("no {name} in {self:?}"));
        value.parse().unwrap_or_else(|_| panic!("{name} is no number in {self:?}"))
    }

    /// The call that this event is the return of.
    fn returns_from(&self) -> Option<&str> {
        self.name.strip_suffix("_exit").filter(|_| returns().contains(self.name.as_str()))
    }

    /// Whether this is a call whose return is recorded, too.
    fn is_to_return(&self) -> bool {
        returns().contains(format!("{}_exit", self.name).as_str())
    }

    /// Whether this is a thread's first event in the child of a call that its parent has made.
    fn is_second_return(&self) -> bool {
        matches!(self.returns_from(), Some("fork" | "vfork")) && self.number("ret") == 0
    }
}

/// The names of all events that are returns of calls.
fn returns() -> &'static BTreeSet<&'static str> {
    static RETURNS: OnceLock<BTreeSet<&str>> = OnceLock::new();
    RETURNS.get_or_init(|| {
        let calls = events::all().filter(|event| event.system == events::LIBC);
        let names = calls.map(|event| event.name);
        names.filter(|name| name.ends_with("_exit") && !["_exit", "pthread_exit"].contains(name)).collect()
    })
}

/// Splits before the CPU's number: a thread's name may have brackets, too.
fn split_at_cpu(line: &str) -> Option<(&str, &str)> {
    let is_cpu = |rest: &str| {
        rest.split_once(']').is_some_and(|(cpu, _)| cpu.len() >= 3 && cpu.bytes().all(|b| b.is_ascii_digit()))
    };
    line.match_indices(" [").map(|(at, _)| (&line[..at], &line[at + 2..])).find(|(_, rest)| is_cpu(rest))
}

/// What was recorded.
#[derive(Debug)]
pub(crate) struct Trace {
    /// In the order of the report.
    pub(crate) events: Vec<Event>,
    /// Whether the report says that some are missing: the buffers were too small.
    pub(crate) is_incomplete: bool,
}

impl Trace {
    /// Reads a recording. Every line that is no comment must be an event.
    pub(crate) fn read(file: &Path) -> Trace {
        let mut command = lookback();
        command.arg("report").arg(file);
        let report = run(command);
        assert!(report.status.success(), "report: {report}");
        let is_lost = |line: &&str| line.starts_with("CPU:") && line.ends_with("EVENTS]");
        let lines = report.output.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let parse = |line| Event::parse(line).unwrap_or_else(|| panic!("not an event: {line}"));
        Trace {
            events: lines.clone().filter(|line| !is_lost(line)).map(parse).collect(),
            is_incomplete: lines.clone().any(|line| is_lost(&line)),
        }
    }

    /// The events with this name.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = &Event> + Clone {
        self.events.iter().filter(move |event| event.name == name)
    }

    pub(crate) fn count(&self, name: &str) -> usize {
        self.named(name).count()
    }

    /// The threads that have recorded such an event.
    pub(crate) fn threads(&self, name: &str) -> BTreeSet<u32> {
        self.named(name).map(|event| event.tid).collect()
    }

    /// The event of this name whose fields contain `text`.
    pub(crate) fn only(&self, name: &str, text: &str) -> &Event {
        let mut found = self.named(name).filter(|event| event.text.contains(text));
        let event = found.next().unwrap_or_else(|| panic!("no {name} with {text}:\n{self}"));
        assert_eq!(found.next(), None, "more than one {name} with {text}");
        event
    }

    /// Checks what holds for every recording: time goes on, and who returns has called.
    pub(crate) fn assert_consistent(&self) {
        assert!(!self.is_incomplete, "events were lost");
        self.assert_ordered();
        self.unfinished();
    }

    /// Checks that time goes on.
    pub(crate) fn assert_ordered(&self) {
        for pair in self.events.windows(2) {
            assert!(pair[0].time <= pair[1].time, "time goes back: {pair:?}");
        }
    }

    /// Calls that have not returned, by name: those that were left by longjmp, by cancellation, by an
    /// exception, by a kill. Calls of a thread are nested; what lies above a call that returns was left.
    pub(crate) fn unfinished(&self) -> BTreeMap<String, usize> {
        let mut stacks: BTreeMap<u32, Vec<&Event>> = BTreeMap::new();
        let mut unfinished = Vec::new();
        for event in &self.events {
            let stack = stacks.entry(event.tid).or_default();
            let Some(call) = event.returns_from() else {
                stack.extend(Some(event).filter(|event| event.is_to_return()));
                continue;
            };
            match stack.iter().rposition(|entry| entry.name == call) {
                Some(at) => unfinished.extend(stack.split_off(at).into_iter().skip(1)),
                None if event.is_second_return() => {}
                None => panic!("returns without a call: {event:?}, after\n{}", self.before(event)),
            }
        }
        unfinished.extend(stacks.into_values().flatten());
        let mut counts = BTreeMap::new();
        for event in unfinished {
            *counts.entry(event.name.clone()).or_default() += 1;
        }
        counts
    }
}

impl Trace {
    /// What the thread of an event did before it.
    fn before(&self, event: &Event) -> String {
        let until = self.events.iter().take_while(|other| !std::ptr::eq(*other, event));
        let own: Vec<&Event> = until.filter(|other| other.tid == event.tid).collect();
        own.iter().rev().take(20).rev().map(|event| format!("{event:?}\n")).collect()
    }
}

impl std::fmt::Display for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for event in &self.events {
            writeln!(f, "{}-{} {} {}: {}", event.comm, event.tid, event.time, event.name, event.text)?;
        }
        Ok(())
    }
}
