//! Since when a trace is complete.

use crate::duration::{duration, seconds};
use crate::number::count;
use trace_data::gaps::Gaps;

/// Since when a trace is complete whose last event has the time `last`, and from which `dropped` events are
/// missing that were not written, when is not known; nothing where no event was lost.
pub(crate) fn completeness(gaps: &Gaps, dropped: u64, last: u64, nanoseconds: bool) -> Option<String> {
    let since = gaps.end().map(|since| match last.checked_sub(since) {
        None => "incomplete up to its end".to_owned(),
        Some(length) if nanoseconds => {
            format!("complete for the last {}, since {}", duration(length), seconds(since))
        }
        Some(_) => format!("complete since {since}"),
    });
    let were = || count(dropped, "event was not written", "events were not written");
    match (since, dropped) {
        (since, 0) => since,
        (None, _) => Some(format!("incomplete: {}, at times that are not known", were())),
        (Some(since), _) => Some(format!("{since}; {}", were())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_last_gap_counts() {
        let lacking = |gaps: &[(u64, u64)], dropped, nanoseconds| {
            completeness(&Gaps::new(gaps.to_vec()), dropped, 5_000_000_000, nanoseconds)
        };
        let shown = |gaps: &[(u64, u64)], nanoseconds| lacking(gaps, 0, nanoseconds);
        assert_eq!(shown(&[], true), None);
        let gaps = [(0, 7), (100, 2_000_000_000)];
        assert_eq!(shown(&gaps, true).as_deref(), Some("complete for the last 3.00 s, since 2.000000"));
        assert_eq!(shown(&gaps, false).as_deref(), Some("complete since 2000000000"));
        assert_eq!(shown(&[(0, u64::MAX)], true).as_deref(), Some("incomplete up to its end"));
        let full = "incomplete up to its end; 7,000 events were not written";
        assert_eq!(lacking(&[(9, u64::MAX)], 7000, true).as_deref(), Some(full));
        let unknown = "incomplete: 1 event was not written, at times that are not known";
        assert_eq!(lacking(&[], 1, true).as_deref(), Some(unknown));
    }
}
