//! The records of a trace on their way to whatever is made of them.

use super::{Problem, tell_none_shown};
use crate::arguments::ViewArguments;
use crate::completeness::completeness;
use crate::failure::Failure;
use crate::say::note;
use crate::unseen::described;
use export::Sink;
use query::{
    Chooser, Interruption, Query, Redaction, SourceSymbols, Survey, TraceBuffer, TraceContents, TraceFile,
};
use std::error::Error;
use std::fs::File;
use std::ops::RangeInclusive;
use trace_data::dat;
use trace_data::info::TraceInfo;

/// Says that a file can't be used.
pub(crate) type FileComplaint<'a> = dyn Fn(&(dyn Error + 'static)) -> Failure + 'a;

/// A trace after the first look at it, for whatever is made of its records.
pub(crate) struct Surveyed<'a, 'b> {
    pub(crate) contents: &'b TraceContents,
    pub(crate) trace: &'b TraceInfo<'a>,
    pub(crate) survey: &'b Survey,
    /// The ids of the chosen events that it has.
    pub(crate) chosen: &'b [u16],
    /// The chosen time.
    pub(crate) window: &'b RangeInclusive<u64>,
}

impl Surveyed<'_, '_> {
    /// Since when the trace is complete; nothing where no event was lost.
    pub(crate) fn completeness(&self) -> Option<String> {
        let Surveyed { contents, trace, survey, .. } = *self;
        let last = survey.bounds.map_or(0, |(_, last)| contents.metadata.options.time(last));
        let dropped = contents.metadata.supplement.dropped.iter().map(|(count, _)| count).sum();
        completeness(&contents.gaps(survey), dropped, last, trace.nanoseconds)
    }

    /// The time of its first event.
    pub(crate) fn first_time(&self) -> u64 {
        self.survey.bounds.map_or(0, |(first, _)| self.contents.metadata.options.time(first))
    }

    /// An error where its times are none.
    pub(crate) fn check_time(&self) -> Result<(), Failure> {
        check_time(self.contents, self.trace)
    }
}

/// Has the records of a trace go to a sink.
pub(crate) type Feed<'a> = dyn FnMut(&mut dyn Sink) -> Result<(), Problem> + 'a;

/// Opens a trace, and has `make` make a sink, to which its chosen records go. What can be read of a damaged
/// or truncated file goes there, too, before that is said.
pub(crate) fn play(
    file: File,
    buffer: Option<&str>,
    view: &ViewArguments,
    unusable: &FileComplaint<'_>,
    make: impl FnOnce(&Surveyed<'_, '_>, &mut Feed<'_>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    play_known(file, buffer, view, None, unusable, make)
}

/// Opens a trace, which may have been truncated, and says what is missing, if anything is.
pub(crate) fn open(
    file: File,
    buffer: Option<&str>,
    unusable: &FileComplaint<'_>,
) -> Result<(TraceFile, Option<dat::Error>), Failure> {
    TraceFile::open_truncated(file, buffer).map_err(|error| match error {
        query::Error::File(error) => unusable(&error),
        query::Error::Format(error) => unusable(&error),
        _ => error.into(),
    })
}

/// What [`play`] does with a trace that may have been surveyed before.
pub(crate) fn play_known(
    file: File,
    buffer: Option<&str>,
    view: &ViewArguments,
    survey: Option<Survey>,
    unusable: &FileComplaint<'_>,
    make: impl FnOnce(&Surveyed<'_, '_>, &mut Feed<'_>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let choice = view.choice();
    let (TraceFile { contents, mut buffer }, truncation) = open(file, buffer, unusable)?;
    let symbols = symbols(&contents, view);
    let trace = contents.info(&symbols);
    check(view, &contents, &trace)?;
    let (survey, read) = survey.map_or_else(|| buffer.survey(), |survey| (survey, Ok(())));
    // Which CPUs a trace has, and where it begins and ends, is known of a whole one.
    let lacks_cpus = truncation.is_some() && choice.cpus.is_some();
    if let Some(error) = truncation.as_ref().or(read.as_ref().err())
        && (lacks_cpus || choice.time.is_relative())
    {
        return Err(unusable(error).into());
    }
    if let Some(cpus) = &choice.cpus
        && survey.cpus > 0
        && !(0..survey.cpus as u32).any(|cpu| cpus.contains(cpu))
    {
        let last = survey.cpus - 1;
        return Err(
            Failure::failed(format_args!("the trace has no such CPU: expected -C with 0 to {last}")).into()
        );
    }
    let chooser = Chooser::new(&choice, trace.events, contents.time_reference(&survey))?;
    let redaction = Redaction::new(&view.redact, trace.events)?;
    let chosen: Vec<u16> = survey.ids.iter().copied().filter(|id| chooser.names_event(*id)).collect();
    let window = chooser.window().clone();
    let surveyed =
        Surveyed { contents: &contents, trace: &trace, survey: &survey, chosen: &chosen, window: &window };
    let mut query = Query::new(chooser).redacted(redaction);
    make(&surveyed, &mut |sink| feed(sink, &mut query, &mut buffer, &surveyed, view, unusable))?;
    truncation.map_or(Ok(()), |error| Err(unusable(&error).into()))
}

/// Has the chosen records go to `sink`, and says what is not there.
fn feed(
    sink: &mut dyn Sink,
    query: &mut Query,
    buffer: &mut TraceBuffer,
    surveyed: &Surveyed<'_, '_>,
    view: &ViewArguments,
    unusable: &FileComplaint<'_>,
) -> Result<(), Problem> {
    let Surveyed { contents, trace, .. } = *surveyed;
    let mut is_empty = true;
    let read = match buffer.records(contents) {
        Some(mut records) => query.play(&mut records, trace, |record, is_chosen| match is_chosen {
            true => {
                is_empty = false;
                sink.record(record, trace)
            }
            false => sink.pass_over(record, trace),
        }),
        None => Ok(()),
    };
    if !matches!(read, Err(Interruption::Sink(_))) {
        // What was read before damage is shown all the same.
        sink.finish(trace)?;
        if is_empty {
            tell_none_shown(&view.wanted_events(), query.passed_over(), &view.choice.given(false));
        }
    }
    tell_unseen(contents);
    read.map_err(|interruption| match interruption {
        Interruption::Source(error) => unusable(&error).into(),
        Interruption::Sink(error) => error.into(),
    })
}

/// Says which processes the trace does not have, or has in part.
fn tell_unseen(contents: &TraceContents) {
    let unseen = &contents.metadata.supplement.unseen;
    described(unseen).for_each(|line| note!("lookback: {line}"));
}

fn symbols<'a>(contents: &'a TraceContents, view: &ViewArguments) -> SourceSymbols<'a> {
    let mut symbols = SourceSymbols::new(&contents.metadata);
    if !view.no_demangle {
        symbols.demangle();
    }
    if view.lines {
        symbols.find_lines(&contents.metadata);
    }
    symbols
}

fn check_time(contents: &TraceContents, trace: &TraceInfo<'_>) -> Result<(), Failure> {
    let clock = &contents.clock;
    match trace.nanoseconds {
        true => Ok(()),
        false => Err(Failure::failed(format_args!("the trace's clock, {clock}, doesn't count time"))),
    }
}

/// Whether the trace has what is asked for.
fn check(view: &ViewArguments, contents: &TraceContents, trace: &TraceInfo<'_>) -> Result<(), Failure> {
    let choice = &view.choice;
    if choice.tgid.is_some() && contents.threads.processes().is_empty() {
        return Err(Failure::failed(
            "the trace doesn't have the processes of threads: choose threads by -P, or by name with -t",
        ));
    }
    let is_timed = choice.from.is_some() || choice.to.is_some() || choice.time.is_some();
    if is_timed || view.form.pair.is_some() || view.form.waits {
        check_time(contents, trace)?;
    }
    if view.times.wall_clock && (!trace.nanoseconds || trace.real_time(0).is_none()) {
        return Err(Failure::failed("the trace has no readings of the wall clock: leave out --wall-clock"));
    }
    Ok(())
}
