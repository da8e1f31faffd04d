//! `lookback report`.

mod calls;
mod explanation;
mod json_lines;
mod pair;
mod processes;
mod stat;
mod text;
mod times;
mod tracepoint_lines;
mod waits;

use crate::arguments::{ReportArguments, ViewArguments};
use crate::completeness::completeness;
use crate::failure::{Done, Failure};
use crate::number::count;
use crate::say::note;
use crate::stdout::written;
use crate::unseen::lines;
use calls::CallLines;
use explanation::{Explanation, ExplanationForm};
pub(crate) use explanation::{call_name, call_text, error_name};
use export::Sink;
use export::json::JsonLines;
use json_lines::DescribedLines;
use pair::PairTables;
pub(crate) use processes::outcome;
use processes::{ProcessForm, ProcessTable};
use query::{
    Chooser, Interruption, LockHolder, LockWaits, Pairs, ProcessTree, Query, Redaction, SourceSymbols,
    Survey, TraceBuffer, TraceContents, TraceFile, Waits,
};
use session::Selection;
use stat::CountTables;
use std::error::Error;
use std::fs::File;
use std::io;
use std::path::Path;
use text::TextLines;
use times::Times;
use trace_data::dat;
use trace_data::info::TraceInfo;
use trace_data::text::{Tasks, printable};
use tracepoint_lines::TracepointLines;
use waits::WaitTable;

/// Shows a trace.dat file.
pub(crate) fn run(arguments: &ReportArguments) -> Done {
    show_file(&arguments.file, arguments.buffer.as_deref(), &arguments.view)
}

/// Shows the trace.dat file of this path, or a buffer of it.
pub(crate) fn show_file(path: &Path, buffer: Option<&str>, view: &ViewArguments) -> Done {
    let unusable = |error: &(dyn Error + 'static)| Failure::failed(what_is_wrong(path, error));
    let file = File::open(path).map_err(|error| unusable(&error))?;
    done(show(file, buffer, view, &unusable))
}

/// Shows a session's events, which were written to `file`.
pub(crate) fn show_written(file: File, view: &ViewArguments) -> Done {
    done(show(file, None, view, &|error| Failure::failed(error)))
}

fn show(
    file: File,
    buffer: Option<&str>,
    view: &ViewArguments,
    unusable: &FileComplaint<'_>,
) -> Result<(), Problem> {
    let is_lenient = view.form.json;
    play(file, buffer, view, is_lenient, unusable, |surveyed, feed| feed(&mut *sink(view, surveyed)?))
}

/// Says that a file can't be used.
pub(crate) type FileComplaint<'a> = dyn Fn(&(dyn Error + 'static)) -> Failure + 'a;

/// A trace after the first look at it, for whatever is made of its records.
pub(crate) struct Surveyed<'a, 'b> {
    pub(crate) contents: &'b TraceContents,
    pub(crate) trace: &'b TraceInfo<'a>,
    pub(crate) survey: &'b Survey,
    /// The ids of the chosen events that it has.
    pub(crate) chosen: &'b [u16],
}

/// Why showing has ended early.
pub(crate) enum Problem {
    Failed(Failure),
    /// Standard output can't be written.
    Output(io::Error),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        Problem::Output(error)
    }
}

impl From<export::Error> for Problem {
    fn from(error: export::Error) -> Problem {
        match error {
            export::Error::Io(error) => Problem::Output(error),
            error => Problem::Failed(Failure::failed(error)),
        }
    }
}

impl From<query::Error> for Problem {
    fn from(error: query::Error) -> Problem {
        Problem::Failed(error.into())
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Problem {
        Problem::Failed(failure)
    }
}

pub(crate) fn done(shown: Result<(), Problem>) -> Done {
    match shown {
        Ok(()) => written(Ok(())),
        Err(Problem::Output(error)) => written(Err(error)),
        Err(Problem::Failed(failure)) => Err(failure),
    }
}

/// Has the records of a trace go to a sink.
pub(crate) type Feed<'a> = dyn FnMut(&mut dyn Sink) -> Result<(), Problem> + 'a;

/// Opens a trace, and has `make` make a sink, to which its chosen records go. With `is_lenient`, what can be
/// read of a damaged file goes there, too.
pub(crate) fn play(
    file: File,
    buffer: Option<&str>,
    view: &ViewArguments,
    is_lenient: bool,
    unusable: &FileComplaint<'_>,
    make: impl FnOnce(&Surveyed<'_, '_>, &mut Feed<'_>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let choice = view.choice();
    let opened = TraceFile::open(file, buffer);
    let TraceFile { contents, mut buffer } = opened.map_err(|error| match error {
        query::Error::File(error) => unusable(&error),
        query::Error::Format(error) => unusable(&error),
        _ => error.into(),
    })?;
    let symbols = symbols(&contents, view);
    let trace = contents.info(&symbols);
    check(view, &contents, &trace)?;
    let survey = match (buffer.survey(), is_lenient && !choice.time.is_relative() && choice.cpus.is_none()) {
        (Ok(survey), _) => survey,
        // What can be read of a damaged file is written all the same.
        (Err(_), true) => Survey::default(),
        (Err(error), false) => return Err(unusable(&error).into()),
    };
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
    let surveyed = Surveyed { contents: &contents, trace: &trace, survey: &survey, chosen: &chosen };
    let mut query = Query::new(chooser).redacted(redaction);
    make(&surveyed, &mut |sink| feed(sink, &mut query, &mut buffer, &surveyed, view, unusable))
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
        Ok(Some(mut records)) => query.play(&mut records, trace, |record, is_chosen| match is_chosen {
            true => {
                is_empty = false;
                sink.record(record, trace)
            }
            false => sink.pass_over(record, trace),
        }),
        Ok(None) => Ok(()),
        Err(error) => Err(Interruption::Source(error)),
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
    for (what, in_part) in [("not recorded", false), ("recorded in part", true)] {
        for line in lines(unseen, in_part) {
            note!("lookback: {what}: {line}");
        }
    }
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

/// Whether the trace has what is asked for.
fn check(view: &ViewArguments, contents: &TraceContents, trace: &TraceInfo<'_>) -> Result<(), Failure> {
    let choice = &view.choice;
    if choice.tgid.is_some() && contents.threads.processes().is_empty() {
        return Err(Failure::failed(
            "the trace doesn't have the processes of threads: choose threads by -P, or by name with -t",
        ));
    }
    let is_timed = choice.from.is_some() || choice.to.is_some() || choice.time.is_some();
    if (is_timed || view.form.pair.is_some() || view.form.waits) && !trace.nanoseconds {
        let clock = &contents.clock;
        return Err(Failure::failed(format_args!("the trace's clock, {clock}, doesn't count time")));
    }
    if view.wall_clock && (!trace.nanoseconds || trace.real_time(0).is_none()) {
        return Err(Failure::failed("the trace has no readings of the wall clock: leave out --wall-clock"));
    }
    Ok(())
}

/// What is made of the records.
fn sink<'a>(view: &'a ViewArguments, surveyed: &Surveyed<'a, '_>) -> Result<Box<dyn Sink + 'a>, Problem> {
    let Surveyed { contents, trace, survey, chosen } = *surveyed;
    let out = io::stdout().lock();
    let times = Times { wall_clock: view.wall_clock };
    let gaps = contents.gaps(survey);
    if view.form.json && !view.form.tree && !view.form.waits && !view.form.explain {
        return Ok(Box::new(DescribedLines::new(JsonLines::new(out, view.wall_clock), gaps)));
    }
    let last = survey.bounds.map_or(0, |(_, last)| contents.metadata.options.time(last));
    let dropped = contents.metadata.supplement.dropped.iter().map(|(count, _)| count).sum();
    let complete = completeness(&gaps, dropped, last, trace.nanoseconds);
    if view.form.explain {
        let out = io::BufWriter::new(anstream::AutoStream::auto(out));
        let form = ExplanationForm { json: view.form.json, times };
        return Ok(Box::new(Explanation::new(out, trace.events, gaps, complete, form)));
    }
    if view.form.ktrace {
        return Ok(Box::new(TracepointLines::new(io::BufWriter::new(out), complete, times)?));
    }
    if view.form.calls {
        return Ok(Box::new(CallLines::new(io::BufWriter::new(out), gaps, complete, times)?));
    }
    if view.form.tree {
        let form = ProcessForm { json: view.form.json, times };
        let first = survey.bounds.map_or(0, |(first, _)| contents.metadata.options.time(first));
        let out = io::BufWriter::new(anstream::AutoStream::auto(out));
        return Ok(Box::new(ProcessTable::new(out, ProcessTree::new(gaps), first, complete, form)));
    }
    if view.form.waits {
        let out = io::BufWriter::new(anstream::AutoStream::auto(out));
        let waits = Waits::new(trace.events, gaps);
        let (given, events) = (view.choice.given(true), &view.choice.events);
        return Ok(Box::new(WaitTable::new(out, waits, view.form.json, (events, given), complete)));
    }
    // Tables may have colours; where nobody wants them they are removed again.
    if view.form.stat {
        return Ok(Box::new(CountTables::new(anstream::AutoStream::auto(out), complete, times)));
    }
    if let Some(pair) = &view.form.pair {
        let pairs = Pairs::new(pair, view.form.key.as_deref(), trace.events, gaps.clone())?;
        let given = view.choice.given(true);
        let (out, locks) = (anstream::AutoStream::auto(out), LockWaits::new(gaps));
        return Ok(Box::new(PairTables::new(out, pairs, locks, pair, (given, complete), times)));
    }
    Ok(Box::new(TextLines::new(out, trace, survey, chosen, complete.as_slice(), view)?))
}

/// Says so where no event is shown, because of what was asked for: these events, and what is `given`.
pub(crate) fn tell_none_shown(events: &[Selection], passed_over: u64, given: &[String]) {
    if !events.is_empty() || !given.is_empty() && passed_over > 0 {
        note!("lookback: {}", none_shown(events.iter().map(Selection::text), passed_over, given));
    }
}

/// Why none of these events are shown, and what to do: the trace has none, or has some that the options
/// `given` have passed over.
fn none_shown<'a>(events: impl Iterator<Item = &'a str>, passed_over: u64, given: &[String]) -> String {
    let events: Vec<String> = events.map(|event| format!("-e '{event}'")).collect();
    let (events, given) = (events.join(" "), given.join(" "));
    let has = count(passed_over, "event", "events");
    match (passed_over, events.is_empty()) {
        (0, _) => {
            format!("the trace has none of these events; if they were not enabled, `{events}` enables them")
        }
        (_, true) => format!("the trace has {has}, but none matches {given}"),
        (_, false) => format!("the trace has {has} of {events}, but none matches {given}"),
    }
}

/// How a thread is called in tables: `NAME-TID`.
pub(crate) fn label(tasks: &dyn Tasks, pid: i32) -> String {
    format!("{}-{pid}", printable(tasks.comm(pid).unwrap_or("<...>")))
}

/// Who has held a lock, in tables and lines.
fn held_by(holder: LockHolder, tasks: &dyn Tasks) -> String {
    match holder.others {
        0 => label(tasks, holder.tid),
        others => format!("{} and {}", label(tasks, holder.tid), count(others as u64, "other", "others")),
    }
}

/// What is wrong with a file, and what to do.
pub(crate) fn what_is_wrong(path: &Path, error: &(dyn Error + 'static)) -> String {
    let shown = path.display();
    if !path.exists() {
        return format!("{shown}: {error}: make a trace by `lookback record -- CMD`, or name one");
    }
    if error.downcast_ref().is_some_and(|error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied) {
        return format!("{shown}: {error}; expected a file that you may read: report it as its owner");
    }
    let is_truncated = matches!(error.downcast_ref(), Some(dat::Error::Truncated { .. }));
    let hint = if is_truncated { ", and all of it: this one was truncated, copy it again" } else { "" };
    format!("{shown}: {error}; expected a file that lookback record or trace-cmd record has written{hint}")
}
