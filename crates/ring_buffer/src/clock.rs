//! Reading a buffer's clock.

use crate::arch;
use abi::buffer::Clock;
use libc::{CLOCK_MONOTONIC, clock_gettime, timespec};

/// The time now, in units of `clock`. Monotonic on one CPU. No system call: the counter is an
/// instruction, the other clock is read from the vDSO.
pub fn now(clock: Clock) -> u64 {
    match clock {
        Clock::Tsc => arch::ticks(),
        Clock::Monotonic => {
            let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
            // SAFETY: the time is there to be written.
            unsafe { clock_gettime(CLOCK_MONOTONIC, &mut time) };
            time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
        }
    }
}
