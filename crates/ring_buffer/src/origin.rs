//! Who took a snapshot, and why: a note next to it.
//!
//! The note is no part of the snapshot. It is stored when that is taken already, word by word, and nobody
//! waits for it: what a taker leaves that is killed, or held up until the ring holds another snapshot, is not
//! believed ([`abi::origin`]). So it needs no order of its own, and costs a few stores to four cache lines.

use crate::buffer::Buffer;
use crate::reason::Reason;
use crate::snapshot::Snapshot;
use abi::origin::{
    BY_ABORT, BY_ASSERTION, BY_ERRORS, BY_EXIT, BY_FILE, BY_KILL, BY_LATENCY, BY_LOG, BY_PANIC, BY_PROCESS,
    BY_PROGRAM, BY_SIGNAL, BY_SYSLOG, BY_TERMINATE, BY_TRIGGER, NO_UID, ORIGIN_WORDS, REASON, origin_value,
    origin_word,
};
use core::sync::atomic::Ordering::Relaxed;

/// Who took a snapshot, as far as whoever took it has said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotOrigin {
    /// How it was taken.
    pub cause: SnapshotCause,
    /// The thread that took it, as events name it; of a process that was killed, that process.
    pub tid: u32,
    /// The thread's user, where that is known.
    pub uid: Option<u32>,
    /// The thread's name with zeros after it; zeros alone where it stands elsewhere.
    pub comm: [u8; 16],
    /// What the program says about it.
    pub reason: Reason,
}

impl SnapshotOrigin {
    /// The thread's name, without the zeros after it: as many bytes as it has, whatever they are.
    pub fn name(&self) -> &[u8] {
        self.comm.split(|byte| *byte == 0).next().unwrap_or_default()
    }
}

/// A section that was longer than others: what a latency tracer keeps the trace of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredSection {
    /// The CPU where it has ended.
    pub cpu: u16,
    /// When it began, in the buffer's clock.
    pub start: u64,
    /// How long it was.
    pub nanoseconds: u64,
    /// Where in the program it began: the address that the call returns to.
    pub started_at: u64,
    /// Where it ended.
    pub ended_at: u64,
}

impl MeasuredSection {
    /// Its numbers but for the CPU, the lower half of each first.
    fn halves(self) -> impl Iterator<Item = u32> {
        let numbers = [self.start, self.nanoseconds, self.started_at, self.ended_at];
        numbers.into_iter().flat_map(|number| [number as u32, (number >> 32) as u32])
    }

    fn from_halves(cpu: u16, halves: &[u32]) -> Option<MeasuredSection> {
        let number = |index: usize| {
            let (low, high) = (halves.get(2 * index)?, halves.get(2 * index + 1)?);
            Some(u64::from(*low) | u64::from(*high) << 32)
        };
        let [start, nanoseconds, started_at, ended_at] = [number(0)?, number(1)?, number(2)?, number(3)?];
        Some(MeasuredSection { cpu, start, nanoseconds, started_at, ended_at })
    }
}

/// How a snapshot was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotCause {
    /// By a process of its own accord: a command.
    Process,
    /// By writing to a file of the control tree.
    File,
    /// By the trigger of an event.
    Trigger {
        /// The event's id.
        event: u16,
    },
    /// By a program that asked for it, for the reason that it gives.
    Program,
    /// By a signal that ends the process.
    Signal {
        /// The signal's number.
        number: u16,
    },
    /// By a panic.
    Panic,
    /// By abort(3).
    Abort,
    /// By an assertion that has failed.
    Assertion,
    /// By `std::terminate` of C++.
    Terminate,
    /// By an exit with another status than 0.
    Exit {
        /// The status.
        status: u16,
    },
    /// By a call that has failed too often.
    Errors {
        /// The id of the event at its exit.
        event: u16,
        /// The last error.
        error: u16,
    },
    /// By somebody else, for a process that was killed.
    Killed {
        /// The signal's number.
        number: u16,
    },
    /// By a record of syslog(3).
    Syslog {
        /// Its level.
        level: u16,
    },
    /// By an error-level record of `log`, or event of `tracing`.
    Log,
    /// By a latency tracer, as this section was longer than others. There is no reason with it.
    Latency(MeasuredSection),
}

impl SnapshotCause {
    /// The cause as a number, its detail, and more.
    fn numbers(self) -> (u32, u16, u32) {
        let (cause, detail) = match self {
            SnapshotCause::Errors { event, error } => return (BY_ERRORS, event, error.into()),
            SnapshotCause::Process => (BY_PROCESS, 0),
            SnapshotCause::File => (BY_FILE, 0),
            SnapshotCause::Trigger { event } => (BY_TRIGGER, event),
            SnapshotCause::Program => (BY_PROGRAM, 0),
            SnapshotCause::Signal { number } => (BY_SIGNAL, number),
            SnapshotCause::Panic => (BY_PANIC, 0),
            SnapshotCause::Abort => (BY_ABORT, 0),
            SnapshotCause::Assertion => (BY_ASSERTION, 0),
            SnapshotCause::Terminate => (BY_TERMINATE, 0),
            SnapshotCause::Exit { status } => (BY_EXIT, status),
            SnapshotCause::Killed { number } => (BY_KILL, number),
            SnapshotCause::Syslog { level } => (BY_SYSLOG, level),
            SnapshotCause::Log => (BY_LOG, 0),
            SnapshotCause::Latency(section) => (BY_LATENCY, section.cpu),
        };
        (cause, detail, 0)
    }

    /// The cause that has these numbers, and these in place of a reason.
    fn from_numbers(cause: u32, detail: u16, more: u32, reason: &[u32]) -> Option<SnapshotCause> {
        Some(match cause {
            BY_PROCESS => SnapshotCause::Process,
            BY_FILE => SnapshotCause::File,
            BY_TRIGGER => SnapshotCause::Trigger { event: detail },
            BY_PROGRAM => SnapshotCause::Program,
            BY_SIGNAL => SnapshotCause::Signal { number: detail },
            BY_PANIC => SnapshotCause::Panic,
            BY_ABORT => SnapshotCause::Abort,
            BY_ASSERTION => SnapshotCause::Assertion,
            BY_TERMINATE => SnapshotCause::Terminate,
            BY_EXIT => SnapshotCause::Exit { status: detail },
            BY_ERRORS => SnapshotCause::Errors { event: detail, error: more as u16 },
            BY_KILL => SnapshotCause::Killed { number: detail },
            BY_SYSLOG => SnapshotCause::Syslog { level: detail },
            BY_LOG => SnapshotCause::Log,
            BY_LATENCY => SnapshotCause::Latency(MeasuredSection::from_halves(detail, reason)?),
            _ => return None,
        })
    }
}

impl Buffer {
    /// Notes who took a snapshot. Async-signal-safe. Cost: some stores.
    // Relaxed: each word says by itself which snapshot it is of.
    pub fn set_origin(&self, snapshot: Snapshot, origin: &SnapshotOrigin) {
        let Some(to) = self.header().origins.get(snapshot.ring()) else { return };
        for (word, value) in to.words.iter().zip(values(origin)) {
            word.store(origin_word(snapshot.time(), value), Relaxed);
        }
    }

    /// Whether a latency tracer has taken a snapshot: it gives way only to others of that kind.
    pub fn is_of_latency(&self, snapshot: Snapshot) -> bool {
        self.origin(snapshot).is_some_and(|origin| matches!(origin.cause, SnapshotCause::Latency(_)))
    }

    /// Who took a snapshot. None where that is not known, or no longer.
    // Relaxed: as for the stores.
    pub fn origin(&self, snapshot: Snapshot) -> Option<SnapshotOrigin> {
        let from = self.header().origins.get(snapshot.ring())?;
        let mut values = [0; ORIGIN_WORDS];
        for (value, word) in values.iter_mut().zip(&from.words) {
            *value = origin_value(word.load(Relaxed), snapshot.time())?;
        }
        origin(values)
    }
}

fn values(origin: &SnapshotOrigin) -> [u32; ORIGIN_WORDS] {
    let (cause, detail, more) = origin.cause.numbers();
    let head = [cause << 16 | u32::from(detail), origin.tid, origin.uid.unwrap_or(NO_UID), more];
    let texts = origin.comm.as_chunks::<4>().0.iter().chain(origin.reason.bytes().as_chunks().0);
    let mut values = [0; ORIGIN_WORDS];
    let all = head.into_iter().chain(texts.map(|bytes| u32::from_le_bytes(*bytes)));
    values.iter_mut().zip(all).for_each(|(to, value)| *to = value);
    if let SnapshotCause::Latency(section) = origin.cause {
        values.iter_mut().skip(FIRST_OF_REASON).zip(section.halves()).for_each(|(to, half)| *to = half);
    }
    values
}

/// The first word of a reason.
const FIRST_OF_REASON: usize = ORIGIN_WORDS - REASON / 4;

/// Words of a thread's name.
const COMM_WORDS: usize = 4;

fn origin([head, tid, uid, more, texts @ ..]: [u32; ORIGIN_WORDS]) -> Option<SnapshotOrigin> {
    let cause = SnapshotCause::from_numbers(head >> 16, head as u16, more, texts.get(COMM_WORDS..)?)?;
    let (mut comm, mut reason) = ([0; 16], Reason::default());
    let parts = comm.as_chunks_mut().0.iter_mut().chain(reason.bytes_mut().as_chunks_mut().0);
    parts.zip(texts).for_each(|(to, value): (&mut [u8; 4], u32)| *to = value.to_le_bytes());
    if matches!(cause, SnapshotCause::Latency(_)) {
        reason = Reason::default();
    }
    Some(SnapshotOrigin { cause, tid, uid: (uid != NO_UID).then_some(uid), comm, reason })
}
