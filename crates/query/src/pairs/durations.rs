//! Durations, and what can be said about many of them.

use crate::LockHolder;

/// How many of the longest are kept with their times and threads.
const LONGEST: usize = 10;

/// How long one pair took. Ordered by that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DurationSample {
    /// The duration, in nanoseconds.
    pub length: u64,
    /// When it started.
    pub start: u64,
    /// The thread that started it.
    pub pid: i32,
    /// Who held the lock that it has waited for.
    pub holder: Option<LockHolder>,
}

/// The durations of all pairs of one kind; exact, at 8 bytes each.
#[derive(Debug, Default)]
pub struct Durations {
    lengths: Vec<u64>,
    total: u64,
    /// The longest, in no order.
    longest: Vec<DurationSample>,
}

impl Durations {
    pub(crate) fn add(&mut self, sample: DurationSample) {
        self.add_length(sample.length);
        self.longest.push(sample);
        if self.longest.len() >= 32 * LONGEST {
            self.keep_longest();
        }
    }

    /// Adds one of which nothing but the length is known: it isn't among the longest.
    pub(crate) fn add_length(&mut self, length: u64) {
        self.lengths.push(length);
        self.total = self.total.saturating_add(length);
    }

    fn keep_longest(&mut self) {
        self.longest.sort_unstable_by(|one, other| other.cmp(one));
        self.longest.truncate(LONGEST);
    }

    /// Has to come before everything that follows.
    pub(crate) fn sort(&mut self) {
        self.lengths.sort_unstable();
        self.keep_longest();
    }

    /// All of them, in nanoseconds.
    pub(crate) fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.lengths.len() as u64
    }

    /// Their sum.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The longest ten, or fewer, the longest first.
    pub fn longest(&self) -> &[DurationSample] {
        &self.longest
    }

    /// What half of them don't exceed.
    pub fn median(&self) -> u64 {
        self.at(50)
    }

    /// What `percent` of 100 don't exceed.
    fn at(&self, percent: usize) -> u64 {
        let rank = (self.lengths.len() * percent).div_ceil(100).max(1) - 1;
        self.lengths.get(rank).copied().unwrap_or(0)
    }

    /// The shortest, the mean, the median, what 99 of 100 don't exceed, the longest, and all together.
    pub fn summary(&self) -> [u64; 6] {
        let [least, median, most, longest] = [0, 50, 99, 100].map(|percent| self.at(percent));
        [least, self.total / self.count().max(1), median, most, longest, self.total]
    }

    /// How many lengths there are from each power of two up to the next, from the first that has some to the
    /// last.
    pub fn histogram(&self) -> Vec<(u64, u64)> {
        let power = |length: u64| length.max(1).ilog2();
        let (Some(first), Some(last)) = (self.lengths.first(), self.lengths.last()) else {
            return Vec::new();
        };
        let mut rows: Vec<_> = (power(*first)..=power(*last)).map(|power| (1 << power, 0)).collect();
        for length in &self.lengths {
            if let Some((_, count)) = rows.get_mut((power(*length) - power(*first)) as usize) {
                *count += 1;
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(length: u64) -> DurationSample {
        DurationSample { length, start: 5 * length, pid: 7, holder: None }
    }

    #[test]
    fn ranks_are_those_of_sorted_lengths() {
        let mut samples = Durations::default();
        for number in (1..=1000).rev() {
            samples.add(sample(number));
        }
        samples.sort();
        assert_eq!(samples.summary(), [1, 500, 500, 990, 1000, 500_500]);
        assert_eq!(
            samples.longest().iter().map(|sample| sample.length).collect::<Vec<_>>(),
            (991..=1000).rev().collect::<Vec<_>>()
        );
        let histogram = samples.histogram();
        assert_eq!((histogram[0], histogram[1], histogram[9]), ((1, 1), (2, 2), (512, 489)));
        let mut one = Durations::default();
        one.add(sample(0));
        one.sort();
        assert_eq!((one.summary(), one.histogram()), ([0; 6], vec![(1, 1)]));
    }
}
