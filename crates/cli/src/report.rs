//! `lookback report`.

mod async_table;
mod calls;
mod explanation;
mod figure_table;
mod json_lines;
mod page;
mod pair;
mod playing;
mod processes;
mod stat;
mod text;
mod times;
mod tracepoint_lines;
mod waits;

use crate::arguments::{ReportArguments, ViewArguments};
use crate::failure::{Done, Failure};
use crate::number::{bytes, count};
use crate::record::output::Output;
use crate::say::note;
use crate::stdout::{lines, written};
use async_table::AsyncTable;
use calls::CallLines;
use explanation::{Explanation, ExplanationForm};
pub(crate) use explanation::{call_name, call_text, error_name};
use export::Sink;
use export::json::JsonLines;
use json_lines::DescribedLines;
use page::ReportPage;
use pair::PairTables;
pub(crate) use playing::{Feed, FileComplaint, Surveyed, open, play, play_known};
pub(crate) use processes::outcome;
use processes::{ProcessForm, ProcessTable};
use query::{AsyncTasks, LockHolder, LockWaits, Pairs, ProcessTree, Waits};
use session::Selection;
use stat::CountTables;
use std::error::Error;
use std::fs::File;
use std::io;
use std::path::Path;
use text::TextLines;
use times::Times;
use trace_data::dat;
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
    match &view.form.html {
        Some(out) => write_page((file, buffer), view, &file_name(path), out, &unusable),
        None => done(show(file, buffer, view, &unusable)),
    }
}

/// Shows a session's events, which were written to `file`.
pub(crate) fn show_written(file: File, view: &ViewArguments) -> Done {
    let unusable = |error: &(dyn Error + 'static)| Failure::failed(error);
    match &view.form.html {
        Some(out) => write_page((file, None), view, "a session", out, &unusable),
        None => done(show(file, None, view, &unusable)),
    }
}

/// Writes a page about a trace that is called so. What can be read of a damaged one is in it.
fn write_page(
    (file, buffer): (File, Option<&str>),
    view: &ViewArguments,
    title: &str,
    out: &Path,
    unusable: &FileComplaint<'_>,
) -> Done {
    let output = Output::prepare(out)?;
    let mut page = String::new();
    let read = play(file, buffer, view, unusable, |surveyed, feed| {
        let times = Times::of(view.times, surveyed.first_time());
        let mut report = ReportPage::new(surveyed, title.to_owned(), times);
        let fed = feed(&mut report);
        page = report.into_page();
        fed
    });
    if !page.is_empty() {
        let written = output.write_if(|out| {
            let written = out.write_all(page.as_bytes());
            let is_kept = written.is_ok();
            (written, is_kept)
        })?;
        written.map_err(|error| Failure::failed(format_args!("{}: {error}", out.display())))?;
        note!("lookback: {} in {}", bytes(page.len() as u64), out.display());
    }
    done(read)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn show(
    file: File,
    buffer: Option<&str>,
    view: &ViewArguments,
    unusable: &FileComplaint<'_>,
) -> Result<(), Problem> {
    play(file, buffer, view, unusable, |surveyed, feed| feed(&mut *sink(view, surveyed)?))
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

/// What is made of the records.
fn sink<'a>(view: &'a ViewArguments, surveyed: &Surveyed<'a, '_>) -> Result<Box<dyn Sink + 'a>, Problem> {
    let Surveyed { contents, trace, survey, .. } = *surveyed;
    let out = io::stdout().lock();
    let times = Times::of(view.times, surveyed.first_time());
    let gaps = contents.gaps(survey);
    if view.form.json && !view.form.has_own_json() {
        return Ok(Box::new(DescribedLines::new(JsonLines::new(out, view.times.wall_clock), gaps)));
    }
    let complete = surveyed.completeness();
    if view.form.explain {
        let out = io::BufWriter::new(anstream::AutoStream::auto(out));
        let form = ExplanationForm { json: view.form.json, times };
        return Ok(Box::new(Explanation::new(out, trace.events, gaps, complete, form)));
    }
    if view.form.ktrace {
        return Ok(Box::new(TracepointLines::new(lines(out), complete, times)?));
    }
    if view.form.calls {
        return Ok(Box::new(CallLines::new(lines(out), gaps, complete, times)?));
    }
    if view.form.tree {
        let form = ProcessForm { json: view.form.json, times };
        let out = io::BufWriter::new(anstream::AutoStream::auto(out));
        return Ok(Box::new(ProcessTable::new(
            out,
            ProcessTree::new(gaps),
            surveyed.first_time(),
            complete,
            form,
        )));
    }
    if view.form.waits {
        let out = io::BufWriter::new(anstream::AutoStream::auto(out));
        let waits = Waits::new(trace.events, gaps);
        let (given, events) = (view.choice.given(true), &view.choice.events);
        return Ok(Box::new(WaitTable::new(out, waits, view.form.json, (events, given), complete)));
    }
    if view.form.tasks {
        let out = io::BufWriter::new(anstream::AutoStream::auto(out));
        return Ok(Box::new(AsyncTable::new(out, AsyncTasks::new(gaps), view.form.json, complete)));
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
    Ok(Box::new(TextLines::new(lines(out), surveyed, complete.as_slice(), view)?))
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
    let hint = match error.downcast_ref() {
        Some(dat::Error::Truncated { .. }) => ", and all of it: this one was truncated, copy it again",
        Some(dat::Error::Damaged(_)) => ", as it was then: copy it again",
        _ => "",
    };
    format!("{shown}: {error}; expected a file that lookback record or trace-cmd record has written{hint}")
}
