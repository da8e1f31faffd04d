//! `lookback list --threads`: what each thread is in.

use crate::duration::duration;
use crate::json::Json;
use crate::unseen;
use control::{ProcessInfo, TaskInfo, is_placeholder};
use session::{CallInProgress, CallsInProgress, Instance};
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
    call: CallInProgress,
    /// What the process has under the descriptor that is its first argument now.
    file: Option<String>,
}

impl ThreadList {
    pub(super) fn new(session: &Instance) -> ThreadList {
        // First: what the threads are in is of one moment.
        let unseen = unseen::of_session(session);
        let control = session.control();
        let processes: HashMap<u32, ProcessInfo> =
            control.processes().map(|process| (process.entry, process)).collect();
        let pids: HashSet<u32> =
            processes.values().filter(|process| process.end_time == 0).map(|process| process.pid).collect();
        let calls = CallsInProgress::new(control);
        let here = session::pid_namespace();
        let shown = |task: &TaskInfo, process: Option<&ProcessInfo>| {
            let process = process.filter(|process| process.pid_namespace == here);
            Some(shown(task.call.and_then(|call| calls.describe(call))?, process))
        };
        let age = super::ages(session);
        let is_seen = |pid| unseen.iter().all(|process| process.in_part || process.pid != pid);
        let (mut running, mut ended) = (Vec::new(), Vec::new());
        for task in control.tasks().filter(|task| !is_placeholder(task.tid)) {
            // An entry that says something else by now was of a process that is gone.
            let process = task.process.and_then(|entry| processes.get(&entry));
            let Some(process) = process.filter(|process| process.pid == task.tgid) else { continue };
            if process.end_time == 0 && task.end_time == 0 {
                // What has executed a program that can't be traced has left its threads in the table.
                if !is_seen(process.pid) {
                    continue;
                }
                let call = shown(&task, Some(process));
                running.push(ThreadRow { task, call, ended_age: None });
            } else if process.end_time != 0 && !pids.contains(&process.pid) {
                let call = shown(&task, None);
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
        let mut text = match self.running.is_empty() {
            true => "no thread is attached\n".to_owned(),
            false => format!("{:>8} {:>8}  {:<15}  {:>8}  IN\n", "PID", "TID", "COMM", "FOR"),
        };
        for row in &self.running {
            let call = row.call.as_ref();
            let age = call.map_or_else(|| "-".to_owned(), |call| duration(call.call.age));
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
            let (call, since) = (call.text(), duration(call.call.age));
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
            ("call", Json::text(call.map(|shown| shown.call.name))),
            ("argument", Json::text(call.and_then(|shown| shown.call.argument.as_ref()))),
            ("file", Json::text(call.and_then(|shown| shown.file.as_ref()))),
            ("for_ns", Json::number(call.map(|shown| shown.call.age))),
            ("since", Json::number(call.map(|shown| now.saturating_sub(shown.call.age)))),
            ("ended_age_ns", Json::number(self.ended_age)),
        ])
    }
}

impl ShownCall {
    /// `read(3</var/log/messages>)`; of a call with another first argument the name alone.
    fn text(&self) -> String {
        let file = self.file.as_deref().map_or_else(String::new, |file| format!("<{}>", printable(file)));
        match &self.call.argument {
            Some(argument) => format!("{}({argument}{file})", self.call.name),
            None => self.call.name.to_owned(),
        }
    }
}

/// A call of a thread of `process`; of none where that is gone, or its PID counts in another namespace.
fn shown(call: CallInProgress, process: Option<&ProcessInfo>) -> ShownCall {
    let process = process.filter(|_| call.is_descriptor);
    let file = process.zip(call.argument.as_ref()).and_then(|(process, descriptor)| {
        let path = std::fs::read_link(format!("/proc/{}/fd/{descriptor}", process.pid)).ok()?;
        Some(path.to_string_lossy().into_owned())
    });
    ShownCall { call, file }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_files_follow_the_name() {
        let shown = |argument: Option<&str>, file: Option<&str>| {
            let argument = argument.map(str::to_owned);
            let call = CallInProgress { name: "read", argument, is_descriptor: true, age: 0 };
            ShownCall { call, file: file.map(str::to_owned) }.text()
        };
        assert_eq!(shown(Some("3"), Some("/a\nb")), format!("read(3<{}>)", printable("/a\nb")));
        assert_eq!((shown(Some("3"), None), shown(None, None)), ("read(3)".into(), "read".into()));
    }
}
