//! Who took the snapshot that a ring holds.
//!
//! It is stored after the snapshot was taken, so a taker that is killed in between leaves none, and one that
//! was held up may store it when the ring holds another. Each word says which snapshot it is of; readers
//! believe it if all do.

use crate::atomic::AtomicU64;

/// Words that say who took a snapshot: what follows, then four with the name.
pub const ORIGIN_WORDS: usize = 7;

/// Who took a snapshot. On a line of its own.
///
/// ```text
/// bits  0..32   value      word 0: how << 16 | event; 1: TID; 2: UID; 3..7: the thread's name, in order
/// bits 32..64   snapshot   the low half of its time
/// ```
#[derive(Debug)]
#[repr(C, align(64))]
pub struct OriginWords {
    /// The words. Plain stores by whoever took the snapshot.
    pub words: [AtomicU64; ORIGIN_WORDS],
    _line: u64,
}

/// How a snapshot was taken: by a process of its own accord.
pub const BY_PROCESS: u32 = 1;
/// By writing to a file of the control tree.
pub const BY_FILE: u32 = 2;
/// By the trigger of an event.
pub const BY_TRIGGER: u32 = 3;

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

const _: () = assert!(size_of::<OriginWords>() == 64);

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
