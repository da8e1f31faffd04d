//! Threads and processes: an entry of a table for each.

use super::CallWords;
use crate::atomic::{AtomicU32, AtomicU64};

/// A thread that is not the first of its process.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct TaskEntry {
    /// Time from which this entry describes the thread, in the buffer's clock.
    pub start_time: AtomicU64,
    /// Time from which it no longer does, once its state is ended.
    pub end_time: AtomicU64,
    /// Its name, as in `/proc/PID/comm`, with zeros after it.
    pub comm: [AtomicU64; 2],
    /// Its process.
    pub tgid: AtomicU32,
    /// Index of its [`ProcessEntry`] + 1, or 0.
    pub process: AtomicU32,
    /// The call that it is in.
    pub current: CallWords,
    _line: u64,
}

/// Map words in a process's own entry.
pub const PROCESS_MAPS: usize = 19;

/// A program that a process runs: a new one begins at each exec and fork. And its first thread.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ProcessEntry {
    /// Time of its start, in the buffer's clock.
    pub start_time: AtomicU64,
    /// Time of its end, or of the next program in it, once its state is ended.
    pub end_time: AtomicU64,
    /// Its parent.
    pub parent: AtomicU32,
    /// Index of the first [`MapChunk`](super::MapChunk) + 1, or 0.
    pub more_maps: AtomicU32,
    /// The inode of its pid namespace: what its PID counts in.
    pub pid_namespace: AtomicU64,
    /// The name of its first thread, as in [`TaskEntry::comm`].
    pub comm: [AtomicU64; 2],
    /// The name of what it was executing last, as in [`TaskEntry::comm`]; counts while its status says so.
    pub executed: [AtomicU64; 2],
    /// What it hands on: a [`ProcessStatus`](super::ProcessStatus).
    pub status: AtomicU32,
    /// Pages of address space that its limit was raised by, for what it has mapped of the session.
    pub limit_raised: AtomicU32,
    /// The [`ControlHeader::functions`](super::ControlHeader::functions) that its code was last brought up to
    /// date with.
    pub functions: AtomicU32,
    /// How many of its functions are traced.
    pub traced_functions: AtomicU32,
    /// Where the heap says why its functions are not traced: a [`FunctionsOff`](super::FunctionsOff); 0 as
    /// long as nothing does.
    pub functions_off: AtomicU64,
    /// What is mapped where: [`map_word`](super::map_word)s, the program first, 0 after the last.
    pub maps: [AtomicU64; PROCESS_MAPS],
    /// The call that its first thread is in. After what other threads look at: it changes with each call.
    pub current: CallWords,
}
