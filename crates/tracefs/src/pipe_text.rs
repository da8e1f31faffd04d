//! The text of events that are consumed: what `trace_pipe` and `snapshot_pipe` have.

use crate::trace_array::TraceArray;
use reading::layout;
use rustix::io::Errno;
use trace_data::text::{Layout, Seen, TextWriter};

/// What was consumed and not read yet.
pub(crate) struct PipeText {
    cpu: Option<u32>,
    is_snapshot: bool,
    array: TraceArray,
    text: Vec<u8>,
    has_read: bool,
}

/// Bytes that an event's text has at least, about: no more are consumed than the reader has space for, as
/// what was consumed and not read goes when the file is closed.
const LINE: usize = 64;

impl PipeText {
    /// That of a CPU, or of all: of the buffers, or of the newest snapshot.
    pub(crate) fn new(array: &TraceArray, cpu: Option<u32>, is_snapshot: bool) -> PipeText {
        PipeText { cpu, is_snapshot, array: array.clone(), text: Vec::new(), has_read: false }
    }

    /// Up to `len` bytes; None where there is nothing now.
    pub(crate) fn read(&mut self, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        if len == 0 {
            return Ok(Some(Vec::new()));
        }
        if self.text.is_empty() {
            self.text = self.next(len)?;
        }
        if self.text.is_empty() {
            return Ok(None);
        }
        self.has_read = true;
        let rest = self.text.split_off(len.min(self.text.len()));
        Ok(Some(std::mem::replace(&mut self.text, rest)))
    }

    /// The text of events with about `len` bytes, of one at least if there is one.
    fn next(&self, len: usize) -> Result<Vec<u8>, Errno> {
        let most = (len / LINE).max(1);
        let batch =
            self.array.read(self.is_snapshot, |reader, contents| reader.batch(contents, self.cpu, most))?;
        let batch = batch.unwrap_or_default();
        if batch.records.is_empty() {
            return Ok(Vec::new());
        }
        let layout = Layout { annotate: false, ..layout(self.array.instance()) };
        let events = self.array.formats();
        let writer = TextWriter::new(Vec::new(), &events, &*batch.threads, &*batch.symbols, layout);
        let mut writer = writer.with_seen(Seen::of_pipe());
        for record in &batch.records {
            // Writing to memory does not fail.
            let _ = writer.event(&record.borrowed());
        }
        Ok(writer.finish().unwrap_or_default())
    }

    /// Whether there is text that was not read.
    pub(crate) fn has_text(&self) -> bool {
        !self.text.is_empty()
    }

    /// Whether a read would get something.
    pub(crate) fn has_events(&self) -> bool {
        let has_events =
            || self.array.read(self.is_snapshot, |reader, contents| reader.has_events(contents, self.cpu));
        self.has_text() || has_events() == Ok(Some(true))
    }

    /// Whether nothing will come: something was read, and recording is off.
    pub(crate) fn is_at_end(&self) -> bool {
        self.has_read && self.array.instance().buffer().control().is_off()
    }
}
