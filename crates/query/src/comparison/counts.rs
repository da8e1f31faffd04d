//! How often something happens in several traces, and whether that differs beyond chance.

use crate::profile::TraceProfile;

/// What a count is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateUnit {
    /// For each process of the program.
    Process,
    /// For each second of the trace.
    Second,
}

/// A difference of a count has to exceed what chance makes of it by this factor of its standard deviation.
pub(super) const DEVIATIONS: f64 = 4.0;

/// A smaller factor matters to nobody.
const FACTOR: f64 = 1.25;

/// Counts of something in each good trace and in the other, and what they are divided by.
pub(super) struct ComparedCounts {
    pub(super) good: Vec<(u64, f64)>,
    pub(super) other: (u64, f64),
    pub(super) unit: RateUnit,
}

impl ComparedCounts {
    pub(super) fn rates(&self) -> [f64; 2] {
        let (counts, sizes) =
            self.good.iter().fold((0, 0.0), |(counts, sizes), (count, size)| (counts + count, sizes + size));
        [counts as f64 / sizes, self.other.0 as f64 / self.other.1]
    }

    /// Whether all good traces have it and the other doesn't, or the other way round.
    pub(super) fn is_new_or_gone(&self) -> bool {
        let (count, _) = self.other;
        let is_new = count > 0 && self.good.iter().all(|(count, _)| *count == 0);
        is_new || (count == 0 && self.good.iter().all(|(count, _)| *count > 0))
    }

    /// Whether the other differs from all good traces, in the same direction, by more than chance.
    pub(super) fn differ(&self) -> bool {
        let (count, size) = self.other;
        let differs = |(good, of): &(u64, f64)| {
            let (rate, expected) = (count as f64 / size, *good as f64 / of);
            let deviation = (count as f64 / (size * size) + *good as f64 / (of * of)).sqrt();
            let (least, most) = (rate.min(expected), rate.max(expected));
            let is_far = most - least > DEVIATIONS * deviation && most > FACTOR * least;
            is_far.then_some(rate > expected)
        };
        let all: Option<Vec<bool>> = self.good.iter().map(differs).collect();
        all.is_some_and(|all| all.windows(2).all(|pair| pair[0] == pair[1]))
    }
}

/// What counts of a program are divided by.
pub(super) fn size(profile: &TraceProfile, program: &str, unit: RateUnit) -> f64 {
    let processes = profile.programs.get(program).map_or(0, |program| program.processes);
    match unit {
        RateUnit::Process => processes.max(1) as f64,
        RateUnit::Second => profile.span.max(1) as f64 / 1e9,
    }
}
