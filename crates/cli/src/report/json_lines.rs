//! Records as JSON, with what is known of their descriptors.

use export::json::JsonLines;
use export::{Error, Sink};
use query::Descriptors;
use std::io::Write;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Writes an object for each record, with the paths and peers of the descriptors in it.
pub(super) struct DescribedLines<W> {
    lines: JsonLines<W>,
    descriptors: Descriptors,
}

impl<W: Write> DescribedLines<W> {
    /// Writes by `lines`. Events are missing from `gaps`: a descriptor may be another one after it.
    pub(super) fn new(lines: JsonLines<W>, gaps: Gaps) -> DescribedLines<W> {
        DescribedLines { lines, descriptors: Descriptors::new(gaps) }
    }
}

impl<W: Write> Sink for DescribedLines<W> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let names = self.descriptors.names(record, trace);
        self.lines.described(record, &names, trace)?;
        self.descriptors.add(record, trace);
        Ok(())
    }

    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.descriptors.add(record, trace);
        Ok(())
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.lines.finish(trace)
    }
}
