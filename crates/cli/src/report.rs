//! `lookback report`.

pub(crate) mod filter;

use crate::arguments::Report;
use crate::failure::{Done, Failure};
use filter::{Choice, Filter};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use trace_data::dat::Recording;
use trace_data::event::EventTable;
use trace_data::merge::{Merge, Source};
use trace_data::page::{Missed, Page};
use trace_data::print::Dialect;
use trace_data::text::{Header, Layout, TextWriter, is_nanoseconds};

/// Shows a recording.
pub(crate) fn run(arguments: &Report) -> Done {
    done(show(arguments, std::io::stdout().lock()))
}

/// Why showing has ended early.
enum Problem {
    Told(Failure),
    /// Who reads the output has seen enough: no error.
    OutputClosed,
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Problem {
        match error.kind() {
            ErrorKind::BrokenPipe => Problem::OutputClosed,
            _ => Problem::Told(Failure::failed(format_args!("standard output: {error}"))),
        }
    }
}

fn show(arguments: &Report, out: impl Write) -> Result<(), Problem> {
    let path = arguments.file.as_path();
    let unusable = |error: &dyn std::fmt::Display| Problem::Told(Failure::failed(explain(path, error)));
    let file = File::open(path).map_err(|error| unusable(&error))?;
    let choice =
        Choice { events: &arguments.events, cpus: arguments.cpu.as_ref(), threads: arguments.pid.as_ref() };
    print(file, &choice, LossesAtStart::Shown, &unusable, out)
}

/// What was lost before a CPU's first event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LossesAtStart {
    /// Stands there.
    Shown,
    /// Is in the header's count alone, as in the kernel's `trace` file: a full buffer has lost its start.
    Counted,
}

/// Prints a recording that a session's buffers were copied to.
pub(crate) fn print_copy(file: File, choice: &Choice<'_>) -> Done {
    let unusable = |error: &dyn std::fmt::Display| Problem::Told(Failure::failed(error));
    done(print(file, choice, LossesAtStart::Counted, &unusable, std::io::stdout().lock()))
}

fn done(printed: Result<(), Problem>) -> Done {
    match printed {
        Ok(()) | Err(Problem::OutputClosed) => Ok(ExitCode::SUCCESS),
        Err(Problem::Told(failure)) => Err(failure),
    }
}

fn print(
    file: File,
    choice: &Choice<'_>,
    losses: LossesAtStart,
    unusable: &dyn Fn(&dyn std::fmt::Display) -> Problem,
    out: impl Write,
) -> Result<(), Problem> {
    let mut recording = Recording::open(file).map_err(|error| unusable(&error))?;
    let metadata = recording.metadata().clone();
    let events = metadata.events(Dialect::Kernel).map_err(|error| unusable(&error))?;
    let filter = Filter::new(choice, &events).map_err(Problem::Told)?;
    let (symbols, tasks) = (metadata.symbols(), metadata.cmdlines.iter().cloned().collect::<HashMap<_, _>>());
    let buffer = recording.buffers().first().cloned();
    let clock = buffer.as_ref().map_or(metadata.options.clock.as_str(), |buffer| &buffer.clock);
    let scaled = metadata.options.tsc_scale.is_some();
    let layout = Layout { nanoseconds: scaled || is_nanoseconds(clock), ..Layout::default() };
    let mut text = TextWriter::new(out, &events, &tasks, &symbols, layout);
    let counts = count(&mut recording).map_err(|error| unusable(&error))?;
    text.header(&Header { tracer: "nop", ..counts })?;
    let Some(pages) = recording.pages(0) else { return Ok(text.flush()?) };
    let mut merge = Merge::new(pages).map_err(|error| unusable(&error))?;
    let mut lost: HashMap<u32, Missed> = HashMap::new();
    let mut started = HashSet::new();
    loop {
        let next = merge.next().map_err(|error| unusable(&error));
        // What was read before the damage is shown all the same.
        let Some(record) = next.inspect_err(|_| drop(text.flush()))? else { break };
        let is_start = started.insert(record.cpu) && losses == LossesAtStart::Counted;
        let here = if is_start { Missed::None } else { record.lost };
        let missed = lost.remove(&record.cpu).unwrap_or_default().and(here);
        if filter.shows(&record) {
            let time = metadata.options.time(record.time);
            text.event(&trace_data::merge::Record { time, lost: missed, ..record })?;
        } else if missed != Missed::None {
            lost.insert(record.cpu, missed);
        }
    }
    Ok(text.flush()?)
}

/// Counts the events of a recording: a step for each, without looking at what it is.
fn count(recording: &mut Recording<File>) -> Result<Header<'static>, trace_data::dat::Error> {
    let mut header = Header { tracer: "", entries: 0, written: 0, cpus: 0 };
    let Some(mut pages) = recording.pages(0) else { return Ok(header) };
    header.cpus = pages.streams() as u64;
    let mut bytes = Vec::new();
    for stream in 0..pages.streams() {
        while pages.next_page(stream, &mut bytes)? {
            let Some(page) = Page::new(&bytes) else { continue };
            if let Missed::Count(count) = page.missed() {
                header.written += count;
            }
            header.entries += page.events().count() as u64;
        }
    }
    header.written += header.entries;
    Ok(header)
}

/// What is wrong with a file, and what to do.
fn explain(path: &Path, error: &dyn std::fmt::Display) -> String {
    let shown = path.display();
    if !path.exists() {
        return format!("{shown}: {error}: make a recording by `lookback record -- CMD`, or name one");
    }
    format!("{shown}: {error}; expected a file that lookback record or trace-cmd record has written")
}

/// The events that a recording has, for messages.
fn names(events: &EventTable) -> impl Iterator<Item = (&str, &str)> {
    events.iter().map(|event| (event.format().system.as_str(), event.format().name.as_str()))
}
