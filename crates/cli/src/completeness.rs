//! Since when a trace is complete.

use crate::duration::{duration, seconds};
use trace_data::gaps::Gaps;

/// Since when a trace is complete whose last event has the time `last`; nothing where no event was lost.
pub(crate) fn completeness(gaps: &Gaps, last: u64, nanoseconds: bool) -> Option<String> {
    let since = gaps.end()?;
    Some(match last.checked_sub(since) {
        None => "incomplete up to its end".to_owned(),
        Some(length) if nanoseconds => {
            format!("complete for the last {}, since {}", duration(length), seconds(since))
        }
        Some(_) => format!("complete since {since}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_last_gap_counts() {
        let shown = |gaps: &[(u64, u64)], nanoseconds| {
            completeness(&Gaps::new(gaps.to_vec()), 5_000_000_000, nanoseconds)
        };
        assert_eq!(shown(&[], true), None);
        let gaps = [(0, 7), (100, 2_000_000_000)];
        assert_eq!(shown(&gaps, true).as_deref(), Some("complete for the last 3.00 s, since 2.000000"));
        assert_eq!(shown(&gaps, false).as_deref(), Some("complete since 2000000000"));
        assert_eq!(shown(&[(0, u64::MAX)], true).as_deref(), Some("incomplete up to its end"));
    }
}
