//! `lookback list --threads`: what each thread is in.

use crate::duration::duration;
use crate::json::Json;
use control::{Clocks, CurrentCall, ProcessInfo, TaskInfo, is_placeholder};
use events::{EventType, FieldKind};
use session::Instance;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};
use trace_data::text::printable;

/// How many of the threads that have ended in a call are shown to people.
const MOST_ENDED: usize = 20;

/// The threads of a session, as they are at one moment.
pub(super) struct ThreadList {
    running: Vec<ThreadRow>,
    /// Those that were in a call when their process ended: the last one first.
    ended: Vec<ThreadRow>,
}

struct ThreadRow {
    task: TaskInfo,
    call: Option<ShownCall>,
    /// How long ago the end of its process was seen, in ns; None while that runs, and where events are
    /// counted.
    ended_age: Option<u64>,
}

/// A call that a thread is in.
struct ShownCall {
    /// Its name.
    name: &'static str,
    /// Its first argument, where that is a number.
    argument: Option<String>,
    /// What the process has under that descriptor now.
    file: Option<String>,
    /// How long ago it was entered, in ns.
    age: u64,
}

impl ThreadList {
    pub(super) fn new(session: &Instance) -> ThreadList {
        let control = session.control();
        let processes: HashMap<u32, ProcessInfo> =
            control.processes().map(|process| (process.entry, process)).collect();
        let pids: HashSet<u32> =
            processes.values().filter(|process| process.end_time == 0).map(|process| process.pid).collect();
        let calls = CallTexts::new(session);
        let age = super::ages(session);
        let (mut running, mut ended) = (Vec::new(), Vec::new());
        for task in control.tasks().filter(|task| !is_placeholder(task.tid)) {
            // An entry that says something else by now was of a process that is gone.
            let process = task.process.and_then(|entry| processes.get(&entry));
            let Some(process) = process.filter(|process| process.pid == task.tgid) else { continue };
            if process.end_time == 0 && task.end_time == 0 {
                let call = task.call.and_then(|call| calls.shown(call, Some(process)));
                running.push(ThreadRow { task, call, ended_age: None });
            } else if process.end_time != 0 && !pids.contains(&process.pid) {
                let call = task.call.and_then(|call| calls.shown(call, None));
                let was_there = task.end_time == 0 || task.end_time >= process.end_time;
                if was_there && call.is_some() {
                    ended.push(ThreadRow { task, call, ended_age: age(process.end_time) });
                }
            }
        }
        running.sort_by_key(|row| (row.task.tgid, row.task.tid));
        ended.sort_by_key(|row| (row.ended_age, Reverse(row.task.tid)));
        ThreadList { running, ended }
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("{:>8} {:>8}  {:<15}  {:>8}  IN\n", "PID", "TID", "COMM", "FOR");
        for row in &self.running {
            let call = row.call.as_ref();
            let age = call.map_or_else(|| "-".to_owned(), |call| duration(call.age));
            let _ = writeln!(
                text,
                "{}  {age:>8}  {}",
                row.head(),
                call.map_or_else(|| "-".to_owned(), ShownCall::text)
            );
        }
        if !self.ended.is_empty() {
            let _ = writeln!(text, "in a call when their process ended");
        }
        for row in self.ended.iter().take(MOST_ENDED) {
            let Some(call) = &row.call else { continue };
            let end =
                row.ended_age.map_or_else(String::new, |age| format!(", end seen {} ago", duration(age)));
            let (call, since) = (call.text(), duration(call.age));
            let _ = writeln!(text, "{}  {:>8}  {call} since {since} ago{end}", row.head(), "");
        }
        if let Some(more) = self.ended.len().checked_sub(MOST_ENDED).filter(|more| *more > 0) {
            let _ = writeln!(text, "{more} more ended before; `--json` has all");
        }
        text
    }

    pub(super) fn json(&self) -> Json {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos() as u64);
        let list = |rows: &[ThreadRow]| Json::List(rows.iter().map(|row| row.json(now)).collect());
        Json::Object(vec![("threads", list(&self.running)), ("ended", list(&self.ended))])
    }
}

impl ThreadRow {
    fn head(&self) -> String {
        format!("{:>8} {:>8}  {:<15}", self.task.tgid, self.task.tid, printable(self.task.name()))
    }

    /// `now` is nanoseconds since 1970.
    fn json(&self, now: u64) -> Json {
        let call = self.call.as_ref();
        Json::Object(vec![
            ("pid", Json::Number(self.task.tgid.into())),
            ("tid", Json::Number(self.task.tid.into())),
            ("comm", Json::text(Some(self.task.name()))),
            ("call", Json::text(call.map(|call| call.name))),
            ("argument", Json::text(call.and_then(|call| call.argument.as_ref()))),
            ("file", Json::text(call.and_then(|call| call.file.as_ref()))),
            ("for_ns", Json::number(call.map(|call| call.age))),
            ("since", Json::number(call.map(|call| now.saturating_sub(call.age)))),
            ("ended_age_ns", Json::number(self.ended_age)),
        ])
    }
}

impl ShownCall {
    /// `read(3</var/log/messages>)`; of a call with another first argument the name alone.
    fn text(&self) -> String {
        let file = self.file.as_deref().map_or_else(String::new, |file| format!("<{}>", printable(file)));
        match &self.argument {
            Some(argument) => format!("{}({argument}{file})", self.name),
            None => self.name.to_owned(),
        }
    }
}

/// What is needed to say what calls are.
struct CallTexts<'a> {
    session: &'a Instance,
    /// A reading of the clock of durations.
    now: u64,
    entries: HashMap<u16, EventType>,
}

impl CallTexts<'_> {
    fn new(session: &Instance) -> CallTexts<'_> {
        let clocks = Clocks::now();
        let now = if session.control().tick_rate().is_some() { clocks.tsc } else { clocks.mono };
        CallTexts { session, now, entries: events::all().map(|event| (event.id, event)).collect() }
    }

    /// A call of a thread of `process`, or of one that is gone.
    fn shown(&self, call: CurrentCall, process: Option<&ProcessInfo>) -> Option<ShownCall> {
        let entry = self.entries.get(&call.event)?;
        let first = entry.fields.first();
        let argument = first.and_then(|field| number(field.kind, call.argument));
        let here = self.session.control().identity().pid_namespace;
        let process = process.filter(|process| process.pid_namespace == here);
        let file =
            process.filter(|_| first.is_some_and(|field| is_descriptor(field.name))).and_then(|process| {
                let path = std::fs::read_link(format!("/proc/{}/fd/{}", process.pid, call.argument)).ok()?;
                Some(path.to_string_lossy().into_owned())
            });
        let age = self.session.control().passed_since(call.since, self.now);
        Some(ShownCall { name: entry.name, argument, file, age })
    }
}

/// A field of 4 bytes as events show it.
fn number(kind: FieldKind, value: u32) -> Option<String> {
    let signed = value as i32;
    match kind {
        FieldKind::I32 | FieldKind::Pid => Some(signed.to_string()),
        FieldKind::Directory if signed == -100 => Some("AT_FDCWD".to_owned()),
        FieldKind::Directory => Some(signed.to_string()),
        FieldKind::U32 => Some(value.to_string()),
        FieldKind::Named(names) => {
            let name = names.iter().find(|(number, _)| *number == i64::from(signed));
            Some(name.map_or_else(|| signed.to_string(), |(_, name)| (*name).to_owned()))
        }
        _ => None,
    }
}

/// Whether an argument is a descriptor: by its name, as the manual pages have it.
fn is_descriptor(name: &str) -> bool {
    name.ends_with("fd") || name == "fildes"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_arguments_are_shown_where_they_are_numbers() {
        assert_eq!(number(FieldKind::I32, u32::MAX).as_deref(), Some("-1"));
        assert_eq!(number(FieldKind::Directory, -100_i32 as u32).as_deref(), Some("AT_FDCWD"));
        assert_eq!(number(FieldKind::Pointer, 3), None);
        assert!(["fd", "sockfd", "epfd", "dirfd"].into_iter().all(is_descriptor) && !is_descriptor("pid"));
        let call = |argument: Option<&str>, file: Option<&str>| ShownCall {
            name: "read",
            argument: argument.map(str::to_owned),
            file: file.map(str::to_owned),
            age: 0,
        };
        assert_eq!(call(Some("3"), Some("/a\nb")).text(), format!("read(3<{}>)", printable("/a\nb")));
        assert_eq!(
            (call(Some("3"), None).text(), call(None, None).text()),
            ("read(3)".into(), "read".into())
        );
    }
}
