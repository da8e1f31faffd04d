//! Reading a buffer's clock.

use crate::arch;
use abi::buffer::Clock;
use libc::{CLOCK_BOOTTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_TAI};
use libc::{clock_gettime, clockid_t, timespec};

/// The time now, in units of `clock`. No system call: the counter is an instruction, the other clocks are
/// read from the vDSO. Cost: the counter some 10 ns where it is virtualized, the others some 20 ns.
pub fn now(clock: Clock) -> u64 {
    match clock {
        Clock::Tsc => arch::ticks(),
        Clock::Monotonic => nanoseconds(CLOCK_MONOTONIC),
        Clock::MonotonicRaw => nanoseconds(CLOCK_MONOTONIC_RAW),
        Clock::Boot => nanoseconds(CLOCK_BOOTTIME),
        Clock::Tai => nanoseconds(CLOCK_TAI),
    }
}

fn nanoseconds(clock: clockid_t) -> u64 {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is there to be written.
    unsafe { clock_gettime(clock, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}
