//! From the ticks in the buffers to the clocks of people.

use abi::buffer::Clock;
use control::Clocks;
use std::fs::read_to_string;

/// The clock for a new session: the time stamp counter, unless the kernel has found that it can't be
/// trusted on this machine.
pub fn choose() -> Clock {
    let constant = read_to_string("/proc/cpuinfo").is_ok_and(|info| {
        let flags = info.lines().find(|line| line.starts_with("flags"));
        flags.is_some_and(|flags| {
            let has = |wanted| flags.split_whitespace().any(|flag| flag == wanted);
            has("constant_tsc") && has("nonstop_tsc")
        })
    });
    let source = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
    let trusted =
        read_to_string(source).is_ok_and(|sources| sources.split_whitespace().any(|source| source == "tsc"));
    if constant && trusted { Clock::Tsc } else { Clock::Monotonic }
}

/// What ties a buffer's clock to `CLOCK_MONOTONIC`: moments at which both were read.
///
/// Between two moments the time goes evenly; before the first and behind the last as in the nearest pair.
/// The moments themselves are exact to some 50 ns.
#[derive(Debug, Clone)]
pub struct Timeline {
    clock: Clock,
    pieces: Vec<Piece>,
}

/// A stretch of time: `nanoseconds = start_ns + (ticks - start_ticks) * rate / 2^SHIFT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    start_ticks: u64,
    start_ns: u64,
    rate: u64,
}

const SHIFT: u32 = 40;

impl Timeline {
    /// The line through these moments, which are in order.
    pub fn new(clock: Clock, moments: &[Clocks]) -> Timeline {
        let pairs = moments.windows(2);
        let mut pieces: Vec<Piece> =
            pairs.filter_map(|pair| Piece::between(pair.first()?, pair.last()?)).collect();
        if pieces.is_empty() {
            let first = moments.first().copied().unwrap_or_default();
            pieces.push(Piece { start_ticks: first.tsc, start_ns: first.mono, rate: 1 << SHIFT });
        }
        Timeline { clock, pieces }
    }

    /// The time in ns of `CLOCK_MONOTONIC` for a time of the counter; of a clock that counts in ns its own.
    /// Never decreases as `ticks` increases.
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        if self.clock != Clock::Tsc {
            return ticks;
        }
        let behind = self.pieces.partition_point(|piece| piece.start_ticks <= ticks);
        let piece = self.pieces.get(behind.saturating_sub(1)).or(self.pieces.first());
        let next = self.pieces.get(behind);
        let time = piece.map_or(ticks, |piece| piece.at(ticks));
        // Rounding must not lead beyond where the next stretch starts.
        next.map_or(time, |next| time.min(next.start_ns))
    }

    /// Ticks per second, as measured from the first moment to the last.
    pub fn ticks_per_second(&self) -> f64 {
        let rate = self.pieces.first().map_or(1 << SHIFT, |piece| piece.rate);
        1e9 * (1u64 << SHIFT) as f64 / rate as f64
    }
}

impl Piece {
    /// The stretch from one moment to a later one.
    fn between(from: &Clocks, to: &Clocks) -> Option<Piece> {
        let ticks = to.tsc.checked_sub(from.tsc).filter(|ticks| *ticks > 0)?;
        let ns = to.mono.checked_sub(from.mono)?;
        // Rounded up, so that the end comes out exactly.
        let rate = (u128::from(ns) << SHIFT).div_ceil(u128::from(ticks));
        Some(Piece { start_ticks: from.tsc, start_ns: from.mono, rate: u64::try_from(rate).ok()? })
    }

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

    fn moment(tsc: u64, mono: u64) -> Clocks {
        Clocks { tsc, mono, ..Clocks::default() }
    }

    #[test]
    fn the_moments_themselves_are_exact() {
        let moments = [moment(1000, 50), moment(3000, 1050), moment(6000, 2100)];
        let line = Timeline::new(Clock::Tsc, &moments);
        assert_eq!(line.nanoseconds(1000), 50);
        assert_eq!(line.nanoseconds(2000), 550);
        assert_eq!(line.nanoseconds(3000), 1050);
        assert_eq!(line.nanoseconds(6000), 2100);
        assert_eq!(line.nanoseconds(800), 0, "before the first at the first's rate, not below 0");
    }

    #[test]
    fn time_never_goes_back() {
        let moments = [moment(7, 3), moment(1_000_003, 384_617), moment(2_000_011, 769_231)];
        let line = Timeline::new(Clock::Tsc, &moments);
        let mut last = 0;
        for ticks in (0..2_100_000).step_by(7) {
            let now = line.nanoseconds(ticks);
            assert!(now >= last, "at {ticks}");
            last = now;
        }
    }

    #[test]
    fn an_hour_at_full_rate_does_not_overflow() {
        let hour = 3600 * 5_000_000_000u64;
        let line = Timeline::new(Clock::Tsc, &[moment(0, 0), moment(hour, 3_600_000_000_000)]);
        let error = line.nanoseconds(hour * 24).abs_diff(24 * 3_600_000_000_000);
        assert!(error < 1000, "{error} ns after a day");
    }

    #[test]
    fn nanoseconds_stay_what_they_are() {
        let line = Timeline::new(Clock::Monotonic, &[moment(5, 100), moment(10, 200)]);
        assert_eq!(line.nanoseconds(77), 77);
    }
}
