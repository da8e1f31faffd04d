//! What is known about a trace besides its records.

use crate::dat::Metadata;
use crate::event::EventTable;
use crate::symbols::Symbols;
use crate::text::Tasks;

/// What the records of a trace mean: everything that is needed to choose among them and to show them.
#[derive(Clone, Copy)]
pub struct TraceInfo<'a> {
    /// Clock, page size, clock sync points.
    pub metadata: &'a Metadata,
    /// The formats of its events.
    pub events: &'a EventTable,
    /// Its threads.
    pub tasks: &'a dyn Tasks,
    /// Its functions and constant strings.
    pub symbols: &'a dyn Symbols,
    /// Whether its times are nanoseconds; otherwise they count something else, as the clock `counter` does.
    pub nanoseconds: bool,
}

impl TraceInfo<'_> {
    /// What `CLOCK_REALTIME` showed at a time of the trace, in nanoseconds since 1970. `None` where the trace
    /// has no clock sync points.
    pub fn real_time(&self, time: u64) -> Option<u64> {
        // trace-cmd record --date has moved all times there.
        match self.metadata.options.time_offset {
            0 => self.metadata.supplement.real_time(time),
            _ => Some(time),
        }
    }
}
