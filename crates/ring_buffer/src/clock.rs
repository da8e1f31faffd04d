//! Reading a buffer's clock.

use crate::arch;
use crate::buffer::Buffer;
use abi::buffer::Clock;
use core::sync::atomic::Ordering::Relaxed;
use libc::{CLOCK_BOOTTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_TAI};
use libc::{clock_gettime, clockid_t, timespec};

/// The processor's time stamp counter.
///
/// Cost: some 10 ns where it is virtualized. Async-signal-safe.
#[inline(always)]
pub fn ticks() -> u64 {
    arch::ticks()
}

/// Nanoseconds of `CLOCK_MONOTONIC`, from the vDSO: some 20 ns. Async-signal-safe.
pub fn monotonic() -> u64 {
    nanoseconds(CLOCK_MONOTONIC)
}

impl Buffer {
    /// The time now, in units of the buffer's clock; of [`Clock::Counter`] the count of events that were
    /// begun.
    ///
    /// No system call: the processor's counter is an instruction, the clocks are read from the vDSO, the
    /// number is a load. Cost: some 10 ns where the processor's counter is virtualized, the clocks some
    /// 20 ns. Async-signal-safe.
    // Relaxed: the counter carries nothing but itself.
    pub fn now(&self) -> u64 {
        match self.geometry().clock {
            Clock::Tsc => arch::ticks(),
            Clock::Monotonic => monotonic(),
            Clock::MonotonicRaw => nanoseconds(CLOCK_MONOTONIC_RAW),
            Clock::Boot => nanoseconds(CLOCK_BOOTTIME),
            Clock::Tai => nanoseconds(CLOCK_TAI),
            Clock::Counter => self.header().counter.load(Relaxed),
        }
    }

    /// The time of an event for which `time` was found: the next count, where events are counted.
    // Relaxed: the counts are in the order of the counter's own changes (R11), and on a CPU the section sees
    // to it that none comes after a greater one.
    pub(crate) fn event_time(&self, time: u64) -> u64 {
        match self.geometry().clock {
            Clock::Counter => self.header().counter.fetch_add(1, Relaxed).wrapping_add(1).max(time),
            _ => time,
        }
    }
}

fn nanoseconds(clock: clockid_t) -> u64 {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is there to be written.
    unsafe { clock_gettime(clock, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}
