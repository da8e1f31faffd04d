//! Times from which events are missing.

use crate::page::{Missed, Page};

/// The times from which some CPU's events are missing. Between the first event after the last of them and the
/// end, the trace is complete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gaps {
    /// The last time before a gap and the first time after it; in order, none overlaps another.
    intervals: Vec<(u64, u64)>,
}

impl Gaps {
    /// Of gaps in any order, each as the last time before it and the first time after it.
    pub fn new(mut intervals: Vec<(u64, u64)>) -> Gaps {
        intervals.sort_unstable();
        intervals.dedup_by(|next, gap| {
            let overlaps = next.0 < gap.1;
            if overlaps {
                gap.1 = gap.1.max(next.1);
            }
            overlaps
        });
        Gaps { intervals }
    }

    /// Whether an event between these two may be missing. Cost: a binary search.
    pub fn lie_between(&self, start: u64, end: u64) -> bool {
        let next = self.intervals.partition_point(|(_, to)| *to <= start);
        self.intervals.get(next).is_some_and(|(from, _)| *from < end)
    }

    /// The time since which nothing is missing. `None` if nothing ever is.
    pub fn end(&self) -> Option<u64> {
        self.intervals.last().map(|(_, to)| *to)
    }

    /// With more of them.
    #[must_use]
    pub fn and(mut self, more: &[(u64, u64)]) -> Gaps {
        self.intervals.extend_from_slice(more);
        Gaps::new(self.intervals)
    }

    /// Each as the last time before it and the first time after it, in order.
    pub fn intervals(&self) -> &[(u64, u64)] {
        &self.intervals
    }

    /// With other times, which have to be in the same order. 0 and `u64::MAX` stay: the beginning and the
    /// end.
    #[must_use]
    pub fn map(self, time: impl Fn(u64) -> u64) -> Gaps {
        let time = |bound| if matches!(bound, 0 | u64::MAX) { bound } else { time(bound) };
        Gaps { intervals: self.intervals.into_iter().map(|(from, to)| (time(from), time(to))).collect() }
    }
}

/// Finds the gaps between pages: CPU by CPU, the pages of each in their order.
#[derive(Debug, Default)]
pub struct GapFinder {
    gaps: Vec<(u64, u64)>,
    /// The time of the CPU's last event so far.
    last: u64,
    /// Whether events are missing after that one.
    is_open: bool,
}

impl GapFinder {
    /// Goes on with another CPU. `is_complete` says whether its first page is all that there was.
    pub fn next_cpu(&mut self, is_complete: bool) {
        self.close(u64::MAX);
        (self.last, self.is_open) = (0, !is_complete);
    }

    /// Looks at the next page, whose last event has the time `last`; `None` where it has no event.
    pub fn add(&mut self, page: &Page<'_>, last: Option<u64>) {
        self.is_open |= page.missed != Missed::None;
        if let Some(last) = last {
            self.close(page.time_stamp);
            self.last = last;
        }
    }

    /// Notes that events are missing after the last page.
    pub fn miss(&mut self) {
        self.is_open = true;
    }

    /// The gaps of all CPUs.
    pub fn gaps(mut self) -> Vec<(u64, u64)> {
        self.close(u64::MAX);
        self.gaps
    }

    fn close(&mut self, time: u64) {
        if std::mem::take(&mut self.is_open) {
            self.gaps.push((self.last, time));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageBuilder;

    #[test]
    fn what_lies_between_is_known() {
        let gaps = Gaps::new(vec![(50, 60), (10, 20), (15, 30)]);
        let between = [(5, 10), (5, 11), (29, 31), (30, 50), (30, 51), (60, 90), (0, 100)];
        let expected = [false, true, true, false, true, false, true];
        assert_eq!(between.map(|(start, end)| gaps.lie_between(start, end)), expected);
        assert_eq!((gaps.end(), Gaps::default().end()), (Some(60), None));
        assert_eq!(gaps.clone().and(&[(55, 70), (80, 90)]).intervals(), [(10, 30), (50, 70), (80, 90)]);
        assert!(gaps.clone().map(|time| time + 100).lie_between(129, 131));
        assert!(!gaps.map(|time| time + 100).lie_between(29, 31));
    }

    #[test]
    fn gaps_are_between_pages_and_before_the_first() {
        let page = |times: &[u64], missed| {
            let mut builder = PageBuilder::new(4096);
            times.iter().for_each(|time| assert!(builder.push(*time, &[0; 4])));
            (builder.finish(missed).to_vec(), times.last().copied())
        };
        let cpus: [(bool, Vec<_>); 4] = [
            (true, vec![page(&[10, 20], None), page(&[], Some(3)), page(&[40, 50], None)]),
            (true, vec![page(&[30], Some(1)), page(&[35], None)]),
            (false, vec![page(&[33], None)]),
            (false, vec![]),
        ];
        let mut finder = GapFinder::default();
        for (is_complete, pages) in &cpus {
            finder.next_cpu(*is_complete);
            pages.iter().for_each(|(page, last)| finder.add(&Page::new(page).unwrap(), *last));
        }
        finder.next_cpu(true);
        finder.miss();
        assert_eq!(finder.gaps(), [(20, 40), (0, 30), (0, 33), (0, u64::MAX), (0, u64::MAX)]);
    }
}
