//! How often it is looked for events that nobody announces.

use std::time::Duration;

/// The pace at which a reader looks for events. Traced programs make no system call for one that waits, so
/// it looks now and then: often while there is something, and the more seldom the longer nothing comes.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    shortest: Duration,
    longest: Duration,
    pause: Duration,
}

impl Default for Pace {
    /// The pace of one that waits in a pipe of the control tree: 1 to 10 ms.
    fn default() -> Pace {
        Pace::between(Duration::from_millis(1), Duration::from_millis(10))
    }
}

impl Pace {
    /// With the shortest and the longest time between two looks.
    pub const fn between(shortest: Duration, longest: Duration) -> Pace {
        Pace { shortest, longest, pause: shortest }
    }

    /// The time to the next look, after one that has found something, or nothing.
    pub fn after(&mut self, has_found: bool) -> Duration {
        self.pause = if has_found { self.shortest } else { (self.pause * 2).min(self.longest) };
        self.pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_more_seldom_until_something_is_found() {
        let mut pace = Pace::default();
        let pauses = [false, false, false, false, false, true, false].map(|found| pace.after(found));
        assert_eq!(pauses, [2, 4, 8, 10, 10, 1, 2].map(Duration::from_millis));
    }
}
