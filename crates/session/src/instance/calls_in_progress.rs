//! Calls that have not ended: which they are, and events of them where what was recorded is kept.

use super::Instance;
use crate::this_process::{identity, may_run};
use abi::common;
use control::{Clocks, ControlArea, CurrentCall, Here, TaskInfo, is_placeholder};
use events::in_progress::{CALL_IN_PROGRESS, CALL_IN_PROGRESS_ID};
use events::{EventType, FieldKind};
use ring_buffer::{RecordBuffer, Writer, WriterThread, current_cpu};
use std::collections::{HashMap, HashSet};

/// A call that a thread is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallInProgress {
    /// Its name.
    pub name: &'static str,
    /// Its first argument, where that is a number.
    pub argument: Option<String>,
    /// Whether that is a descriptor.
    pub is_descriptor: bool,
    /// How long ago it was entered, in ns.
    pub age: u64,
}

/// Says what calls are, at one moment.
#[derive(Debug)]
pub struct CallsInProgress<'a> {
    control: &'a ControlArea,
    /// A reading of the clock of durations.
    now: u64,
    entries: HashMap<u16, EventType>,
}

/// Words of the longest event: common fields, where two texts are, duration, and the texts.
const WORDS: usize = 3 + MOST_TEXT / 8;
/// Bytes of both texts with their zeros: a name of libc's, and a number or the name of one.
const MOST_TEXT: usize = 128;

impl<'a> CallsInProgress<'a> {
    /// Those of a session, now.
    pub fn new(control: &'a ControlArea) -> CallsInProgress<'a> {
        let now = control.duration_clock(&Clocks::now());
        CallsInProgress { control, now, entries: events::all().map(|event| (event.id, event)).collect() }
    }

    /// What a call is. None for one that nothing is known of.
    pub fn describe(&self, call: CurrentCall) -> Option<CallInProgress> {
        let entry = self.entries.get(&call.event)?;
        let first = entry.fields.first();
        Some(CallInProgress {
            name: entry.name,
            argument: first.and_then(|field| number(field.kind, call.argument)),
            is_descriptor: first.is_some_and(|field| is_descriptor(field.name)),
            age: self.control.passed_since(call.since, self.now),
        })
    }
}

impl Instance {
    /// Who writes events of what happens to others: the calling thread, which alone may use it.
    pub fn observer(&self) -> WriterThread {
        WriterThread { area: rseq::Area::current(), identity: identity(std::process::id()) }
    }

    /// The calls in progress of which events are wanted, of the threads for which `is_meant` says so. Cost:
    /// looking at all threads.
    pub fn calls_in_progress(&self, is_meant: impl Fn(&TaskInfo) -> bool) -> Vec<(TaskInfo, CallInProgress)> {
        if !self.wants_calls_in_progress() {
            return Vec::new();
        }
        let control = self.control();
        let (calls, flags) = (CallsInProgress::new(control), control.instance_flags(self.index));
        let is_running = |task: &TaskInfo| task.end_time == 0 && !is_placeholder(task.tid);
        let is_wanted = |task: &TaskInfo| {
            is_running(task) && is_meant(task) && !control.ignores(self.index, flags, task.tid)
        };
        let call = |task: TaskInfo| Some((task, calls.describe(task.call?)?));
        control.tasks().filter(is_wanted).filter_map(call).collect()
    }

    /// The calls in progress of all processes that run, of which events are wanted. Cost: looking at all
    /// threads, and a system call for each process.
    pub fn calls_of_running(&self) -> Vec<(TaskInfo, CallInProgress)> {
        let may_run = may_run();
        let running = self.control().processes().filter(|process| process.end_time == 0 && may_run(process));
        let running: HashSet<_> = running.map(|process| (process.entry, process.pid)).collect();
        self.calls_in_progress(|task| task.process.is_some_and(|entry| running.contains(&(entry, task.tgid))))
    }

    /// Whether events of such calls are wanted.
    pub(super) fn wants_calls_in_progress(&self) -> bool {
        self.control().is_enabled(CALL_IN_PROGRESS_ID, self.index)
    }

    /// Writes an event for each call, as its thread.
    pub fn write_calls(&self, writer: &Writer, thread: WriterThread, calls: &[(TaskInfo, CallInProgress)]) {
        for (task, call) in calls {
            let mut record = record(task, call);
            let event = record.event();
            let cpu = thread.area.and_then(rseq::Area::cpu).unwrap_or_else(current_cpu);
            if self.control().passes(self.index, event.payload(), &Here { cpu, comm: &task.comm }) {
                // If it can't be written, the buffer has counted it.
                let _ = writer.write(thread, event);
            }
        }
    }
}

fn record(task: &TaskInfo, call: &CallInProgress) -> RecordBuffer<WORDS> {
    let argument = call.argument.as_deref().unwrap_or_default();
    let texts = [call.name, argument].map(|text| text.get(..MOST_TEXT / 2 - 1).unwrap_or(text));
    let mut record = RecordBuffer::new();
    record.push(common::word(CALL_IN_PROGRESS_ID, 0, 0, task.tid as i32));
    let mut offset = CALL_IN_PROGRESS.fixed_size();
    for text in texts {
        let len = text.len() + 1;
        record.push_half((len as u32) << 16 | offset as u32);
        offset += len;
    }
    record.push(call.age);
    let texts = texts.map(|text| format!("{text}\0"));
    record.push_bytes(texts.concat().as_bytes());
    record
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
    }

    #[test]
    fn the_record_has_the_fields_of_the_event() {
        let offsets: Vec<usize> = (0..=3).map(|field| CALL_IN_PROGRESS.offset(field)).collect();
        assert_eq!(offsets, [8, 12, 16, 24], "call, argument, duration, end");
        let all = events::all().map(|event| event.name.len()).max();
        assert!(all < Some(MOST_TEXT / 2), "names are not cut");
    }
}
