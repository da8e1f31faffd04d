//! From the times in the buffers to those that are shown.

use abi::buffer::Clock;
use abi::clock::TraceClock;
use control::Clocks;

/// Nanoseconds of a unit of `uptime`: the kernel shows its jiffies as ticks of 100 a second.
const UPTIME_UNIT: u64 = 10_000_000;

/// What ties a buffer's clock to the one that its times are shown in: moments at which both were read.
///
/// Between two moments the time goes evenly, so a rate that the kernel adjusts in between (as NTP does) is
/// off by that for a part of the stretch. Before the first moment and after the last it goes as in the
/// nearest stretch. Where the machine was suspended or the time was set between two moments, it goes on as
/// before up to the later one, and stands still where that is less. Where the time was set back it goes on as
/// if it had not been.
#[derive(Debug, Clone)]
pub struct Timeline {
    written: Clock,
    shown: TraceClock,
    stretches: Vec<Stretch>,
}

/// From a moment to the next: `nanoseconds = start_ns + (ticks - start_ticks) * rate / 2^SHIFT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    start_ticks: u64,
    start_ns: u64,
    rate: u64,
}

const SHIFT: u32 = 40;

impl Timeline {
    /// From times `written` to those `shown`, through these moments, which are in order.
    pub fn new(written: Clock, shown: TraceClock, moments: &[Clocks]) -> Timeline {
        let clock = column(shown);
        let moments = in_order(moments, clock);
        let pairs = || moments.iter().zip(moments.iter().skip(1));
        let even = |(from, to): (&Clocks, &Clocks)| {
            if to.have_stepped_since(from) { None } else { rate(from, to, clock) }
        };
        // With nothing better, that of the clock which goes on whatever happens.
        let any =
            pairs().find_map(even).or_else(|| pairs().find_map(|(from, to)| rate(from, to, |of| of.boot)));
        let mut last = any.unwrap_or(1 << SHIFT);
        let rates = pairs().map(even).chain([None]);
        let stretches = moments.iter().zip(rates).map(|(from, rate)| {
            last = rate.unwrap_or(last);
            Stretch { start_ticks: from.tsc, start_ns: clock(from), rate: last }
        });
        Timeline { written, shown, stretches: stretches.collect() }
    }

    /// The clock that times are shown in.
    pub fn shown(&self) -> TraceClock {
        self.shown
    }

    /// The time to be shown for one that was written: nanoseconds, but for `counter`, `uptime` and `x86-tsc`.
    /// Never decreases as `written` increases.
    pub fn time(&self, written: u64) -> u64 {
        self.time_near(written, &mut 0)
    }

    /// The time of one of many: `stretch` says where the one before was found, and now where this one is.
    /// Cost: 5 ns where that is the same.
    #[inline]
    pub fn time_near(&self, written: u64, stretch: &mut usize) -> u64 {
        let is_converted = self.written == Clock::Tsc && self.shown != TraceClock::X86Tsc;
        let time = if is_converted { self.nanoseconds(written, stretch) } else { written };
        if self.shown == TraceClock::Uptime { time / UPTIME_UNIT } else { time }
    }

    /// Nanoseconds, whatever clock is shown, for a time that is in a record: of two the difference says how
    /// long something took. A clock without nanoseconds, `counter`, stays as it is. `stretch` as in
    /// [`Timeline::time_near`].
    pub fn nanoseconds_near(&self, written: u64, stretch: &mut usize) -> u64 {
        if self.written == Clock::Tsc { self.nanoseconds(written, stretch) } else { written }
    }

    #[inline]
    fn nanoseconds(&self, ticks: u64, number: &mut usize) -> u64 {
        let is_after = |stretch: &Stretch| stretch.start_ticks <= ticks;
        let from = |number| self.stretches.get(number..).unwrap_or_default();
        let is_there = matches!(from(*number), [this, rest @ ..]
            if is_after(this) && !rest.first().is_some_and(is_after));
        if !is_there {
            *number = self.stretches.partition_point(is_after).saturating_sub(1);
        }
        let [this, rest @ ..] = from(*number) else { return ticks };
        let time = this.at(ticks);
        // Neither rounding nor a suspension leads beyond where the next stretch starts.
        rest.first().map_or(time, |next| time.min(next.start_ns))
    }
}

/// Which of the clocks `shown` is made of.
fn column(shown: TraceClock) -> fn(&Clocks) -> u64 {
    match shown {
        TraceClock::MonoRaw => |clocks| clocks.mono_raw,
        TraceClock::Boot => |clocks| clocks.boot,
        TraceClock::Tai => |clocks| clocks.tai,
        _ => |clocks| clocks.mono,
    }
}

/// The moments at which neither the counter nor the clock is after what it was before.
fn in_order(moments: &[Clocks], clock: fn(&Clocks) -> u64) -> Vec<Clocks> {
    let mut kept: Vec<Clocks> = Vec::with_capacity(moments.len());
    for moment in moments {
        if kept.last().is_none_or(|last| moment.tsc > last.tsc && clock(moment) >= clock(last)) {
            kept.push(*moment);
        }
    }
    kept
}

/// How `clock` goes from one moment to a later one. Rounded up, so that the end comes out exactly.
fn rate(from: &Clocks, to: &Clocks, clock: fn(&Clocks) -> u64) -> Option<u64> {
    let ns = clock(to).checked_sub(clock(from))?;
    let ticks = to.tsc.checked_sub(from.tsc).filter(|ticks| *ticks > 0)?;
    u64::try_from((u128::from(ns) << SHIFT).div_ceil(u128::from(ticks))).ok()
}

impl Stretch {
    fn at(&self, ticks: u64) -> u64 {
        let scale = |ticks: u64| ((u128::from(ticks) * u128::from(self.rate)) >> SHIFT) as u64;
        match ticks.checked_sub(self.start_ticks) {
            Some(passed) => self.start_ns.saturating_add(scale(passed)),
            None => self.start_ns.saturating_sub(scale(self.start_ticks - ticks)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All clocks at the same time, but for the time of day.
    fn moment(tsc: u64, ns: u64) -> Clocks {
        Clocks { tsc, mono: ns, mono_raw: ns, boot: ns, tai: ns + 1_000_000_000_000 }
    }

    fn mono(moments: &[Clocks]) -> Timeline {
        Timeline::new(Clock::Tsc, TraceClock::Mono, moments)
    }

    #[test]
    fn the_moments_themselves_are_exact() {
        let line = mono(&[moment(1000, 50), moment(3000, 1050), moment(6000, 2100)]);
        assert_eq!([1000, 2000, 3000, 6000].map(|ticks| line.time(ticks)), [50, 550, 1050, 2100]);
        assert_eq!(line.time(800), 0, "before the first at the first's rate, not below 0");
        assert_eq!(line.time(9000), 3150, "after the last at the last's");
    }

    #[test]
    fn time_never_goes_back() {
        let line = mono(&[moment(7, 3), moment(1_000_003, 384_617), moment(2_000_011, 769_231)]);
        let (mut last, mut stretch) = (0, 0);
        for ticks in (0..2_100_000).step_by(7) {
            let now = line.time(ticks);
            assert!(now >= last, "at {ticks}");
            assert_eq!(line.time_near(ticks, &mut stretch), now, "at {ticks}");
            last = now;
        }
    }

    #[test]
    fn where_it_is_looked_for_first_changes_nothing() {
        let line = mono(&[moment(1000, 50), moment(3000, 1050), moment(6000, 2100)]);
        for ticks in [0, 999, 1000, 2999, 3000, 5999, 6000, 9000] {
            for guess in [0, 1, 2, 3, usize::MAX] {
                assert_eq!(line.time_near(ticks, &mut guess.clone()), line.time(ticks), "{ticks}, {guess}");
            }
        }
    }

    #[test]
    fn an_hour_at_full_rate_does_not_overflow() {
        let hour = 3600 * 5_000_000_000u64;
        let line = mono(&[moment(0, 0), moment(hour, 3_600_000_000_000)]);
        let error = line.time(hour * 24).abs_diff(24 * 3_600_000_000_000);
        assert!(error < 1000, "{error} ns after a day");
    }

    #[test]
    fn what_is_no_counter_stays_what_it_is() {
        let moments = [moment(5, 100), moment(10, 200)];
        let shown = |written, shown| Timeline::new(written, shown, &moments).time(1_234_567_890);
        assert_eq!(shown(Clock::Monotonic, TraceClock::Mono), 1_234_567_890);
        assert_eq!(shown(Clock::Counter, TraceClock::Counter), 1_234_567_890);
        assert_eq!(shown(Clock::Tsc, TraceClock::X86Tsc), 1_234_567_890);
        assert_eq!(shown(Clock::Monotonic, TraceClock::Uptime), 123, "hundredths of a second");
    }

    /// Two seconds awake, an hour suspended, two seconds awake; 2 ticks are a nanosecond.
    fn suspended() -> [Clocks; 4] {
        const SECOND: u64 = 1_000_000_000;
        let asleep = 3600 * SECOND;
        [0, 2, 2, 4]
            .map(|second| second * SECOND)
            .map(|ns| ns + SECOND)
            .iter()
            .zip([0, 0, asleep, asleep])
            .map(|(ns, gone)| Clocks {
                tsc: 2 * (ns + gone) + 7,
                boot: ns + gone,
                tai: ns + gone + SECOND,
                ..moment(0, *ns)
            })
            .collect::<Vec<_>>()
            .try_into()
            .unwrap()
    }

    #[test]
    fn a_suspension_is_seen_by_boot_and_not_by_mono() {
        const SECOND: u64 = 1_000_000_000;
        let moments = suspended();
        let [_, before, after, _] = moments;
        let quarter = SECOND / 2;
        let (mono, boot) = (mono(&moments), Timeline::new(Clock::Tsc, TraceClock::Boot, &moments));
        assert_eq!(mono.time(before.tsc - quarter), 3 * SECOND - SECOND / 4);
        assert_eq!(mono.time(before.tsc + quarter), 3 * SECOND, "it stands still");
        assert_eq!(mono.time(after.tsc + quarter), 3 * SECOND + SECOND / 4);
        assert_eq!(boot.time(before.tsc + quarter), 3 * SECOND + SECOND / 4);
        assert_eq!(boot.time(after.tsc + quarter), 3603 * SECOND + SECOND / 4);
    }

    #[test]
    fn a_time_that_was_set_is_taken_from_the_next_moment_on() {
        const SECOND: u64 = 1_000_000_000;
        let mut moments: Vec<Clocks> =
            (1..5).map(|second| moment(second * SECOND, second * SECOND)).collect();
        let base = moments[0].tai - SECOND;
        let tai = |moments: &[Clocks]| Timeline::new(Clock::Tsc, TraceClock::Tai, moments);
        moments[2].tai += 60 * SECOND;
        moments[3].tai += 60 * SECOND;
        let ahead = tai(&moments);
        assert_eq!(ahead.time(2 * SECOND + 5), base + 2 * SECOND + 5);
        assert_eq!(ahead.time(3 * SECOND + 5), base + 63 * SECOND + 5);
        moments[2].tai -= 120 * SECOND;
        moments[3].tai -= 120 * SECOND;
        let back = tai(&moments);
        assert_eq!(back.time(4 * SECOND), base + 4 * SECOND, "as if nothing had been");
        assert_eq!(mono(&moments).time(4 * SECOND), 4 * SECOND);
    }
}
