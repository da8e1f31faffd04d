//! A part of a trace as a trace.dat file of its own.

use crate::failure::Failure;
use crate::report::{Problem, Surveyed};
use export::dat::DatFile;
use export::{Error, Sink};
use std::io::Write;
use std::path::Path;
use trace_data::dat::{Metadata, Version};
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Writes the records that are chosen, with what is known of the whole trace.
pub(super) struct CutFile<'a, W> {
    file: DatFile<'a, W>,
    metadata: Metadata,
}

impl<'a, W: Write> CutFile<'a, W> {
    /// Writes to `out`. Pages wait in `directory`.
    pub(super) fn new(
        out: W,
        directory: &'a Path,
        surveyed: &Surveyed<'_, '_>,
    ) -> Result<CutFile<'a, W>, Problem> {
        let Ok(cpus @ 1..) = u32::try_from(surveyed.survey.cpus) else {
            return Err(Failure::failed("the trace is damaged: it can't be cut into a trace.dat file").into());
        };
        let mut metadata = surveyed.trace.metadata.clone();
        let options = &mut metadata.options;
        // Records have the times that are shown.
        if options.time_offset != 0 {
            metadata.supplement.real_times = vec![(0, 0)];
        }
        (options.time_offset, options.tsc_scale) = (0, None);
        // Pages say what is missing before a record, and nothing says it after the last.
        let gaps = surveyed.contents.gaps(surveyed.survey);
        metadata.supplement.gaps.extend(gaps.intervals().iter().filter(|(_, end)| *end == u64::MAX));
        // They are of all records.
        options.cpu_stats.clear();
        Ok(CutFile { file: DatFile::new(out, Version::Six, cpus, directory), metadata })
    }
}

impl<W: Write> Sink for CutFile<'_, W> {
    fn record(&mut self, record: &Record<'_>, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.file.push(record)
    }

    fn finish(&mut self, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.file.write(&self.metadata).map(drop)
    }
}
