//! How the forms of a report show times.

use crate::arguments::TimeArguments;
use crate::duration::seconds;
use trace_data::info::TraceInfo;
use trace_data::text::print_date;

/// Seconds of the trace's clock, dates, or what has passed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Times {
    /// As the trace has them.
    Clock,
    /// As dates.
    Date,
    /// Since a time: that of the trace's first event.
    Since(u64),
    /// Where lines follow each other, since that of the one before.
    SinceLine,
}

impl Times {
    /// As it is asked for, of a trace that begins then.
    pub(super) fn of(arguments: TimeArguments, first: u64) -> Times {
        match arguments {
            TimeArguments { wall_clock: true, .. } => Times::Date,
            TimeArguments { rel: true, .. } => Times::Since(first),
            TimeArguments { delta: true, .. } => Times::SinceLine,
            _ => Times::Clock,
        }
    }

    /// A time. A clock that counts no time gives an integer.
    pub(super) fn text(self, time: u64, trace: &TraceInfo<'_>) -> String {
        match self {
            Times::Date => {
                let mut date = Vec::new();
                print_date(trace.real_time(time).unwrap_or_default(), &mut date);
                String::from_utf8_lossy(&date).into_owned()
            }
            Times::Since(first) => clock_text(time.saturating_sub(first), trace),
            Times::Clock | Times::SinceLine => clock_text(time, trace),
        }
    }

    /// The columns of a time, at least.
    pub(super) fn width(self) -> usize {
        if matches!(self, Times::Date) { "2026-01-31T12:34:56.123456Z".len() } else { 13 }
    }
}

fn clock_text(time: u64, trace: &TraceInfo<'_>) -> String {
    if trace.nanoseconds { seconds(time) } else { time.to_string() }
}

/// The times of lines that follow each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineTimes {
    times: Times,
    /// That of the line before.
    last: Option<u64>,
}

impl LineTimes {
    /// Before the first line.
    pub(super) fn new(times: Times) -> LineTimes {
        LineTimes { times, last: None }
    }

    /// The number by which the next line's time is shown: nanoseconds of a date, or as the trace's clock
    /// counts.
    pub(super) fn shown(&mut self, time: u64, trace: &TraceInfo<'_>) -> u64 {
        let last = self.last.replace(time).unwrap_or(time);
        match self.times {
            Times::Clock => time,
            Times::Date => trace.real_time(time).unwrap_or_default(),
            Times::Since(first) => time.saturating_sub(first),
            Times::SinceLine => time.saturating_sub(last),
        }
    }

    /// The next line's time.
    pub(super) fn text(&mut self, time: u64, trace: &TraceInfo<'_>) -> String {
        match self.times {
            Times::Date => self.times.text(time, trace),
            _ => clock_text(self.shown(time, trace), trace),
        }
    }

    /// The columns of a time, at least.
    pub(super) fn width(self) -> usize {
        self.times.width()
    }
}
