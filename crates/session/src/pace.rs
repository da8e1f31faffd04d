//! How often it is looked for events that nobody announces.

use rustix::thread::{ClockId, NanosleepRelativeResult, Timespec, clock_nanosleep_relative};
use std::io;
use std::time::{Duration, Instant};

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

    /// Waits until there is something, or for that time. Whether there is.
    ///
    /// # Errors
    ///
    /// `Interrupted` when a signal was handled.
    pub fn wait(mut self, most: Option<Duration>, mut is_there: impl FnMut() -> bool) -> io::Result<bool> {
        let until = most.and_then(|most| Instant::now().checked_add(most));
        while !is_there() {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(false);
            }
            let pause = self.after(false);
            sleep(left.map_or(pause, |left| left.min(pause)))?;
        }
        Ok(true)
    }

    /// The time to the next look, for one who has to come before events are overwritten: so long that the
    /// fullest buffer, in which the last look has found `bytes` of `capacity`, is seldom more than an eighth
    /// full.
    pub fn after_finding(&mut self, bytes: u64, capacity: u64) -> Duration {
        if bytes > capacity / 8 {
            self.pause /= 2;
        } else if bytes < capacity / 64 {
            self.pause *= 2;
        }
        self.pause = self.pause.clamp(self.shortest, self.longest);
        self.pause
    }
}

/// Sleeps, unless a signal is handled.
fn sleep(time: Duration) -> io::Result<()> {
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    match clock_nanosleep_relative(ClockId::Monotonic, &time) {
        NanosleepRelativeResult::Ok => Ok(()),
        NanosleepRelativeResult::Interrupted(_) => Err(io::ErrorKind::Interrupted.into()),
        NanosleepRelativeResult::Err(error) => Err(error.into()),
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

    #[test]
    fn looks_follow_the_load() {
        let ms = Duration::from_millis;
        let after = |pause, bytes| Pace { pause, ..Pace::between(ms(1), ms(32)) }.after_finding(bytes, 4096);
        assert_eq!(after(ms(8), 0), ms(16));
        assert_eq!(after(ms(32), 0), ms(32));
        assert_eq!(after(ms(8), 256), ms(8));
        assert_eq!(after(ms(8), 4096), ms(4));
        assert_eq!(after(ms(1), 4096), ms(1));
    }
}
