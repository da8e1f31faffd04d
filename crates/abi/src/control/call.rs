//! The call that a thread is in.

use crate::atomic::AtomicU64;
use crate::control::{EVENTS, event_id};

/// The innermost call that a thread is in, of those with an enabled event, and since when.
///
/// Only the thread stores here, and handlers that interrupt it: first 0 in `call`, then `since`, then `call`.
/// Readers see by the word which `since` belongs to it.
#[derive(Debug)]
#[repr(C)]
pub struct CallWords {
    /// A [`call_word`]; 0 when the thread is in none.
    pub call: AtomicU64,
    /// When it was entered, in ticks or nanoseconds as durations are counted, see
    /// [`ControlHeader::tick_rate`](super::ControlHeader::tick_rate).
    pub since: AtomicU64,
}

/// Bits of a word that say whose it is, and which time is its.
const CHECK: u32 = 20;

/// The event of a call's entry, by its [index](super::event_index), which is not 0; `CHECK` bits; and the
/// lower half of the first argument, which is all of a descriptor.
#[inline(always)]
pub const fn call_word(event: u32, argument: u32, tid: u32, since: u64) -> u64 {
    (event as u64) << (32 + CHECK) | check(tid, since) << 32 | argument as u64
}

/// The event and the argument of a word, if it is of this thread and this time.
///
/// A word of another thread is there if that stores into its entry although others, who take it for dead,
/// have given that to this one. A time of another call is there while a call begins or ends.
pub const fn call_of_word(word: u64, tid: u32, since: u64) -> Option<(u16, u32)> {
    let is_its = word != 0 && (word >> 32) & ((1 << CHECK) - 1) == check(tid, since);
    if is_its { Some((event_id((word >> (32 + CHECK)) as usize), word as u32)) } else { None }
}

const fn check(tid: u32, since: u64) -> u64 {
    (tid as u64 ^ since) & ((1 << CHECK) - 1)
}

const _: () = assert!(EVENTS <= 1 << (32 - CHECK));
