//! Texts and bytes that somebody writes into the buffers: the kernel's `trace_marker` and `trace_marker_raw`.
//!
//! Source: `tracing_mark_write` and `tracing_mark_raw_write` in `kernel/trace/trace.c` of Linux 6.18.

use super::author::Author;
use crate::this_process::pid_namespace;
use crate::{Error, Instance};
use abi::page::{DEFAULT_SIZE, max_payload};
use control::{Here, NewTask};
use events::ftrace::{PRINT_ID, RAW_DATA_ID};
use ring_buffer::{NotWritten, RecordBuffer, Writer, WriterThread};
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::collections::VecDeque;
use std::fs::read_to_string;
use std::sync::{Arc, Mutex, PoisonError};
use trigger_effect::Stage;

/// The address that texts come from. No program has it; its name is [`MARKER_SYMBOL`].
pub const MARKER_IP: u64 = (1 << 56) - 4096;
/// The name of the function that it stands for, which readers of texts look for.
pub const MARKER_SYMBOL: &str = "tracing_mark_write";

/// Bytes of the largest payload.
const MOST: usize = max_payload(DEFAULT_SIZE);
/// Words of the largest payload.
const WORDS: usize = MOST / 8;
/// Bytes before a text: common fields and address. After it there is space for a line end and a zero byte.
const PRINT_HEAD: usize = 16;
/// Bytes of common fields.
const RAW_HEAD: usize = 8;
/// Bytes that an event in a lane has before its payload.
const LANE_LEAD: usize = 8;

/// The longest text of one event: 4054 bytes.
pub const MOST_TEXT: usize = MOST - PRINT_HEAD - 2;
/// The most bytes, the number included.
pub const MOST_RAW: usize = MOST - RAW_HEAD - LANE_LEAD;

/// Writes texts and bytes into a session's buffer.
#[derive(Debug)]
pub struct Marker {
    session: Arc<Instance>,
    writer: Writer,
    /// The pid namespace that the writing threads count in.
    namespace: u64,
    /// Authors whose names it has entered, with their entries, the latest last.
    authors: Mutex<VecDeque<(u32, u32)>>,
}

/// Authors whose names are kept entered. Nobody says when a thread ends, so the oldest make space.
const MOST_AUTHORS: usize = 64;

impl Marker {
    /// One for `session`, through a mapping of its own.
    pub fn new(session: Arc<Instance>) -> Result<Marker, Error> {
        let writer = Writer::new(session.again()?.into_buffer());
        Ok(Marker { session, writer, namespace: pid_namespace(), authors: Mutex::default() })
    }

    /// Writes as much of a text as one event holds, with a line end after it, and says how much that was.
    ///
    /// The event has the author's TID and lies in the author's CPU's buffer: for one on another CPU the
    /// calling thread goes there for a moment. Cost: some microseconds, for the author's name.
    pub fn write_text(&self, author: Author, text: &[u8]) -> Result<usize, NotWritten> {
        let space = if rseq::Area::current().is_none() { MOST_TEXT - LANE_LEAD } else { MOST_TEXT };
        let text = text.get(..space).unwrap_or(text);
        let mut bytes = text.to_vec();
        if bytes.last() != Some(&b'\n') {
            bytes.push(b'\n');
        }
        bytes.push(0);
        let mut record = RecordBuffer::<WORDS>::new();
        record.push(abi::common::word(PRINT_ID, 0, 0, author.tid as i32));
        record.push(MARKER_IP);
        record.push_bytes(&bytes);
        self.write(author, &mut record)?;
        self.trigger(author, text);
        Ok(text.len())
    }

    /// Has the triggers act that texts have, which see the text as it was given. Source: `tracing_mark_write`
    /// in `kernel/trace/trace.c`: the text is in the buffer by then.
    fn trigger(&self, author: Author, text: &[u8]) {
        let (control, instance) = (self.session.control(), self.session.index);
        if !control.has_triggers(PRINT_ID, instance) {
            return;
        }
        let mut record = RecordBuffer::<WORDS>::new();
        let first_word = abi::common::word(PRINT_ID, 0, 0, author.tid as i32);
        record.push(first_word);
        record.push(MARKER_IP);
        record.push_bytes(text);
        record.push_bytes(&[0]);
        let comm = control.find_task(author.tid).map_or([0; 16], |task| task.comm);
        let cpu = author.cpu.unwrap_or_else(|| sched_getcpu() as u32);
        let due = control.due(instance, record.event().payload(), &Here { cpu, comm: &comm });
        Stage { control, buffer: self.session.buffer(), instance, first_word }.act_all(&due);
    }

    /// Writes up to [`MOST_RAW`] bytes, of which the first 4 are a number, as they are.
    pub fn write_raw(&self, author: Author, bytes: &[u8]) -> Result<(), NotWritten> {
        let mut record = RecordBuffer::<WORDS>::new();
        record.push(abi::common::word(RAW_DATA_ID, 0, 0, author.tid as i32));
        record.push_bytes(bytes);
        self.write(author, &mut record)
    }

    fn write(&self, author: Author, record: &mut RecordBuffer<WORDS>) -> Result<(), NotWritten> {
        self.enter(author.tid);
        // Not the author, who may be killed meanwhile: who writes is the calling thread.
        let identity = u64::from(Author::current().tid) | self.namespace << 32;
        let thread = WriterThread { area: rseq::Area::current(), identity };
        on_cpu(author.cpu, || self.writer.write(thread, record.event()))
    }

    /// Enters an author's name, if the session doesn't know the thread.
    fn enter(&self, tid: u32) {
        let mut authors = self.authors.lock().unwrap_or_else(PoisonError::into_inner);
        if authors.iter().any(|(known, _)| *known == tid) || self.session.control().find_task(tid).is_some() {
            return;
        }
        let Some(task) = task(tid, self.now()) else { return };
        let Some(entry) = self.session.control().add_task(&task) else { return };
        authors.push_back((tid, entry));
        if authors.len() > MOST_AUTHORS
            && let Some((_, oldest)) = authors.pop_front()
        {
            self.session.control().end_task(oldest, self.now());
        }
    }

    fn now(&self) -> u64 {
        self.session.buffer().now()
    }
}

impl Drop for Marker {
    fn drop(&mut self) {
        let now = self.now();
        // Nobody else knows of them. The entries stay as long as their events do.
        let authors = self.authors.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (_, entry) in authors.drain(..) {
            self.session.control().end_task(entry, now);
        }
    }
}

/// A thread, as the kernel knows it.
fn task(tid: u32, time: u64) -> Option<NewTask> {
    let comm = Author { tid, cpu: None }.comm()?;
    let status = read_to_string(format!("/proc/{tid}/status")).ok()?;
    let tgid = status.lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse().ok())?;
    Some(NewTask { tid, tgid, process: None, comm, time })
}

/// Runs `write` on a CPU, where that is possible. A thread that is there already stays there until the end.
fn on_cpu<R>(cpu: Option<u32>, write: impl FnOnce() -> R) -> R {
    let cpu = cpu.map(|cpu| cpu as usize).filter(|cpu| *cpu < CpuSet::MAX_CPU);
    let (Some(cpu), Ok(before)) = (cpu, sched_getaffinity(None)) else {
        return write();
    };
    let mut there = CpuSet::new();
    there.set(cpu);
    // Where it is refused, the event lies in the buffer of the CPU that it was written on.
    let moved = sched_setaffinity(None, &there).is_ok();
    let result = write();
    if moved {
        let _ = sched_setaffinity(None, &before);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};

    fn session(directory: &std::path::Path) -> Arc<Instance> {
        let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
        Arc::new(Session::create(&directory.join("s"), &options).unwrap())
    }

    #[test]
    fn the_longest_text_is_the_kernels() {
        assert_eq!((MOST_TEXT, WORDS), (4054, 509));
    }

    #[test]
    fn an_event_lies_where_its_author_was() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        let marker = Marker::new(session.clone()).unwrap();
        for cpu in 0..session.buffer().geometry().cpus {
            if session.buffer().capacity(cpu) == 0 || rseq::Area::current().is_none() {
                continue;
            }
            let author = Author { cpu: Some(cpu), ..Author::current() };
            assert_eq!(marker.write_text(author, b"here"), Ok(4));
            assert_eq!(session.buffer().statistics(cpu).entries, 1, "CPU {cpu}");
        }
    }

    #[test]
    fn the_longest_of_both_fit() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        let marker = Marker::new(session.clone()).unwrap();
        let author = Author::current();
        let space = if rseq::Area::current().is_none() { MOST_TEXT - LANE_LEAD } else { MOST_TEXT };
        assert_eq!(marker.write_text(author, &[b'x'; 9000]), Ok(space));
        assert_eq!(marker.write_raw(author, &[7; MOST_RAW]), Ok(()));
        session.buffer().set_tracing(false);
        assert_eq!(marker.write_text(author, b"x"), Err(NotWritten::Off));
    }

    #[test]
    fn an_author_is_entered_once_and_ends_with_who_has_entered_him() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        let marker = Marker::new(session.clone()).unwrap();
        for _ in 0..100 {
            marker.write_text(Author::current(), b"x").unwrap();
        }
        let tid = Author::current().tid;
        let entries = || session.control().tasks().filter(|task| task.tid == tid).collect::<Vec<_>>();
        assert_eq!(entries().iter().map(|task| task.end_time).collect::<Vec<_>>(), [0]);
        drop(marker);
        assert!(entries().iter().all(|task| task.end_time > task.start_time));
    }

    #[test]
    fn authors_whose_end_is_unknown_make_space() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        let marker = Marker::new(session.clone()).unwrap();
        let spawn = |_| std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let mut sleepers: Vec<_> = (0..=MOST_AUTHORS).map(spawn).collect();
        for sleeper in &sleepers {
            marker.write_text(Author { tid: sleeper.id(), cpu: None }, b"x").unwrap();
        }
        let live = session.control().tasks().filter(|task| task.end_time == 0).count();
        for sleeper in &mut sleepers {
            sleeper.kill().unwrap();
            sleeper.wait().unwrap();
        }
        assert_eq!(live, MOST_AUTHORS);
    }
}
