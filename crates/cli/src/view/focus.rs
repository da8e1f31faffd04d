//! What to look at first.

use crate::duration::duration;

/// What is shown when the page opens.
#[derive(Debug, Default)]
pub(super) struct Focus {
    /// The times at the edges of the window.
    pub(super) visible: Option<(u64, u64)>,
    /// The start and the end of the slice that is selected.
    pub(super) slice: Option<(u64, u64)>,
    /// The threads whose tracks are pinned.
    pub(super) tids: Vec<i32>,
    /// What that is, for people.
    pub(super) lines: Vec<String>,
}

/// Something to look at.
#[derive(Debug, Clone)]
pub(super) struct FocusCandidate {
    pub(super) tid: i32,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) text: String,
    /// Whether it is a slice; else it takes no time.
    pub(super) is_slice: bool,
}

/// Nanoseconds that are shown around what takes no time.
const AROUND: u64 = 1_000_000;

impl Focus {
    /// On the first of these; the threads of all are pinned. The trace has these first and last times.
    pub(super) fn on(candidates: Vec<(&'static str, FocusCandidate)>, (first, last): (u64, u64)) -> Focus {
        let mut focus = Focus { visible: Some((first, last)), ..Focus::default() };
        for (what, candidate) in candidates {
            let FocusCandidate { tid, start, end, text, is_slice } = candidate;
            if focus.lines.is_empty() {
                let around = ((end - start) / 4).max(AROUND);
                let (from, to) = (start.saturating_sub(around).max(first), (end + around).min(last));
                // The interface shows no window that reaches beyond the trace, or that is empty.
                focus.visible = Some((from, to)).filter(|(from, to)| from < to);
                focus.slice = is_slice.then_some((start, end));
            }
            if !focus.tids.contains(&tid) {
                focus.tids.push(tid);
            }
            let length = if is_slice { format!(", {}", duration(end - start)) } else { String::new() };
            focus.lines.push(format!("{what}: {text}{length}"));
        }
        focus
    }

    /// Whether the trace has anything to look at.
    pub(super) fn is_known(&self) -> bool {
        self.visible.is_some() || !self.lines.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_shown_and_all_are_pinned() {
        let candidate =
            |tid, start, end, is_slice| FocusCandidate { tid, start, end, text: "read".into(), is_slice };
        let slow = candidate(7, 5_000_000, 9_000_000, true);
        let error = candidate(8, 6_000_000, 6_000_000, true);
        let last = candidate(7, 9_500_000, 9_500_000, false);
        let bounds = (2_000_000, 9_500_000);
        let focus = Focus::on(vec![("slowest", slow), ("error", error), ("taken", last.clone())], bounds);
        assert_eq!(
            (focus.visible, focus.slice),
            (Some((4_000_000, 9_500_000)), Some((5_000_000, 9_000_000)))
        );
        assert_eq!((focus.tids, focus.lines[0].as_str()), (vec![7, 8], "slowest: read, 4.00 ms"));
        let focus = Focus::on(vec![("taken", last)], bounds);
        assert_eq!((focus.visible, focus.slice), (Some((8_500_000, 9_500_000)), None));
    }
}
