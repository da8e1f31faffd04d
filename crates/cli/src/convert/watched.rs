//! Records on their way to a sink, and bytes on their way to a file: counted, with a bar for those who wait.

use crate::record::progress::ProgressLines;
use crate::report::{Feed, Problem};
use export::{Error, Sink};
use indicatif::ProgressBar;
use std::io::{self, Write};
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Hands records on.
pub(super) struct WatchedSink<'a> {
    sink: &'a mut dyn Sink,
    bar: ProgressBar,
    chosen: u64,
    all: u64,
}

/// Records between two looks at the bar.
const STEP: u64 = 1 << 14;

impl WatchedSink<'_> {
    /// Has `feed` feed a sink with so many records. How many were chosen.
    pub(super) fn feed(sink: &mut dyn Sink, entries: u64, feed: &mut Feed<'_>) -> Result<u64, Problem> {
        let bar = ProgressLines::new().bar(entries);
        let mut watched = WatchedSink { sink, bar, chosen: 0, all: 0 };
        let fed = feed(&mut watched);
        watched.bar.finish_and_clear();
        fed.map(|()| watched.chosen)
    }

    fn step(&mut self) {
        self.all += 1;
        if self.all.is_multiple_of(STEP) {
            self.bar.set_position(self.all);
        }
    }
}

impl Sink for WatchedSink<'_> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.chosen += 1;
        self.step();
        self.sink.record(record, trace)
    }

    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.step();
        self.sink.pass_over(record, trace)
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.sink.finish(trace)
    }
}

/// Counts the bytes that are written.
pub(super) struct CountedOutput<'a> {
    out: &'a mut dyn Write,
    size: u64,
}

impl<'a> CountedOutput<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> CountedOutput<'a> {
        CountedOutput { out, size: 0 }
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }
}

impl Write for CountedOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
