//! A trace that is compared.

use crate::arguments::{DiffArguments, InstanceArguments, SnapshotOption, ViewArguments};
use crate::duration::duration;
use crate::failure::{Done, Failure};
use crate::number::count;
use crate::persistent;
use crate::report::{FileComplaint, Problem, Surveyed, play, what_is_wrong};
use export::{Error, Sink};
use query::{Findings, ProfileSums, TimeBound, TraceProfile};
use session::SnapshotNumber;
use std::fs::File;
use std::ops::RangeInclusive;
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
    /// How long it is in all.
    length: u64,
    /// Where its end alone is compared, how long that is.
    end: Option<u64>,
}

/// What a trace is, for people and programs.
#[derive(Debug)]
pub(super) struct TraceHead {
    pub(super) name: String,
    pub(super) events: u64,
    pub(super) span: u64,
    pub(super) complete: Option<String>,
    /// Where its end alone is compared, how long that is, and the whole.
    pub(super) end: Option<(u64, u64)>,
}

impl ComparedTrace {
    /// Reads a file, or a snapshot of this number: the last so many nanoseconds, or all.
    pub(super) fn read(path: &Path, last: Option<u64>, arguments: &DiffArguments) -> Done<ComparedTrace> {
        let mut view = arguments.part.view();
        if let Some(last) = last {
            view.choice.from = Some(TimeBound::BeforeLast(last));
        }
        let buffer = &arguments.part.instance;
        if let Some(number) = snapshot(path) {
            let file = persistent::copied(buffer, &SnapshotOption::of(number))?;
            let unusable = |error: &(dyn std::error::Error + 'static)| Failure::failed(error);
            return profiled(file, format!("snapshot {number}"), &view, buffer, &unusable);
        }
        let unusable =
            |error: &(dyn std::error::Error + 'static)| Failure::failed(what_is_wrong(path, error));
        let file = File::open(path).map_err(|error| unusable(&error))?;
        profiled(file, printable(&path.to_string_lossy()).into_owned(), &view, buffer, &unusable)
    }

    /// Reads its end alone if it is longer than that.
    pub(super) fn shortened(self, path: &Path, span: u64, arguments: &DiffArguments) -> Done<ComparedTrace> {
        match self.length > span {
            true => {
                Ok(ComparedTrace { end: Some(span), ..ComparedTrace::read(path, Some(span), arguments)? })
            }
            false => Ok(self),
        }
    }

    /// How long it is, in nanoseconds.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// What it is.
    pub(super) fn head(&self) -> TraceHead {
        let TraceProfile { events, span, .. } = self.profile;
        let end = self.end.map(|end| (end, self.length));
        TraceHead { name: self.name.clone(), events, span, complete: self.complete.clone(), end }
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
        let span = match self.end {
            Some((end, whole)) => format!("the last {} of {}", duration(end), duration(whole)),
            None => duration(self.span),
        };
        format!("{}: {events} in {span}; {complete}", self.name)
    }
}

/// The snapshot that is meant, if no file is called so.
pub(super) fn snapshot(path: &Path) -> Option<SnapshotNumber> {
    path.to_str().filter(|_| !path.exists())?.parse().ok()
}

fn profiled(
    file: File,
    name: String,
    view: &ViewArguments,
    buffer: &InstanceArguments,
    unusable: &FileComplaint<'_>,
) -> Done<ComparedTrace> {
    let mut read = None;
    let played = play(file, buffer.name.as_deref(), view, true, unusable, |surveyed, feed| {
        if !surveyed.trace.nanoseconds {
            let clock = &surveyed.contents.clock;
            return Err(
                Failure::failed(format_args!("{name}: the clock, {clock}, doesn't count time")).into()
            );
        }
        let mut sink = ProfiledTrace::new(surveyed);
        feed(&mut sink)?;
        let bounds = surveyed.contents.time_reference(surveyed.survey).bounds;
        let length = bounds.map_or(0, |(first, last)| last - first);
        read = Some((sink.profile, surveyed.completeness(), length));
        Ok(())
    });
    match (played, read) {
        (Ok(()), Some((profile, complete, length))) => {
            Ok(ComparedTrace { name, profile, complete, length, end: None })
        }
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
    window: RangeInclusive<u64>,
}

impl ProfiledTrace {
    fn new(surveyed: &Surveyed<'_, '_>) -> ProfiledTrace {
        let findings = Findings::new(surveyed.trace.events, surveyed.contents.gaps(surveyed.survey));
        let window = surveyed.window.clone();
        ProfiledTrace { findings, sums: ProfileSums::default(), profile: TraceProfile::default(), window }
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
        self.profile = std::mem::take(&mut self.sums).finish(&mut self.findings, &self.window, trace);
        Ok(())
    }
}
