//! How many errors of a call there were just now: in a counter that all processes share.
//!
//! A window begins with the first error after the last one is over, so that a burst is in one. The counter
//! has when it began, and how many there were since:
//!
//! ```text
//! bits  0..22   errors in the window
//! bits 22..48   when it began, by the clock of durations, in units of 2^20
//! bits 48..64   the counter's stamp
//! ```

use crate::area::ControlArea;
use abi::control::{Counter, CounterRef};
use core::sync::atomic::Ordering::{AcqRel, Acquire};
use event_trigger::ErrorRate;

const ERRORS: u64 = (1 << 22) - 1;
const START: u64 = (1 << 26) - 1;
/// How coarse the time is: about a millisecond, or a third of one.
const UNIT: u32 = 20;

impl ControlArea {
    /// Counts an error, at `now` by the clock that durations are counted by. Whether it is the first one too
    /// many in its window.
    ///
    /// Async-signal-safe. Of the processes that count at the same time one is told so.
    // AcqRel, Acquire: as in `take_count`: of several that count at once each takes another place.
    pub fn count_error(&self, counter: CounterRef, rate: ErrorRate, now: u64) -> bool {
        let Some(word) = counter.index().and_then(|index| self.counters().get(index)) else { return false };
        let at = now >> UNIT & START;
        let next = |found: u64| {
            let (errors, start) = (found & ERRORS, found >> 22 & START);
            let passed = self.passed_since(0, (at.wrapping_sub(start) & START) << UNIT);
            let goes_on = errors > 0 && passed < rate.period.nanoseconds();
            if goes_on { start << 22 | (errors + 1).min(ERRORS) } else { at << 22 | 1 }
        };
        let counted = word.fetch_update(AcqRel, Acquire, |word| {
            let found = Counter(word);
            (found.stamp() == counter.stamp()).then(|| Counter::new(found.stamp(), next(found.left())).0)
        });
        counted.is_ok_and(|before| next(Counter(before).left()) & ERRORS == u64::from(rate.limit) + 1)
    }
}
