//! A task from poll to poll.

/// Where a task is between its polls.
#[derive(Debug, Default)]
pub(super) struct Polling {
    /// Since when it is polled.
    pub(super) entered: Option<u64>,
    /// How long the last poll took, if that could be measured; not counted yet, as its future may have been
    /// dropped rather than polled.
    pub(super) uncounted: Option<Option<u64>>,
    /// Since when it could be polled, but is not.
    pub(super) woken: Option<u64>,
    /// How many there are that can wake it.
    pub(super) wakers: i64,
}

/// How often something took some time, as far as that could be measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeSum {
    /// How often.
    pub count: u64,
    /// How often that could not be measured, as events are missing meanwhile. Part of the count.
    pub uncertain: u64,
    /// All of those that could be measured, in nanoseconds.
    pub total: u64,
    /// The longest of them, in nanoseconds.
    pub longest: u64,
}

impl TimeSum {
    pub(super) fn add(&mut self, measured: Option<u64>) {
        self.count += 1;
        match measured {
            Some(duration) => {
                self.total += duration;
                self.longest = self.longest.max(duration);
            }
            None => self.uncertain += 1,
        }
    }
}
