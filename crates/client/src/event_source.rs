//! Where events are read from.

use crate::Error;
use crate::live_events::LiveEvents;
use crate::trace_meaning::{LateSymbols, TraceMeaning};
use query::TraceRecords;
use reading::SessionRecords;
use trace_data::record::{Record, Records};

/// Where events are read from.
#[derive(Debug)]
pub(crate) enum EventSource {
    /// A trace.dat file; None if it has no buffer.
    File(Option<Box<TraceRecords<'static>>>),
    /// A copy of a session's buffers, or a snapshot.
    Copy(Box<SessionRecords>),
    /// A session's buffers, which are consumed.
    Live(Box<LiveEvents>),
}

impl EventSource {
    /// The next event; None at the end, or where there is none now.
    pub(crate) fn next(&mut self, meaning: &mut TraceMeaning) -> Result<Option<Record<'_>>, Error> {
        match self {
            EventSource::File(None) => Ok(None),
            EventSource::File(Some(records)) => Ok(records.next()?),
            EventSource::Copy(records) => Ok(records.next()?),
            EventSource::Live(events) => Ok(events.next(meaning)),
        }
    }

    /// Adds the names of the addresses in what was read so far, where they come with the events.
    pub(crate) fn name_addresses(&mut self, meaning: &mut TraceMeaning) {
        if let EventSource::Copy(records) = self {
            meaning.symbols = LateSymbols::of_table(records.symbols());
        }
    }
}
