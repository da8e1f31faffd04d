//! Clock sync points: when the clocks were read.

use control::Clocks;

/// Nanoseconds between two points that are kept: the rate of the time stamp counter is known best from
/// points that lie apart, and follows what NTP does to the clocks.
const APART: u64 = 1_000_000_000;

/// Nanoseconds between two readings that are next to each other.
const NEXT: u64 = 1_000_000;

/// Clock sync points that tie a buffer's times to the clocks: one now and then, and the two around each step.
#[derive(Debug, Clone)]
pub struct ClockSync {
    kept: Vec<Clocks>,
    /// The last one.
    latest: Clocks,
}

impl ClockSync {
    /// From the time when the session was made on.
    pub fn since(created: Clocks) -> ClockSync {
        let latest = Clocks::now();
        ClockSync { kept: vec![created, latest], latest }
    }

    /// As somebody has read them, one after the other; None where nobody has.
    pub fn of(readings: impl IntoIterator<Item = Clocks>) -> Option<ClockSync> {
        let mut readings = readings.into_iter();
        let first = readings.next()?;
        let mut points = ClockSync { kept: vec![first], latest: first };
        readings.for_each(|reading| points.note(reading));
        points.kept.push(points.latest);
        Some(points)
    }

    /// Reads the clocks. To be called so often that little happens between a suspension, or a setting of the
    /// time, and the readings before and after it: which side of it an event in between is on nobody knows.
    /// Gives the reading.
    pub fn look(&mut self) -> &Clocks {
        self.note(Clocks::now());
        &self.latest
    }

    /// Reads the clocks for the last time.
    pub fn end(&mut self) {
        self.look();
        self.kept.push(self.latest);
    }

    /// Keeps the last reading, if it is not next to another: times before it stay as they are told now. Of
    /// more than `most` points every other goes.
    pub(crate) fn keep(&mut self, most: usize) {
        let last = self.kept.last().map_or(0, |last| last.boot);
        if self.latest.boot.saturating_sub(last) >= NEXT {
            self.kept.push(self.latest);
        }
        if self.kept.len() > most {
            let mut is_kept = false;
            self.kept.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
        }
    }

    /// The points, in order.
    pub(crate) fn all(&self) -> &[Clocks] {
        &self.kept
    }

    /// Times of `CLOCK_MONOTONIC`, and what `CLOCK_REALTIME` showed then, as it is set now.
    pub(crate) fn real_times(&self) -> Vec<(u64, u64)> {
        let ahead = Clocks::tai_ahead();
        self.kept.iter().map(|at| (at.mono, at.tai.wrapping_sub(ahead))).collect()
    }

    fn note(&mut self, now: Clocks) {
        let before = std::mem::replace(&mut self.latest, now);
        let last = self.kept.last().map_or(0, |last| last.boot);
        if now.have_stepped_since(&before) {
            self.kept.extend([before, now]);
        } else if now.boot.saturating_sub(last) >= APART {
            self.kept.push(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_each_second_and_two_around_a_suspension() {
        const MS: u64 = 1_000_000;
        let at = |ms: u64, asleep: u64| Clocks {
            tsc: 3 * (ms + asleep) * MS,
            mono: ms * MS,
            mono_raw: ms * MS,
            boot: (ms + asleep) * MS,
            tai: (ms + asleep + 1_000_000) * MS,
        };
        let mut points = ClockSync { kept: vec![at(0, 0)], latest: at(0, 0) };
        (1..=25).for_each(|visit| points.note(at(visit * 100, 0)));
        (26..=30).for_each(|visit| points.note(at(visit * 100, 60_000)));
        let kept: Vec<u64> = points.all().iter().map(|point| point.mono / MS).collect();
        assert_eq!(kept, [0, 1000, 2000, 2500, 2600]);
        points.latest = at(3_060, 60_000);
        points.keep(5);
        assert_eq!(points.all().iter().map(|point| point.mono / MS).collect::<Vec<_>>(), [0, 2000, 2600]);
    }
}
