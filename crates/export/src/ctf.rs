//! The Common Trace Format, version 1.8, of LTTng: babeltrace2 and Trace Compass read it.
//!
//! A trace is a directory: a file for each CPU with its events in packets, and `metadata`, a text that says
//! what they consist of. Every event has the fields of its format, with their types.
//!
//! ```text
//! stream_0    | packet | packet | ...     header: magic number, which kind of stream
//!                                         context: times, sizes, events discarded so far, the CPU
//!                                         events: id, time, process, thread, its name, fields
//! metadata    /* CTF 1.8 */ ...
//! ```

mod event;
mod metadata;
mod stream;

use crate::{Error, Sink};
use event::CtfEvent;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stream::CtfStream;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Writes a trace into a directory.
///
/// ```
/// use export::{Sink, ctf::CtfDirectory};
/// use trace_data::dat::Metadata;
/// use trace_data::event::{Event, EventTable};
/// use trace_data::format::Format;
/// use trace_data::info::TraceInfo;
/// use trace_data::page::Missed;
/// use trace_data::print::Dialect;
/// use trace_data::record::Record;
///
/// let format = "name: read_exit\nID: 42\nformat:\n\
///     \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
///     \tfield:int ret;\toffset:8;\tsize:4;\tsigned:1;\n\n\
///     print fmt: \"ret=%d\", REC->ret\n";
/// let event = Event::new(Format::parse("libc", format)?, Dialect::Kernel);
/// let events: EventTable = [event].into_iter().collect();
/// let metadata = Metadata::new(4096);
/// let (tasks, symbols) = (&(), &());
/// let trace = TraceInfo { metadata: &metadata, events: &events, tasks, symbols, nanoseconds: true };
///
/// let directory = tempfile::tempdir()?;
/// let mut ctf = CtfDirectory::new(directory.path());
/// let payload = [42, 0, 0, 0, 7, 0, 0, 0, 17, 0, 0, 0];
/// ctf.record(&Record { cpu: 1, time: 1000, payload: &payload, lost: Missed::None }, &trace)?;
/// ctf.finish(&trace)?;
///
/// let text = std::fs::read_to_string(directory.path().join("metadata"))?;
/// assert!(text.contains("name = \"libc:read_exit\"") && text.contains("_ret;"));
/// assert!(directory.path().join("stream_1").is_file());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CtfDirectory {
    directory: PathBuf,
    /// By CPU.
    streams: BTreeMap<u32, CtfStream>,
    /// By event id, those that there were.
    events: BTreeMap<u16, CtfEvent>,
    /// The time of the first record.
    first: Option<u64>,
    size: u64,
}

impl CtfDirectory {
    /// Writes into `directory`, which is there and has no trace yet.
    pub fn new(directory: &Path) -> CtfDirectory {
        let (streams, events) = (BTreeMap::new(), BTreeMap::new());
        CtfDirectory { directory: directory.to_owned(), streams, events, first: None, size: 0 }
    }

    /// Bytes of all files; after [`Sink::finish`].
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl Sink for CtfDirectory {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let first = *self.first.get_or_insert(record.time);
        let Some(event) = trace.events.of(record.payload) else { return Ok(()) };
        let stream = match self.streams.get_mut(&record.cpu) {
            Some(stream) => stream,
            None => {
                let path = self.directory.join(format!("stream_{}", record.cpu));
                let stream = CtfStream::create(&path, record.cpu, first)?;
                self.streams.entry(record.cpu).or_insert(stream)
            }
        };
        let shape = self.events.entry(record.id()).or_insert_with(|| CtfEvent::of(event));
        stream.lose(record.time, record.lost)?;
        shape.encode(event, record, trace, stream.start_event(record.id(), record.time));
        Ok(stream.end_event()?)
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        for stream in std::mem::take(&mut self.streams).into_values() {
            self.size += stream.finish()?;
        }
        let metadata = metadata::text(&self.events, self.first.unwrap_or_default(), trace);
        std::fs::write(self.directory.join("metadata"), &metadata)?;
        self.size += metadata.len() as u64;
        Ok(())
    }
}
