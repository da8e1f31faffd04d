//! Which clock the buffer of a session has, for the one that its times are to be shown in.

use crate::Error;
use abi::buffer::Clock;
use abi::clock::TraceClock;
use std::fs::read_to_string;

/// The clock that the kernel calls `name`.
pub fn trace_clock(name: &str) -> Result<TraceClock, Error> {
    let found = TraceClock::ALL.into_iter().find(|clock| clock.name() == name);
    found.ok_or_else(|| Error::NoSuchClock { name: name.to_string() })
}

/// How far the time stamp counter of a machine can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tsc {
    /// Not at all: its rate changes, it stops, or it differs between CPUs.
    Unstable,
    /// It goes evenly as long as the machine is awake, and may start again after a suspension.
    UntilSuspend,
    /// It goes evenly, always.
    Stable,
}

impl Tsc {
    /// That of this machine, as the kernel has found it.
    pub fn of_this_machine() -> Tsc {
        let text = |path: &str| read_to_string(path).unwrap_or_default();
        Tsc::from_texts(
            &text("/proc/cpuinfo"),
            &text("/sys/devices/system/clocksource/clocksource0/available_clocksource"),
            &text("/sys/power/mem_sleep"),
        )
    }

    /// What these files say: the flags of the processors, the clock sources that the kernel has left, and how
    /// the machine is suspended.
    fn from_texts(cpuinfo: &str, sources: &str, mem_sleep: &str) -> Tsc {
        let flags = cpuinfo.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
        let has = |wanted| flags.split_whitespace().any(|flag| flag == wanted);
        let is_source = sources.split_whitespace().any(|source| source == "tsc");
        if !has("constant_tsc") || !has("nonstop_tsc") || !is_source {
            Tsc::Unstable
        } else if mem_sleep.contains("[deep]") && !has("nonstop_tsc_s3") {
            Tsc::UntilSuspend
        } else {
            Tsc::Stable
        }
    }
}

/// What is to be written into the pages, so that readers can show `clock`.
///
/// That is the counter, whose ticks cost least and can be turned into any of the clocks; where it can't be
/// trusted, the clock itself. Who asks for `boot` wants to see suspensions, so for that the counter has to
/// outlast them. Who asks for the counter gets it.
pub(crate) fn written(clock: TraceClock, tsc: Tsc) -> Clock {
    match (clock, tsc) {
        (TraceClock::Counter, _) => Clock::Counter,
        (TraceClock::X86Tsc, _) | (_, Tsc::Stable) => Clock::Tsc,
        (TraceClock::Boot, _) => Clock::Boot,
        (_, Tsc::UntilSuspend) => Clock::Tsc,
        (TraceClock::MonoRaw, Tsc::Unstable) => Clock::MonotonicRaw,
        (TraceClock::Tai, Tsc::Unstable) => Clock::Tai,
        (_, Tsc::Unstable) => Clock::Monotonic,
    }
}

/// Whether durations are counted by the counter: where it is trusted, and where it is written.
pub(crate) fn counts_durations(clock: TraceClock, tsc: Tsc) -> bool {
    tsc != Tsc::Unstable || written(clock, tsc) == Clock::Tsc
}

/// Whether readers of a buffer with times `written` can show `clock`.
pub(crate) fn can_show(written_clock: Clock, clock: TraceClock) -> bool {
    [Tsc::Stable, Tsc::UntilSuspend, Tsc::Unstable].iter().any(|tsc| written(clock, *tsc) == written_clock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instance, Session};

    #[test]
    fn the_kernels_names_are_known() {
        assert_eq!(trace_clock("mono_raw").unwrap(), TraceClock::MonoRaw);
        assert!(TraceClock::ALL.iter().all(|clock| trace_clock(clock.name()).unwrap() == *clock));
        let error = trace_clock("monotonic").unwrap_err().to_string();
        assert!(error.contains("\"monotonic\"") && error.contains("mono_raw, boot"), "{error}");
        assert!(trace_clock("").is_err() && trace_clock("Mono").is_err());
    }

    #[test]
    fn the_counter_is_trusted_as_far_as_the_kernel_does() {
        let flags = "processor\t: 0\nflags\t\t: fpu tsc constant_tsc nonstop_tsc\n";
        let s3 = "flags\t\t: tsc constant_tsc nonstop_tsc nonstop_tsc_s3\n";
        assert_eq!(Tsc::from_texts(flags, "tsc hpet acpi_pm\n", ""), Tsc::Stable);
        assert_eq!(Tsc::from_texts(flags, "tsc kvm-clock\n", "[s2idle] deep\n"), Tsc::Stable);
        assert_eq!(Tsc::from_texts(flags, "tsc\n", "s2idle [deep]\n"), Tsc::UntilSuspend);
        assert_eq!(Tsc::from_texts(s3, "tsc\n", "s2idle [deep]\n"), Tsc::Stable);
        assert_eq!(Tsc::from_texts(flags, "hpet acpi_pm\n", ""), Tsc::Unstable, "the kernel has given it up");
        assert_eq!(Tsc::from_texts("flags\t\t: tsc nonstop_tsc\n", "tsc\n", ""), Tsc::Unstable);
        assert_eq!(Tsc::from_texts("", "", ""), Tsc::Unstable);
    }

    #[test]
    fn what_is_written_can_be_shown_in_other_clocks() {
        let directory = tempfile::tempdir().unwrap();
        let make = |name: &str, clock, tsc| {
            let options =
                crate::SessionOptions { buffer_kb: 64, clock, tsc, ..crate::SessionOptions::default() };
            Session::create(&directory.path().join(name), &options).unwrap()
        };
        let session = make("tsc", TraceClock::Mono, Tsc::Stable);
        assert!(session.trace_clocks().all(|clock| clock != TraceClock::Counter));
        for clock in session.trace_clocks() {
            session.set_trace_clock(clock).unwrap();
            assert_eq!(Instance::open(session.path()).unwrap().trace_clock(), clock);
        }
        assert!(matches!(session.set_trace_clock(TraceClock::Counter), Err(Error::OtherClock { .. })));
        assert_eq!(session.trace_clock(), TraceClock::X86Tsc, "the last one");
        let counter = make("counter", TraceClock::Counter, Tsc::Stable);
        assert_eq!(counter.trace_clocks().collect::<Vec<_>>(), [TraceClock::Counter]);
        let mono = make("mono", TraceClock::Mono, Tsc::Unstable);
        mono.set_trace_clock(TraceClock::Local).unwrap();
        assert!(mono.set_trace_clock(TraceClock::Boot).is_err());
    }

    #[test]
    fn without_the_counter_the_clock_itself_is_written() {
        let written_without = |clock| written(clock, Tsc::Unstable);
        assert_eq!(written_without(TraceClock::Local), Clock::Monotonic);
        assert_eq!(written_without(TraceClock::Uptime), Clock::Monotonic);
        assert_eq!(written_without(TraceClock::MonoRaw), Clock::MonotonicRaw);
        assert_eq!(written_without(TraceClock::Tai), Clock::Tai);
        assert_eq!(written_without(TraceClock::X86Tsc), Clock::Tsc);
        assert_eq!(written(TraceClock::Boot, Tsc::UntilSuspend), Clock::Boot);
        assert_eq!(written(TraceClock::Mono, Tsc::UntilSuspend), Clock::Tsc);
        assert!(TraceClock::ALL.iter().all(|clock| {
            let written = written(*clock, Tsc::Stable);
            written == Clock::Tsc || (*clock, written) == (TraceClock::Counter, Clock::Counter)
        }));
    }
}
