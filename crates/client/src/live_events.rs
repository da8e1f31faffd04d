//! Events of a session as they come.

use crate::trace_meaning::{LateSymbols, TraceMeaning};
use reading::{Batch, Contents, Formats, Reader};
use session::{Error, Instance, Lock, Pace};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use trace_data::record::Record;

/// Events that are consumed at once. What was consumed and not read is lost with the reader.
const BATCH: usize = 512;

/// Events of a session as they come. Reading consumes them, as the kernel's `trace_pipe` does.
#[derive(Debug)]
pub(crate) struct LiveEvents {
    session: Arc<Instance>,
    reader: Reader,
    formats: Formats,
    batch: Batch,
    /// The next one of the batch.
    next: usize,
    _lock: Lock,
}

impl LiveEvents {
    pub(crate) fn new(session: Arc<Instance>) -> Result<LiveEvents, Error> {
        let lock = session.lock_reader()?;
        let (reader, formats) = (Reader::new(session.clone()), Formats::default());
        Ok(LiveEvents { session, reader, formats, batch: Batch::default(), next: 0, _lock: lock })
    }

    /// The next event; None when there is none now. What events mean grows with them.
    pub(crate) fn next(&mut self, meaning: &mut TraceMeaning) -> Option<Record<'_>> {
        if self.next >= self.batch.records.len() {
            self.batch = self.reader.batch(Contents::Live, None, BATCH);
            self.next = 0;
            if !self.batch.records.is_empty() {
                meaning.events = self.formats.of(&self.session);
                meaning.threads = self.batch.threads.clone();
                meaning.symbols = LateSymbols::of_table(self.batch.symbols.clone());
            }
        }
        let record = self.batch.records.get(self.next)?;
        self.next += 1;
        Some(record.borrowed())
    }

    /// Waits until there is an event, or for that time. Whether there is one. Programs wake nobody: it looks
    /// every 1 to 10 ms.
    ///
    /// `Interrupted` when a signal was handled.
    pub(crate) fn wait(&self, most: Option<Duration>) -> io::Result<bool> {
        Pace::default().wait(most, || {
            self.next < self.batch.records.len() || self.reader.has_events(Contents::Live, None)
        })
    }
}
