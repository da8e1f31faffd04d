//! A trace that is compared.

use crate::arguments::{DiffArguments, SnapshotOption};
use crate::duration::duration;
use crate::failure::{Done, Failure};
use crate::number::count;
use crate::persistent;
use crate::report::{FileComplaint, Problem, Surveyed, play, what_is_wrong};
use export::{Error, Sink};
use query::{Findings, ProfileSums, TraceProfile};
use session::SnapshotNumber;
use std::fs::File;
use std::path::Path;
use trace_data::info::TraceInfo;
use trace_data::record::Record;
use trace_data::text::printable;

/// What is typical of it, and what it is.
#[derive(Debug)]
pub(super) struct ComparedTrace {
    name: String,
    pub(super) profile: TraceProfile,
    /// Since when it is complete; nothing where no event was lost.
    complete: Option<String>,
}

/// What a trace is, for people and programs.
#[derive(Debug)]
pub(super) struct TraceHead {
    pub(super) name: String,
    pub(super) events: u64,
    pub(super) span: u64,
    pub(super) complete: Option<String>,
}

impl ComparedTrace {
    /// Reads a file, or a snapshot of this number.
    pub(super) fn read(path: &Path, arguments: &DiffArguments) -> Done<ComparedTrace> {
        if let Some(number) = snapshot(path) {
            let file = persistent::copied(&arguments.part.instance, &SnapshotOption::of(number))?;
            let unusable = |error: &(dyn std::error::Error + 'static)| Failure::failed(error);
            return profiled(file, format!("snapshot {number}"), arguments, &unusable);
        }
        let unusable =
            |error: &(dyn std::error::Error + 'static)| Failure::failed(what_is_wrong(path, error));
        let file = File::open(path).map_err(|error| unusable(&error))?;
        profiled(file, printable(&path.to_string_lossy()).into_owned(), arguments, &unusable)
    }

    /// What it is.
    pub(super) fn head(&self) -> TraceHead {
        let TraceProfile { events, span, .. } = self.profile;
        TraceHead { name: self.name.clone(), events, span, complete: self.complete.clone() }
    }
}

impl TraceHead {
    /// A line.
    pub(super) fn line(&self) -> String {
        let complete = match &self.complete {
            Some(complete) => format!("the trace is {complete}"),
            None => "no event was lost".to_owned(),
        };
        let events = count(self.events, "event", "events");
        format!("{}: {events} in {}; {complete}", self.name, duration(self.span))
    }
}

/// The snapshot that is meant, if no file is called so.
fn snapshot(path: &Path) -> Option<SnapshotNumber> {
    path.to_str().filter(|_| !path.exists())?.parse().ok()
}

fn profiled(
    file: File,
    name: String,
    arguments: &DiffArguments,
    unusable: &FileComplaint<'_>,
) -> Done<ComparedTrace> {
    let view = arguments.part.view();
    let mut read = None;
    let buffer = arguments.part.instance.name.as_deref();
    let played = play(file, buffer, &view, true, unusable, |surveyed, feed| {
        if !surveyed.trace.nanoseconds {
            let clock = &surveyed.contents.clock;
            return Err(
                Failure::failed(format_args!("{name}: the clock, {clock}, doesn't count time")).into()
            );
        }
        let mut sink = ProfiledTrace::new(surveyed);
        feed(&mut sink)?;
        read = Some((sink.profile, surveyed.completeness()));
        Ok(())
    });
    match (played, read) {
        (Ok(()), Some((profile, complete))) => Ok(ComparedTrace { name, profile, complete }),
        (Err(Problem::Failed(failure)), _) => Err(failure),
        (Err(Problem::Output(error)), _) => Err(Failure::failed(error)),
        (Ok(()), None) => Err(Failure::failed(format_args!("{name}: has no events"))),
    }
}

/// Finds what is typical.
struct ProfiledTrace {
    findings: Findings,
    sums: ProfileSums,
    profile: TraceProfile,
}

impl ProfiledTrace {
    fn new(surveyed: &Surveyed<'_, '_>) -> ProfiledTrace {
        let findings = Findings::new(surveyed.trace.events, surveyed.contents.gaps(surveyed.survey));
        ProfiledTrace { findings, sums: ProfileSums::default(), profile: TraceProfile::default() }
    }
}

impl Sink for ProfiledTrace {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        if let Some(call) = self.findings.add(record, true, trace) {
            self.sums.add(&call, call.about(record));
        }
        Ok(())
    }

    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.findings.add(record, false, trace);
        Ok(())
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.profile = std::mem::take(&mut self.sums).finish(&mut self.findings, trace);
        Ok(())
    }
}
