//! A timeline as a sink of records.

use super::SliceTimeline;
use crate::drawing::{Drawing, SliceEnding};
use export::{Error, Sink};
use trace_data::info::TraceInfo;
use trace_data::record::Record;

impl<D: Drawing> Sink for SliceTimeline<D> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.add(record, true, trace)
    }

    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.add(record, false, trace)
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        for tid in self.threads.tids() {
            self.leave_all(tid, self.last, SliceEnding::Unfinished, trace)?;
        }
        self.drawing.finish(&self.processes, trace)
    }
}
