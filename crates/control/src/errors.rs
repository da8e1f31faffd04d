//! Errors that take snapshots.

use crate::area::ControlArea;
use abi::control::ErrorSet;
use core::sync::atomic::Ordering::{AcqRel, Relaxed};

/// Nanoseconds after an error's snapshot in which other errors of the session take none: what fails often
/// would push out of the session what led to the first.
const COOL_DOWN: u64 = 1_000_000_000;

impl ControlArea {
    /// The errors that take snapshots. Async-signal-safe. Cost: a load.
    // Relaxed: the word carries nothing but itself.
    #[inline]
    pub fn errors(&self) -> ErrorSet {
        ErrorSet(self.header().errors.load(Relaxed))
    }

    /// Says which errors take snapshots, from now on. Processes that have no handler for a signal that now
    /// counts get it when they start.
    // Relaxed: see `errors`.
    pub fn set_errors(&self, errors: ErrorSet) {
        self.header().errors.store(errors.0, Relaxed);
    }

    /// Whether an error may take a snapshot at `now`: not if another has taken one less than a second before,
    /// which is counted. True for one of those that ask at the same time. Async-signal-safe.
    ///
    /// The time is a reading of the clock that durations are counted by.
    // AcqRel: of two that ask at the same time, one sees the other's store.
    pub fn claim_error(&self, now: u64) -> bool {
        let within = |before: u64| before != 0 && self.passed_since(before, now) < COOL_DOWN;
        let claim = |before| (!within(before)).then_some(now.max(1));
        let is_claimed = self.header().error_time.fetch_update(AcqRel, Relaxed, claim).is_ok();
        if !is_claimed {
            self.header().errors_within.fetch_add(1, Relaxed);
        }
        is_claimed
    }

    /// How many errors took no snapshot, as another had taken one just before.
    // Relaxed: a count.
    pub fn errors_within(&self) -> u64 {
        self.header().errors_within.load(Relaxed)
    }
}
