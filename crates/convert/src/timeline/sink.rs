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
        let mut threads: Vec<(u64, i32)> =
            self.threads.iter().map(|(tid, thread)| (thread.track.number, *tid)).collect();
        threads.sort_unstable();
        for (_, tid) in threads {
            self.leave_all(tid, self.last, SliceEnding::Unfinished, trace)?;
        }
        self.drawing.finish(&self.processes, trace)
    }
}
