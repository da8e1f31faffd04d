//! What times are counted in: in the pages, and where they are shown.

use crate::atomic::AtomicU64;

/// The clock whose units are in the pages.
///
/// Times do not decrease within a CPU's block, whichever it is: an event gets the time of the one before
/// where the clock says an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Clock {
    /// The processor's time stamp counter, in its own ticks. Readers turn it into what they want.
    Tsc = 1,
    /// `CLOCK_MONOTONIC` in nanoseconds.
    Monotonic = 2,
    /// `CLOCK_MONOTONIC_RAW` in nanoseconds.
    MonotonicRaw = 3,
    /// `CLOCK_BOOTTIME` in nanoseconds.
    Boot = 4,
    /// `CLOCK_TAI` in nanoseconds. When it is set back, events keep the last time until it has caught up.
    Tai = 5,
    /// A number that all CPUs count on, from 1: the order in which events were written.
    Counter = 6,
}

impl Clock {
    /// All of them.
    pub const ALL: [Clock; 6] =
        [Clock::Tsc, Clock::Monotonic, Clock::MonotonicRaw, Clock::Boot, Clock::Tai, Clock::Counter];

    /// The clock that a header's word names.
    pub const fn from_word(word: u32) -> Option<Clock> {
        match word {
            1 => Some(Clock::Tsc),
            2 => Some(Clock::Monotonic),
            3 => Some(Clock::MonotonicRaw),
            4 => Some(Clock::Boot),
            5 => Some(Clock::Tai),
            6 => Some(Clock::Counter),
            _ => None,
        }
    }
}

/// The clock in which times are shown, one of those in the kernel's `trace_clock`.
///
/// Source: `trace_clocks` in `kernel/trace/trace.c` and the functions in `kernel/trace/trace_clock.c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum TraceClock {
    /// `local`. In the kernel a CPU's own clock; here [`TraceClock::Mono`].
    Local = 1,
    /// `global`. In the kernel the same, in order on all CPUs; here [`TraceClock::Mono`].
    Global = 2,
    /// `counter`: no time, but the order of the events of all CPUs, from 1.
    Counter = 3,
    /// `uptime`: hundredths of a second since the start of the machine, without the time of its suspension.
    /// The kernel counts its jiffies and shows them in these units.
    Uptime = 4,
    /// `perf`. In the kernel that of perf(1); here [`TraceClock::Mono`].
    Perf = 5,
    /// `mono`: nanoseconds of `CLOCK_MONOTONIC`, which stands still while the machine is suspended.
    Mono = 6,
    /// `mono_raw`: nanoseconds of `CLOCK_MONOTONIC_RAW`, whose rate nobody adjusts.
    MonoRaw = 7,
    /// `boot`: nanoseconds of `CLOCK_BOOTTIME`, which goes on while the machine is suspended.
    Boot = 8,
    /// `tai`: nanoseconds of `CLOCK_TAI`, the time of day without leap seconds.
    Tai = 9,
    /// `x86-tsc`: ticks of the processor's time stamp counter.
    X86Tsc = 10,
}

impl TraceClock {
    /// All of them, in the kernel's order.
    pub const ALL: [TraceClock; 10] = [
        TraceClock::Local,
        TraceClock::Global,
        TraceClock::Counter,
        TraceClock::Uptime,
        TraceClock::Perf,
        TraceClock::Mono,
        TraceClock::MonoRaw,
        TraceClock::Boot,
        TraceClock::Tai,
        TraceClock::X86Tsc,
    ];

    /// The kernel's name.
    pub const fn name(self) -> &'static str {
        match self {
            TraceClock::Local => "local",
            TraceClock::Global => "global",
            TraceClock::Counter => "counter",
            TraceClock::Uptime => "uptime",
            TraceClock::Perf => "perf",
            TraceClock::Mono => "mono",
            TraceClock::MonoRaw => "mono_raw",
            TraceClock::Boot => "boot",
            TraceClock::Tai => "tai",
            TraceClock::X86Tsc => "x86-tsc",
        }
    }

    /// The clock that a header's word names.
    pub fn from_word(word: u32) -> Option<TraceClock> {
        TraceClock::ALL.into_iter().find(|clock| *clock as u32 == word)
    }
}

/// Several clocks read at one moment.
#[derive(Debug)]
#[repr(C)]
pub struct ClockWords {
    /// The processor's time stamp counter.
    pub tsc: AtomicU64,
    /// `CLOCK_MONOTONIC`, in ns.
    pub mono: AtomicU64,
    /// `CLOCK_MONOTONIC_RAW`, in ns.
    pub mono_raw: AtomicU64,
    /// `CLOCK_BOOTTIME`, in ns.
    pub boot: AtomicU64,
    /// `CLOCK_TAI`, in ns.
    pub tai: AtomicU64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_word_of_its_own() {
        assert!(Clock::ALL.iter().all(|clock| Clock::from_word(*clock as u32) == Some(*clock)));
        assert_eq!((Clock::from_word(0), Clock::from_word(7)), (None, None));
        let all = TraceClock::ALL;
        assert!(all.iter().all(|clock| TraceClock::from_word(*clock as u32) == Some(*clock)));
        assert_eq!((TraceClock::from_word(0), TraceClock::from_word(11)), (None, None));
    }
}
