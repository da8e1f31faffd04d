//! What is shown while a program is recorded.

use crate::number::{bytes, count, grouped};
use crate::say::{is_quiet, say};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// When the first line is shown; the time to the next doubles.
const FIRST: Duration = Duration::from_secs(2);

/// The longest time between two lines.
const LONGEST: Duration = Duration::from_secs(64);

/// Events from which on it takes a while to write them.
const MANY: u64 = 500_000;

/// Lines of progress on a terminal. Lines of their own at growing intervals: the terminal is the program's.
#[derive(Debug)]
pub(crate) struct ProgressLines {
    is_shown: bool,
    interval: Duration,
    due: Duration,
}

impl ProgressLines {
    /// Shown where standard error is a terminal, and nobody wants it quiet.
    pub(crate) fn new() -> ProgressLines {
        let is_shown = !is_quiet() && std::io::stderr().is_terminal();
        ProgressLines { is_shown, interval: FIRST, due: FIRST }
    }

    /// Says how far the recording is, if it is time.
    pub(crate) fn tell(&mut self, elapsed: Duration, now: &recording::Progress) {
        if !self.is_shown || elapsed < self.due {
            return;
        }
        self.interval = (self.interval * 2).min(LONGEST);
        self.due = elapsed + self.interval;
        let lost = if now.lost > 0 { format!(", {} lost", grouped(now.lost)) } else { String::new() };
        let style = anstyle::Style::new().dimmed();
        say!(
            "{style}lookback: {} s, {}, {}, {}{lost}{style:#}",
            elapsed.as_secs(),
            count(now.processes, "process", "processes"),
            count(now.events, "event", "events"),
            bytes(now.bytes),
        );
    }

    /// A bar for the time in which the file is written.
    pub(crate) fn bar(&self, events: u64) -> ProgressBar {
        if !self.is_shown || events < MANY {
            return ProgressBar::with_draw_target(Some(events), ProgressDrawTarget::hidden());
        }
        let template = "lookback: writing {wide_bar} {percent}% of {human_len} events";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressBar::new(events).with_style(style)
    }
}
