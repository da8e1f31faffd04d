//! Who took the snapshot that a ring holds.
//!
//! It is stored after the snapshot was taken, so a taker that is killed in between leaves none, and one that
//! was held up may store it when the ring holds another. Each word says which snapshot it is of; readers
//! believe it if all do.

use crate::atomic::AtomicU64;

/// Words that say who took a snapshot and why.
pub const ORIGIN_WORDS: usize = 8 + REASON / 4;

/// Bytes of a reason's text, with zeros after it.
pub const REASON: usize = 96;

/// Who took a snapshot, and why. On lines of its own.
///
/// ```text
/// bits  0..32   value      word 0: cause << 16 | detail; 1: TID; 2: UID; 3: more; 4..8: the thread's name,
///                          in order; 8..: the reason's text, in order
/// bits 32..64   snapshot   the low half of its time
/// ```
#[derive(Debug)]
#[repr(C, align(64))]
pub struct OriginWords {
    /// The words. Plain stores by whoever took the snapshot.
    pub words: [AtomicU64; ORIGIN_WORDS],
}

/// How a snapshot was taken: by a process of its own accord.
pub const BY_PROCESS: u32 = 1;
/// By writing to a file of the control tree.
pub const BY_FILE: u32 = 2;
/// By the trigger of an event. Its detail is the event's id.
pub const BY_TRIGGER: u32 = 3;
/// By a program that asked for it.
pub const BY_PROGRAM: u32 = 4;
/// By a signal that ends the process. Its detail is the signal's number.
pub const BY_SIGNAL: u32 = 5;
/// By a panic.
pub const BY_PANIC: u32 = 6;
/// By abort(3).
pub const BY_ABORT: u32 = 7;
/// By an assertion that has failed.
pub const BY_ASSERTION: u32 = 8;
/// By `std::terminate` of C++.
pub const BY_TERMINATE: u32 = 9;
/// By an exit with another status than 0. Its detail is the status.
pub const BY_EXIT: u32 = 10;
/// By somebody else, for a process that was killed. Its detail is the signal's number.
pub const BY_KILL: u32 = 11;

/// By a call that has failed too often. Its detail is the id of the event at its exit; more: the last error.
pub const BY_ERRORS: u32 = 12;
/// By a latency tracer. Its detail is the CPU, and in place of a reason there are the numbers of the section,
/// the lower half of each first.
pub const BY_LATENCY: u32 = 13;
/// By a record of syslog(3). Its detail is the level.
pub const BY_SYSLOG: u32 = 14;
/// By an error-level record of `log`, or event of `tracing`.
pub const BY_LOG: u32 = 15;

/// The UID of somebody whose UID is not known.
pub const NO_UID: u32 = u32::MAX;

/// A word, of the snapshot that was taken at `time`.
pub const fn origin_word(time: u64, value: u32) -> u64 {
    time << 32 | value as u64
}

/// The value of a word, if it is of the snapshot that was taken at `time`.
pub const fn origin_value(word: u64, time: u64) -> Option<u32> {
    if word >> 32 == time & 0xffff_ffff { Some(word as u32) } else { None }
}

const _: () = assert!(size_of::<OriginWords>() == 256);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_of_one_snapshot() {
        let word = origin_word(0x1_2345_6789, u32::MAX);
        assert_eq!(origin_value(word, 0x1_2345_6789), Some(u32::MAX));
        assert_eq!(origin_value(word, 0x1_2345_678a), None);
    }
}
