//! Several clocks at one moment.

use abi::control::ClockWords;
use core::sync::atomic::Ordering::Relaxed;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// The clocks, read together: what ties the buffer's ticks to the clocks of people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clocks {
    /// The processor's time stamp counter.
    pub tsc: u64,
    /// `CLOCK_MONOTONIC`, in ns.
    pub mono: u64,
    /// `CLOCK_MONOTONIC_RAW`, in ns.
    pub mono_raw: u64,
    /// `CLOCK_BOOTTIME`, in ns.
    pub boot: u64,
    /// `CLOCK_REALTIME`, in ns.
    pub real: u64,
}

/// How often the clocks are read to find a moment at which nothing came in between.
const TRIES: usize = 5;

impl Clocks {
    /// Reads the clocks. The counter is read before and after; of some tries the quickest counts, so the
    /// others are within some 50 ns of the counter's value. No system call.
    pub fn now() -> Clocks {
        let quickest = (0..TRIES).map(|_| Clocks::attempt()).min_by_key(|(width, _)| *width);
        quickest.map_or_else(Clocks::default, |(_, clocks)| clocks)
    }

    fn attempt() -> (u64, Clocks) {
        let before = ticks();
        let mut clocks = Clocks {
            tsc: 0,
            mono: nanoseconds(clock_gettime(ClockId::Monotonic)),
            mono_raw: nanoseconds(clock_gettime(ClockId::MonotonicRaw)),
            boot: nanoseconds(clock_gettime(ClockId::Boottime)),
            real: nanoseconds(clock_gettime(ClockId::Realtime)),
        };
        let width = ticks().wrapping_sub(before);
        clocks.tsc = before.wrapping_add(width / 2);
        (width, clocks)
    }

    pub(crate) fn load(words: &ClockWords) -> Clocks {
        Clocks {
            tsc: words.tsc.load(Relaxed),
            mono: words.mono.load(Relaxed),
            mono_raw: words.mono_raw.load(Relaxed),
            boot: words.boot.load(Relaxed),
            real: words.real.load(Relaxed),
        }
    }

    pub(crate) fn store(&self, words: &ClockWords) {
        words.tsc.store(self.tsc, Relaxed);
        words.mono.store(self.mono, Relaxed);
        words.mono_raw.store(self.mono_raw, Relaxed);
        words.boot.store(self.boot, Relaxed);
        words.real.store(self.real, Relaxed);
    }
}

fn nanoseconds(time: Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has the counter.
    unsafe { core::arch::x86_64::_rdtsc() }
}
