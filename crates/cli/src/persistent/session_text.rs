//! The text of a session's records.

use crate::failure::{Done, Failure};
use crate::report::tell_none_shown;
use crate::stdout::lines;
use abi::page::DEFAULT_SIZE;
use query::{Choice, Chooser, DemangledSymbols, Query, TimeReference};
use reading::{Batch, Formats};
use session::Instance;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use trace_data::dat::Metadata;
use trace_data::event::EventTable;
use trace_data::info::TraceInfo;
use trace_data::text::{Header, Layout, Seen, TextWriter};

/// Prints the chosen records of a session, batch by batch.
pub(super) struct SessionText<'a> {
    session: &'a Instance,
    choice: &'a Choice,
    bounds: Option<(u64, u64)>,
    formats: Formats,
    events: Arc<EventTable>,
    metadata: Metadata,
    query: Query,
    seen: Seen,
    symbols: DemangledSymbols,
    out: Box<dyn Write>,
    /// Whether no record was printed.
    is_empty: bool,
}

impl<'a> SessionText<'a> {
    /// That of records with these first and last times. `real_times` are clock sync points.
    pub(super) fn new(
        session: &'a Instance,
        choice: &'a Choice,
        bounds: Option<(u64, u64)>,
        real_times: Vec<(u64, u64)>,
    ) -> Done<SessionText<'a>> {
        let mut formats = Formats::default();
        let events = formats.of(session);
        let mut metadata = Metadata::new(DEFAULT_SIZE as u32);
        metadata.supplement.real_times = real_times;
        let query = Query::new(chooser(choice, &events, bounds, &metadata)?);
        let (seen, symbols, out) = (Seen::default(), DemangledSymbols::default(), lines(io::stdout().lock()));
        let is_empty = true;
        Ok(SessionText {
            session,
            choice,
            bounds,
            formats,
            events,
            metadata,
            query,
            seen,
            symbols,
            out,
            is_empty,
        })
    }

    /// Leaves out the losses before the first record of a CPU.
    pub(super) fn without_first_losses(self) -> SessionText<'a> {
        SessionText { query: self.query.without_first_losses(), ..self }
    }

    /// Counts records as `trace_pipe` does.
    pub(super) fn of_pipe(self) -> SessionText<'a> {
        SessionText { seen: Seen::of_pipe(), ..self }
    }

    /// Says so where no record was printed, because of what was asked for.
    pub(super) fn tell_none_shown(&self, given: &[String]) {
        if self.is_empty {
            tell_none_shown(&self.choice.events, self.query.passed_over(), given);
        }
    }

    /// Prints the header. False when nobody reads it any more.
    pub(super) fn header(&mut self, layout: Layout, header: &Header<'_>) -> Done<bool> {
        let mut text = TextWriter::new(&mut self.out, &self.events, &(), &(), layout);
        is_read(text.header(header).and_then(|()| text.flush()))
    }

    /// Prints records; where none follow at once, those that wait for later ones, too. False when nobody
    /// reads them any more.
    pub(super) fn print(&mut self, batch: &Batch, layout: Layout, goes_on: bool) -> Done<bool> {
        let events = self.formats.of(self.session);
        if !Arc::ptr_eq(&events, &self.events) {
            // A program has brought some.
            self.query = Query::new(chooser(self.choice, &events, self.bounds, &self.metadata)?);
            self.events = events;
        }
        let (events, tasks, symbols) = (&*self.events, &*batch.threads, self.symbols.of(&batch.symbols));
        let trace =
            TraceInfo { metadata: &self.metadata, events, tasks, symbols, nanoseconds: layout.nanoseconds };
        let layout = Layout { escape: true, ..layout };
        let mut text = TextWriter::new(&mut self.out, events, tasks, symbols, layout);
        text.seen = std::mem::take(&mut self.seen);
        let written = batch.records.iter().try_for_each(|record| {
            let chosen = self.query.choose(&record.borrowed(), &trace);
            self.is_empty &= chosen.is_none();
            chosen.map_or(Ok(()), |record| text.event(&record, None))
        });
        let written = written.and_then(|()| if goes_on { Ok(()) } else { text.settle() });
        self.seen = std::mem::take(&mut text.seen);
        is_read(written.and_then(|()| text.flush()))
    }
}

fn chooser(
    choice: &Choice,
    events: &EventTable,
    bounds: Option<(u64, u64)>,
    metadata: &Metadata,
) -> Result<Chooser, query::Error> {
    Chooser::new(choice, events, TimeReference { bounds, supplement: Some(&metadata.supplement) })
}

/// Whether somebody reads standard output, after something was written there.
fn is_read(written: io::Result<()>) -> Done<bool> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::failed(format_args!("standard output: {error}"))),
    }
}
