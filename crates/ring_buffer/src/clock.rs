//! Reading a buffer's clock.

use crate::arch;
use crate::buffer::Buffer;
use abi::buffer::Clock;
use core::ffi::{c_int, c_void};
use core::mem::transmute;
use core::ptr::null_mut;
use core::sync::atomic::AtomicPtr;
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

/// The clock by which durations are counted: the time stamp counter where its rate is known, else
/// [`monotonic`]. Async-signal-safe.
#[inline(always)]
pub fn duration_time(has_rate: bool) -> u64 {
    if has_rate { ticks() } else { monotonic() }
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

/// clock_gettime(2).
pub type ClockGettime = unsafe extern "C" fn(clockid_t, *mut timespec) -> c_int;

/// Which function reads clocks; null for the linked one.
static CLOCK_GETTIME: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Has clocks read by `function`. An object that defines clock_gettime(2) itself, and has the calls of it
/// recorded, needs that: reading the time of such a call would be another one.
///
/// # Safety
///
/// It is libc's function, and stays loaded.
// Relaxed: the function was there before the process could load this address.
pub unsafe fn read_clocks_by(function: ClockGettime) {
    CLOCK_GETTIME.store(function as *mut c_void, Relaxed);
}

// Relaxed: as in `read_clocks_by`.
fn nanoseconds(clock: clockid_t) -> u64 {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    let function = CLOCK_GETTIME.load(Relaxed);
    // SAFETY: only a function of this type is stored there. The time is there to be written.
    unsafe {
        match function.is_null() {
            true => clock_gettime(clock, &mut time),
            false => transmute::<*mut c_void, ClockGettime>(function)(clock, &mut time),
        }
    };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}
