//! When the clocks were read during a recording.

use control::Clocks;

/// Nanoseconds between two moments that are kept: the rate of the time stamp counter is known best from
/// moments that lie apart, and follows what NTP does to the clocks.
const APART: u64 = 1_000_000_000;

/// Nanoseconds between two readings that are next to each other.
const NEXT: u64 = 1_000_000;

/// Moments that tie a buffer's times to the clocks: one now and then, and the two around each step.
#[derive(Debug, Clone)]
pub(crate) struct Moments {
    kept: Vec<Clocks>,
    /// The last one.
    latest: Clocks,
}

impl Moments {
    /// From the time when the session was made on.
    pub(crate) fn since(created: Clocks) -> Moments {
        let latest = Clocks::now();
        Moments { kept: vec![created, latest], latest }
    }

    /// Reads the clocks. To be called so often that little happens between a suspension, or a setting of the
    /// time, and the readings before and after it: which side of it an event in between is on nobody knows.
    pub(crate) fn look(&mut self) {
        self.note(Clocks::now());
    }

    /// Reads the clocks for the last time.
    pub(crate) fn end(&mut self) {
        self.look();
        self.kept.push(self.latest);
    }

    /// Forgets the oldest, but for `most` moments.
    pub(crate) fn forget(&mut self, most: usize) {
        self.kept.drain(..self.kept.len().saturating_sub(most));
    }

    /// Keeps the last reading, if it is not next to another: times before it stay as they are told now. Of
    /// more than `most` moments every other goes.
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

    /// The moments, in order.
    pub(crate) fn all(&self) -> &[Clocks] {
        &self.kept
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
        let mut moments = Moments { kept: vec![at(0, 0)], latest: at(0, 0) };
        (1..=25).for_each(|visit| moments.note(at(visit * 100, 0)));
        (26..=30).for_each(|visit| moments.note(at(visit * 100, 60_000)));
        let kept: Vec<u64> = moments.all().iter().map(|moment| moment.mono / MS).collect();
        assert_eq!(kept, [0, 1000, 2000, 2500, 2600]);
        moments.latest = at(3_060, 60_000);
        moments.keep(5);
        assert_eq!(moments.all().iter().map(|moment| moment.mono / MS).collect::<Vec<_>>(), [0, 2000, 2600]);
        let mut moments = Moments { kept: vec![at(0, 0), at(2500, 0), at(2600, 60_000)], latest: at(0, 0) };
        moments.forget(2);
        assert_eq!(moments.all().len(), 2);
        assert_eq!(moments.all()[0].mono, 2500 * MS, "the latest are kept");
    }
}
