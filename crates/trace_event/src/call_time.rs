//! The clock by which calls are timed.

use crate::current;

/// A reading of the clock by which calls are timed: ticks of the time stamp counter, or, where the kernel
/// doesn't trust that, nanoseconds of `CLOCK_MONOTONIC`. 0 where there is no session.
///
/// Cost: that of the reading, 10 ns where the counter is virtualized. Async-signal-safe, no system call where
/// the vDSO knows the clock.
#[inline(always)]
pub fn call_time() -> u64 {
    match current::shared() {
        Some(shared) => ring_buffer::duration_time(shared.control.tick_rate().is_some()),
        None => 0,
    }
}

/// As [`call_time`] where that is the time stamp counter: None where it isn't. Nothing is called for it.
#[inline(always)]
pub fn call_ticks() -> Option<u64> {
    current::shared().filter(|shared| shared.control.tick_rate().is_some()).map(|_| ring_buffer::ticks())
}

/// Nanoseconds from one reading of [`call_time`] to a later one; 0 where the clock was set back in between.
#[inline(always)]
pub fn nanoseconds(from: u64, to: u64) -> u64 {
    let passed = to.saturating_sub(from);
    let rate = current::shared().and_then(|shared| shared.control.tick_rate());
    rate.map_or(passed, |rate| rate.nanoseconds(passed))
}
