//! A trace that is compared.

use crate::arguments::{DiffArguments, SnapshotOption};
use crate::duration::duration;
use crate::failure::{Done, Failure};
use crate::number::count;
use crate::persistent;
use crate::report::{Problem, Surveyed, open, play_known, what_is_wrong};
use export::Sink;
use query::{Findings, ProfileSums, Survey, TimeBound, TraceContents, TraceFile, TraceProfile};
use session::SnapshotNumber;
use std::error::Error;
use std::fs::File;
use std::io::{self, Seek};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
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

/// A trace that is to be read.
#[derive(Debug)]
pub(super) struct ComparedSource {
    place: TracePlace,
    /// What it is called.
    name: String,
    /// Where its end alone is compared, how long that is.
    end: Option<u64>,
    /// What was seen of it, if it was looked at before.
    survey: Option<Survey>,
}

/// Where a trace is.
#[derive(Debug)]
enum TracePlace {
    File(PathBuf),
    /// Its copy, which is made once.
    Snapshot(File),
}

impl ComparedSource {
    /// A file, or a snapshot of this number.
    pub(super) fn find(path: &Path, arguments: &DiffArguments) -> Done<ComparedSource> {
        let (place, name) = match snapshot(path) {
            Some(number) => {
                let file = persistent::copied(&arguments.part.instance, &SnapshotOption::of(number))?;
                (TracePlace::Snapshot(file), format!("snapshot {number}"))
            }
            None => (TracePlace::File(path.into()), printable(&path.to_string_lossy()).into_owned()),
        };
        Ok(ComparedSource { place, name, end: None, survey: None })
    }

    /// Looks at all of it. How long it is, in nanoseconds.
    fn survey(&mut self, arguments: &DiffArguments) -> Done<u64> {
        let unusable = |error: &(dyn Error + 'static)| self.place.unusable(error);
        let file = self.place.open().map_err(|error| unusable(&error))?;
        let (TraceFile { contents, mut buffer }, truncation) =
            open(file, arguments.part.instance.name.as_deref(), &unusable)?;
        let (survey, read) = buffer.survey();
        // A part isn't compared.
        truncation.map_or(read, Err).map_err(|error| unusable(&error))?;
        let length = length(&contents, &survey);
        self.survey = Some(survey);
        Ok(length)
    }

    /// Reads what is to be compared.
    pub(super) fn read(self, arguments: &DiffArguments) -> Done<ComparedTrace> {
        let mut view = arguments.part.view();
        if let Some(end) = self.end {
            view.choice.from = Some(TimeBound::BeforeLast(end));
        }
        let unusable = |error: &(dyn Error + 'static)| self.place.unusable(error);
        let file = self.place.open().map_err(|error| unusable(&error))?;
        let mut seen = None;
        let buffer = arguments.part.instance.name.as_deref();
        let played = play_known(file, buffer, &view, self.survey, &unusable, |surveyed, feed| {
            if !surveyed.trace.nanoseconds {
                let (name, clock) = (&self.name, &surveyed.contents.clock);
                let text = format_args!("{name}: the clock, {clock}, doesn't count time");
                return Err(Failure::failed(text).into());
            }
            let mut sink = ProfiledTrace::new(surveyed);
            feed(&mut sink)?;
            let length = length(surveyed.contents, surveyed.survey);
            seen = Some((sink.profile, surveyed.completeness(), length));
            Ok(())
        });
        match (played, seen) {
            (Ok(()), Some((profile, complete, length))) => {
                Ok(ComparedTrace { name: self.name, profile, complete, length, end: self.end })
            }
            (Err(Problem::Failed(failure)), _) => Err(failure),
            (Err(Problem::Output(error)), _) => Err(Failure::failed(error)),
            (Ok(()), None) => Err(Failure::failed(format_args!("{}: has no events", self.name))),
        }
    }
}

impl TracePlace {
    /// Says that it can't be used.
    fn unusable(&self, error: &(dyn Error + 'static)) -> Failure {
        match self {
            TracePlace::File(path) => Failure::failed(what_is_wrong(path, error)),
            TracePlace::Snapshot(_) => Failure::failed(error),
        }
    }

    fn open(&self) -> io::Result<File> {
        match self {
            TracePlace::File(path) => File::open(path),
            TracePlace::Snapshot(copy) => {
                let mut file = copy.try_clone()?;
                // It has been read before.
                file.rewind()?;
                Ok(file)
            }
        }
    }
}

/// Has the ends of traces be compared alone, as long as the shortest one is.
pub(super) fn shorten(traces: &mut [&mut ComparedSource], arguments: &DiffArguments) -> Done<()> {
    let lengths = traces.iter_mut().map(|trace| trace.survey(arguments)).collect::<Done<Vec<_>>>()?;
    let shortest = lengths.iter().copied().min().unwrap_or(0);
    for (trace, length) in traces.iter_mut().zip(lengths) {
        trace.end = (length > shortest).then_some(shortest);
    }
    Ok(())
}

fn length(contents: &TraceContents, survey: &Survey) -> u64 {
    let bounds = contents.time_reference(survey).bounds;
    bounds.map_or(0, |(first, last)| last - first)
}

impl ComparedTrace {
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
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), export::Error> {
        if let Some(call) = self.findings.add(record, true, trace) {
            self.sums.add(&call, call.about(record));
        }
        Ok(())
    }

    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), export::Error> {
        self.findings.add(record, false, trace);
        Ok(())
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), export::Error> {
        self.profile = std::mem::take(&mut self.sums).finish(&mut self.findings, &self.window, trace);
        Ok(())
    }
}
