//! How long calls of one kind take in several traces, and whether that differs beyond chance.

use super::counts::DEVIATIONS;
use crate::profile::CallProfile;
use crate::rank_test::RankTest;

/// The lengths of a call.
pub(super) struct ComparedLengths<'a> {
    /// Of all good traces together.
    pub(super) pooled: &'a CallProfile,
    /// Of each of them that has the call.
    pub(super) good: Vec<&'a CallProfile>,
    /// Of the other.
    pub(super) other: &'a CallProfile,
}

/// How lengths differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LengthChange {
    is_longer: bool,
    /// Whether there are enough to say so.
    pub(super) is_certain: bool,
}

/// Lengths differ where one exceeds the other so much more often than the other way round.
const DELTA: f64 = 0.33;

/// Where hardly any lengths overlap, fewer deviations are enough: there are few of them.
const APART: f64 = 0.9;
const DEVIATIONS_APART: f64 = 3.0;

/// A smaller factor, or fewer nanoseconds, are what caches and other programs make from run to run.
const FACTOR: f64 = 1.6;
const LEAST: u64 = 500;

/// A tail that is longer by a smaller factor is what other programs make, which take the CPU in between.
const TAIL_FACTOR: f64 = 4.0;

/// What is seldom is said to differ only by such a factor, and so many nanoseconds.
const SELDOM_FACTOR: u64 = 4;
const SELDOM_LEAST: u64 = 10_000_000;

/// Fewer calls than these, in the good traces or in the other, are seldom.
const ENOUGH: usize = 8;

/// Calls that take longer wait for something else than the CPU: how fast it is doesn't matter.
const WAITING: u64 = 100_000;

impl ComparedLengths<'_> {
    /// Whether lengths differ, as they are and also where all calls take `scale` times as long: neither the
    /// speed of the machine nor having it taken into account may be all.
    pub(super) fn change(&self, scale: f64) -> Option<LengthChange> {
        let change = self.change_beyond(1.0)?;
        match self.pooled.percentile(50) >= WAITING {
            true => Some(change),
            false => self.change_beyond(scale).filter(|beyond| *beyond == change),
        }
    }

    fn change_beyond(&self, scale: f64) -> Option<LengthChange> {
        let (good, other) = (&self.pooled.lengths, &self.other.lengths);
        if good.is_empty() || other.is_empty() {
            return None;
        }
        if good.len() < ENOUGH || other.len() < ENOUGH {
            let [one, two] = [self.pooled, self.other].map(|call| call.percentile(100));
            let is_far =
                two.abs_diff(one) >= SELDOM_LEAST && one.max(two) / one.min(two).max(1) >= SELDOM_FACTOR;
            return is_far.then_some(LengthChange { is_longer: two > one, is_certain: false });
        }
        let test = RankTest::new(good, other, scale);
        let (z, delta) = (test.z.abs(), test.delta.abs());
        let is_ranked = z >= DEVIATIONS && delta >= DELTA || z >= DEVIATIONS_APART && delta >= APART;
        // A tail can grow where the middle doesn't: more lengths than by chance exceed what few did.
        let limit = (self.pooled.percentile(99) as f64 * scale * 2.0) as u64;
        let above = |lengths: &[u64]| lengths.len() - lengths.partition_point(|length| *length <= limit);
        let expected = above(good).max(1) as f64 * other.len() as f64 / good.len() as f64;
        let is_tail = above(other) as f64 > expected + DEVIATIONS * expected.sqrt() + DEVIATIONS;
        let middle = self.is_longer(50, FACTOR, scale).filter(|_| is_ranked);
        let tail = self.is_longer(99, TAIL_FACTOR, scale).filter(|is_longer| is_tail && *is_longer);
        let is_longer = middle.or(tail)?;
        Some(LengthChange { is_longer, is_certain: true })
    }

    /// Whether a percentile is by a factor larger than that of each good trace, or smaller; None where it is
    /// near to one.
    fn is_longer(&self, percent: usize, factor: f64, scale: f64) -> Option<bool> {
        let found = (self.other.percentile(percent) as f64 / scale) as u64;
        let of_good = || self.good.iter().map(|call| call.percentile(percent));
        let (least, most) = (of_good().min()?, of_good().max()?);
        let is_more = found as f64 > most as f64 * factor && found - most >= LEAST;
        let is_less = (found as f64) * factor < least as f64 && least - found >= LEAST;
        (is_more || is_less).then_some(is_more)
    }
}
