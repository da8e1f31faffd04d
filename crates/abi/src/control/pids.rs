//! Lists of threads: whose events an instance records, or doesn't.

use crate::atomic::{AtomicU32, AtomicU64};

/// TIDs that there can be: Linux has none from this number on.
pub const TIDS: usize = 1 << 22;

/// TIDs of a part of a list that takes memory by itself: a page of bits.
pub const TIDS_IN_PART: usize = 4096 * 8;

/// Parts of a list.
pub const PID_PARTS: usize = TIDS / TIDS_IN_PART;

/// Bytes of a list's bits.
pub const PID_BITS: usize = TIDS / 8;

/// The lists that an instance has.
pub const PID_LISTS: usize = 2;

/// Numbers that a list can have beside those that are TIDs.
pub const OTHER_PIDS: usize = 60;

/// What is known of a list, beside its bits.
#[derive(Debug)]
#[repr(C)]
pub struct PidList {
    /// A bit for each part that may have bits set. The others are not looked at: they have no memory.
    pub parts: [AtomicU64; PID_PARTS / 64],
    /// Numbers in it that no thread can have, to be read back; 0 behind the last.
    pub others: [AtomicU32; OTHER_PIDS],
}

const _: () = assert!(PID_PARTS.is_multiple_of(64) && size_of::<PidList>() == 256);
