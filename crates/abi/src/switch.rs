//! What was said of events by a pattern of their names.

use core::sync::atomic::AtomicU64;

/// Bytes of a pattern.
pub const PATTERN: usize = 120;

/// What was said of all events that fit a pattern: for those that the session learns of later. Of several
/// that fit, the one with the highest number counts.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Switch {
    /// [`word`]; 0 when the entry is free, [`CLAIMED`] while it is filled.
    pub state: AtomicU64,
    /// `SYSTEM:EVENT` or either, with `*`, `?` and `[...]`; zeros behind it.
    pub pattern: [AtomicU64; PATTERN / 8],
}

/// The state of a [`Switch`] that is being filled.
pub const CLAIMED: u64 = u64::MAX;

/// The state of a [`Switch`]: the number of the change, and whether events were switched on.
pub const fn word(number: u64, on: bool) -> u64 {
    number << 1 | on as u64
}

const _: () = assert!(size_of::<Switch>() == 128);
