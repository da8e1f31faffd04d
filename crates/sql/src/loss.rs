//! Events that a trace has lost.

use query::{Survey, TraceContents};
use std::sync::Arc;
use trace_data::page::Missed;

/// Events that are missing between two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// The CPU that has lost them, if they are of one.
    pub cpu: Option<u32>,
    /// The time after which they are missing.
    pub from: u64,
    /// The time up to which they are.
    pub to: u64,
    /// How many they are, if that is known.
    pub count: Option<u64>,
}

/// The losses of a file; nothing where nobody knows them.
pub type KnownLosses = Option<Arc<[Loss]>>;

impl Loss {
    /// All of a trace, by time: those that its pages know of, and those that were seen as it was recorded.
    pub fn all(survey: &Survey, contents: &TraceContents) -> Vec<Loss> {
        let options = &contents.metadata.options;
        let bounds = survey.bounds.map(|(first, last)| (options.time(first), options.time(last)));
        let (first, last) = bounds.unwrap_or((0, 0));
        let of_page = |loss: &query::SurveyedLoss| Loss {
            cpu: Some(loss.cpu),
            from: if loss.from == 0 { first } else { options.time(loss.from) },
            to: if loss.to == u64::MAX { last } else { options.time(loss.to) },
            count: match loss.count {
                Missed::Count(count) => Some(count),
                _ => None,
            },
        };
        // Without bounds, they begin or end with the trace.
        let of_recording = |(from, to): &(u64, u64)| Loss {
            cpu: None,
            from: (*from).max(first),
            to: if *to == u64::MAX { last.max(*from) } else { *to },
            count: None,
        };
        let known: Vec<Loss> = survey.losses.iter().map(of_page).collect();
        let overlaps = |gap: &Loss| known.iter().any(|loss| loss.from < gap.to && gap.from < loss.to);
        let more = contents.metadata.supplement.gaps.iter().map(of_recording).filter(|gap| !overlaps(gap));
        let mut all: Vec<Loss> = known.iter().copied().chain(more).collect();
        all.sort_by_key(|loss| (loss.from, loss.to));
        all
    }

    /// How many events are missing between two times: of losses whose number nobody knows, one at least.
    pub fn count_between(losses: &[Loss], from: i64, to: i64) -> i64 {
        let between = losses.iter().filter(|loss| (loss.from as i64) < to && from < loss.to as i64);
        between.map(|loss| loss.count.unwrap_or(1) as i64).fold(0, i64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_count_where_they_overlap() {
        let loss = |from, to, count| Loss { cpu: Some(0), from, to, count };
        let losses = [loss(10, 20, Some(7)), loss(30, 40, None)];
        let between = |from, to| Loss::count_between(&losses, from, to);
        assert_eq!([between(0, 10), between(0, 11), between(19, 30), between(19, 31)], [0, 7, 7, 8]);
    }
}
