//! How fast the time stamp counter goes, so that traced programs can count durations in nanoseconds.
//!
//! Whoever makes a session measures the rate meanwhile; whoever reads the clocks later refines it, because it
//! is known the better the longer the session has been there.

use crate::area::ControlArea;
use crate::clocks::Clocks;
use core::sync::atomic::Ordering::Relaxed;

/// Bits of a rate after the point.
const SHIFT: u32 = 32;

/// A reading of the clocks by which the rate would differ by more than this part of it is of other clocks: in
/// another time namespace, or of a counter that was reset.
const ODD: u64 = 100;

/// Nanoseconds in a tick of the time stamp counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TickRate(u64);

impl TickRate {
    /// How the counter has gone from one moment to a later one, by `CLOCK_MONOTONIC`. None where one of them
    /// has not moved on.
    fn between(from: &Clocks, to: &Clocks) -> Option<TickRate> {
        let ns = to.mono.checked_sub(from.mono)?;
        let ticks = to.tsc.checked_sub(from.tsc).filter(|ticks| *ticks > 0)?;
        let rate = u64::try_from((u128::from(ns) << SHIFT) / u128::from(ticks)).ok()?;
        Some(TickRate(rate)).filter(|rate| rate.0 != 0)
    }

    /// So many ticks, in nanoseconds.
    #[inline(always)]
    pub fn nanoseconds(self, ticks: u64) -> u64 {
        ((u128::from(ticks) * u128::from(self.0)) >> SHIFT) as u64
    }
}

impl ControlArea {
    /// Has durations counted by the time stamp counter, whose rate is that since the session was made.
    /// Without this they are counted by `CLOCK_MONOTONIC`.
    // Relaxed: stored before the file gets its name.
    pub fn use_tick_rate(&self, now: &Clocks) {
        if let Some(rate) = TickRate::between(&self.identity().created, now) {
            self.header().tick_rate.store(rate.0, Relaxed);
        }
    }

    /// Makes the rate more exact by a later reading of the clocks, if there is a rate. Not once the machine
    /// was suspended: whether the counter went on then is not known.
    // Relaxed: the word carries nothing but itself; of two who refine it either may be the last.
    pub fn refine_tick_rate(&self, now: &Clocks) {
        let created = self.identity().created;
        let Some(TickRate(before)) = self.tick_rate().filter(|_| !now.was_suspended_since(&created)) else {
            return;
        };
        if let Some(TickRate(rate)) = TickRate::between(&created, now)
            && rate.abs_diff(before) <= before / ODD
        {
            self.header().tick_rate.store(rate, Relaxed);
        }
    }

    /// The rate by which durations are counted; None where that is done by `CLOCK_MONOTONIC`.
    // Relaxed: see above.
    #[inline(always)]
    pub fn tick_rate(&self) -> Option<TickRate> {
        Some(TickRate(self.header().tick_rate.load(Relaxed))).filter(|rate| rate.0 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(tsc: u64, mono: u64) -> Clocks {
        Clocks { tsc, mono, ..Clocks::default() }
    }

    #[test]
    fn ticks_become_nanoseconds() {
        let rate = TickRate::between(&at(1_000, 50), &at(2_600_001_000, 1_000_000_050)).unwrap();
        assert_eq!(rate.nanoseconds(26), 9, "rounded down");
        assert_eq!(rate.nanoseconds(2_600_000), 999_999);
        // A day, within a microsecond; and any number of ticks.
        let day = 86_400_000_000_000u64;
        assert!(rate.nanoseconds(86_400 * 2_600_000_000).abs_diff(day) < 60_000);
        assert!(rate.nanoseconds(u64::MAX) > u64::MAX / 3);
    }

    #[test]
    fn clocks_that_have_not_moved_on_make_no_rate() {
        assert_eq!(TickRate::between(&at(5, 5), &at(5, 9)), None);
        assert_eq!(TickRate::between(&at(5, 5), &at(4, 9)), None, "the counter was reset");
        assert_eq!(TickRate::between(&at(5, 5), &at(9, 4)), None);
        assert_eq!(TickRate::between(&at(5, 5), &at(9, 5)), None);
    }
}
