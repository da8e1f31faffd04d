//! Several clocks at one moment.

use abi::clock::ClockWords;
use core::sync::atomic::Ordering::Relaxed;
use rustix::time::ClockId::{Boottime, Monotonic, MonotonicRaw, Realtime};
use rustix::time::DynamicClockId::{self, Known, Tai};
use rustix::time::clock_gettime_dynamic;

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
    /// `CLOCK_TAI`, in ns.
    pub tai: u64,
}

/// What is read, in addition to the counter.
const CLOCKS: [DynamicClockId<'static>; 4] = [Known(Monotonic), Known(MonotonicRaw), Known(Boottime), Tai];

/// How often the clocks are read to find a moment at which nothing came in between.
const TRIES: usize = 5;

/// A difference between two clocks that has changed by so many ns was changed by somebody: rounding and the
/// adjustment of rates come to far less from one reading to the next.
const STEP: u64 = 1_000_000;

impl Clocks {
    /// Reads the clocks. No system call; some 2 us.
    ///
    /// They are read one after the other and then in the opposite order, so the two readings of each lie
    /// around the same moment, which is that of the counter's. Of some tries the quickest counts. So all are
    /// within some ns of each other, as long as nothing comes in between.
    pub fn now() -> Clocks {
        let quickest = (0..TRIES).map(|_| Clocks::attempt()).min_by_key(|(width, _)| *width);
        quickest.map_or_else(Clocks::default, |(_, clocks)| clocks)
    }

    /// One reading, and how many ticks it took.
    fn attempt() -> (u64, Clocks) {
        let before = ticks();
        let first = CLOCKS.map(nanoseconds);
        let [tai, boot, mono_raw, mono] = [3, 2, 1, 0].map(|index| nanoseconds(CLOCKS[index]));
        let width = ticks().wrapping_sub(before);
        let middle = |first: u64, second: u64| first.wrapping_add(second.wrapping_sub(first) / 2);
        let clocks = Clocks {
            tsc: before.wrapping_add(width / 2),
            mono: middle(first[0], mono),
            mono_raw: middle(first[1], mono_raw),
            boot: middle(first[2], boot),
            // It may have been set back in between.
            tai: if tai < first[3] { tai } else { middle(first[3], tai) },
        };
        (width, clocks)
    }

    /// How many ns `CLOCK_TAI` is ahead of `CLOCK_REALTIME` now: whole seconds, none where nobody has told
    /// the kernel of leap seconds.
    pub fn tai_ahead() -> u64 {
        let (real, tai) = (nanoseconds(Known(Realtime)), nanoseconds(Tai));
        // The time between the readings is taken off.
        tai.saturating_sub(real) / 1_000_000_000 * 1_000_000_000
    }

    /// Whether the clocks have moved against each other since `before`: the machine was suspended, or the
    /// time of day was set.
    pub fn have_stepped_since(&self, before: &Clocks) -> bool {
        self.was_suspended_since(before) || self.has_moved(|clocks| clocks.tai, before)
    }

    /// Whether the machine was suspended since `before`.
    pub(crate) fn was_suspended_since(&self, before: &Clocks) -> bool {
        self.has_moved(|clocks| clocks.boot, before)
    }

    /// Whether a clock has moved against `CLOCK_MONOTONIC` since `before`.
    fn has_moved(&self, clock: fn(&Clocks) -> u64, before: &Clocks) -> bool {
        let difference = |clocks: &Clocks| clock(clocks).wrapping_sub(clocks.mono).cast_signed();
        difference(self).abs_diff(difference(before)) > STEP
    }

    // Relaxed: stored before the file, or the entry, is handed on.
    pub(crate) fn load(words: &ClockWords) -> Clocks {
        Clocks {
            tsc: words.tsc.load(Relaxed),
            mono: words.mono.load(Relaxed),
            mono_raw: words.mono_raw.load(Relaxed),
            boot: words.boot.load(Relaxed),
            tai: words.tai.load(Relaxed),
        }
    }

    // Relaxed: see `load`.
    pub(crate) fn store(&self, words: &ClockWords) {
        words.tsc.store(self.tsc, Relaxed);
        words.mono.store(self.mono, Relaxed);
        words.mono_raw.store(self.mono_raw, Relaxed);
        words.boot.store(self.boot, Relaxed);
        words.tai.store(self.tai, Relaxed);
    }
}

/// The time of a clock that every Linux has.
fn nanoseconds(clock: DynamicClockId<'_>) -> u64 {
    clock_gettime_dynamic(clock).map_or(0, |time| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has the counter.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_go_on_together_have_not_stepped() {
        let before = Clocks { tsc: 1, mono: 5_000, mono_raw: 5_000, boot: 9_000, tai: 1 << 60 };
        let later = |boot: u64, tai: u64| Clocks {
            mono: before.mono + 2_000_000_000,
            boot: before.boot + 2_000_000_000 + boot,
            tai: before.tai.wrapping_add(2_000_000_000).wrapping_add(tai),
            ..before
        };
        assert!(!later(0, 0).have_stepped_since(&before) && !later(300, 200).have_stepped_since(&before));
        assert!(later(1 << 30, 1 << 30).have_stepped_since(&before), "suspended");
        assert!(later(0, 0_u64.wrapping_sub(1 << 30)).have_stepped_since(&before), "set back");
    }

    #[test]
    fn what_is_read_is_of_one_moment() {
        let (before, now) = (nanoseconds(Known(Monotonic)), Clocks::now());
        let after = nanoseconds(Known(Monotonic));
        assert!((before..=after).contains(&now.mono), "{before}, {now:?}, {after}");
        assert!(!Clocks::now().have_stepped_since(&now));
    }
}
