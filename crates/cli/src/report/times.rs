//! How the forms of a report show times.

use crate::duration::seconds;
use trace_data::info::TraceInfo;
use trace_data::text::print_date;

/// Seconds of the trace's clock, or dates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// As dates.
    pub(super) wall_clock: bool,
}

impl Times {
    /// A time. A clock that counts no time gives an integer.
    pub(super) fn text(self, time: u64, trace: &TraceInfo<'_>) -> String {
        match (self.wall_clock, trace.nanoseconds) {
            (true, _) => {
                let mut date = Vec::new();
                print_date(trace.real_time(time).unwrap_or_default(), &mut date);
                String::from_utf8_lossy(&date).into_owned()
            }
            (false, true) => seconds(time),
            (false, false) => time.to_string(),
        }
    }

    /// The columns of a time, at least.
    pub(super) fn width(self) -> usize {
        if self.wall_clock { "2026-01-31T12:34:56.123456Z".len() } else { 13 }
    }
}
