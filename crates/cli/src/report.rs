//! `lookback report`.

mod duration;
mod events;
mod json;
mod lines;
mod pair;
mod redact;
mod stat;
mod survey;
mod symbols;
mod text;
mod threads;

pub(crate) use pair::PairOption;
pub(crate) use redact::RedactOption;

use crate::arguments::{Choice, Report};
use crate::choice::{Chosen, Known, Times, is_relative};
use crate::failure::{Done, Failure};
use redact::Redaction;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use survey::Survey;
use symbols::ReportSymbols;
use threads::Threads;
use trace_data::dat::{Buffer, BufferPages, Metadata, Recording};
use trace_data::event::EventTable;
use trace_data::merge::Merge;
use trace_data::page::Missed;
use trace_data::record::{Record, Records};
use trace_data::text::is_nanoseconds;

/// Shows a recording.
pub(crate) fn run(arguments: &Report) -> Done {
    let path = arguments.file.as_path();
    let unusable = |error: &dyn Display| Failure::failed(explain(path, error));
    let file = File::open(path).map_err(|error| unusable(&error))?;
    done(show(file, arguments, LossesAtStart::Shown, &unusable))
}

/// Shows a recording that a session's buffers were copied to.
pub(crate) fn show_copy(file: File, choice: Choice) -> Done {
    let arguments = Report { choice, ..Report::default() };
    done(show(file, &arguments, LossesAtStart::Counted, &|error| Failure::failed(error)))
}

/// What was lost before a CPU's first event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LossesAtStart {
    /// Stands there.
    Shown,
    /// Is in the header's count alone, as in the kernel's `trace` file: a full buffer has lost its start.
    Counted,
}

fn done(shown: Result<(), Problem>) -> Done {
    match shown {
        Ok(()) | Err(Problem::OutputClosed) => Ok(ExitCode::SUCCESS),
        Err(Problem::Told(failure)) => Err(failure),
    }
}

/// Why showing has ended early.
enum Problem {
    Told(Failure),
    /// Who reads the output has seen enough: no error.
    OutputClosed,
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        match error.kind() {
            ErrorKind::BrokenPipe => Problem::OutputClosed,
            _ => Problem::Told(Failure::failed(format_args!("standard output: {error}"))),
        }
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Problem {
        Problem::Told(failure)
    }
}

/// What is made of events.
trait View {
    /// Takes an event; its time is the one that is shown, or was to be shown as a date.
    fn event(&mut self, record: &Record<'_>) -> io::Result<()>;

    /// Writes what is still to be written.
    fn finish(&mut self) -> io::Result<()>;
}

/// What a recording says about its events.
struct Recorded<'a> {
    metadata: &'a Metadata,
    events: &'a EventTable,
    threads: &'a Threads,
    symbols: &'a ReportSymbols<'a>,
    /// Whether times are nanoseconds.
    nanoseconds: bool,
}

impl Recorded<'_> {
    /// What the wall clock showed at a time that is shown.
    fn real_time(&self, time: u64) -> Option<u64> {
        // Who recorded with a date has moved all times there.
        match self.metadata.options.time_offset {
            0 => self.metadata.supplement.real_time(time),
            _ => Some(time),
        }
    }
}

fn show(
    file: File,
    arguments: &Report,
    losses: LossesAtStart,
    unusable: &dyn Fn(&dyn Display) -> Failure,
) -> Result<(), Problem> {
    let mut recording = Recording::open(file).map_err(|error| unusable(&error))?;
    let metadata = recording.metadata().clone();
    let events = events::known(&metadata).map_err(|error| unusable(&error))?;
    let threads = Threads::new(&metadata);
    let symbols = ReportSymbols::new(&metadata, arguments);
    let buffer = choose_buffer(arguments.buffer.as_deref(), recording.buffers())?;
    let clock =
        recording.buffers().get(buffer).map_or(&metadata.options.clock, |buffer| &buffer.clock).clone();
    let nanoseconds = metadata.options.tsc_scale.is_some() || is_nanoseconds(&clock);
    let recorded =
        Recorded { metadata: &metadata, events: &events, threads: &threads, symbols: &symbols, nanoseconds };
    check(arguments, &recorded, &clock)?;
    let is_text = arguments.form.is_text();
    let survey = match is_text || is_relative(&arguments.choice) {
        true => Survey::new(&mut recording, buffer).map_err(|error| unusable(&error))?,
        false => Survey::default(),
    };
    let times = Times {
        bounds: survey
            .bounds
            .map(|(first, last)| (metadata.options.time(first), metadata.options.time(last))),
        supplement: Some(&metadata.supplement),
    };
    let chosen = Chosen::new(&arguments.choice, &events, times)?;
    let known = Known { tasks: &threads, symbols: symbols.table() };
    let redaction = Redaction::new(&arguments.redact, &events)?;
    let mut view = view(arguments, &recorded, &survey)?;
    if let Some(pages) = recording.pages(buffer) {
        let playing =
            Playing { metadata: &metadata, chosen: &chosen, known: &known, redaction: &redaction, losses };
        match playing.play(pages, &mut *view) {
            Ok(()) => {}
            Err(Played::Output(error)) => return Err(error.into()),
            Err(Played::Unreadable(error)) => {
                // What was read before the damage is shown all the same.
                view.finish()?;
                return Err(unusable(&error).into());
            }
        }
    }
    Ok(view.finish()?)
}

/// Why events have ended early.
enum Played {
    Unreadable(trace_data::dat::Error),
    Output(io::Error),
}

/// What decides about each event.
struct Playing<'a> {
    metadata: &'a Metadata,
    chosen: &'a Chosen<'a>,
    known: &'a Known<'a>,
    redaction: &'a Redaction,
    losses: LossesAtStart,
}

impl Playing<'_> {
    /// Shows the chosen events, one after the other.
    fn play(&self, pages: BufferPages<'_, File>, view: &mut dyn View) -> Result<(), Played> {
        let mut merge = Merge::new(pages).map_err(Played::Unreadable)?;
        let mut lost: HashMap<u32, Missed> = HashMap::new();
        let mut started = HashSet::new();
        let mut space = Vec::new();
        while let Some(record) = merge.next().map_err(Played::Unreadable)? {
            let record = Record { time: self.metadata.options.time(record.time), ..record };
            let is_counted = self.losses == LossesAtStart::Counted && started.insert(record.cpu);
            let here = if is_counted { Missed::None } else { record.lost };
            let missed = match lost.is_empty() {
                true => here,
                false => lost.remove(&record.cpu).unwrap_or_default().and(here),
            };
            if self.chosen.contains(&record, self.known) {
                let payload = self.redaction.apply(record.payload, &mut space);
                view.event(&Record { lost: missed, payload, ..record }).map_err(Played::Output)?;
            } else if missed != Missed::None {
                lost.insert(record.cpu, missed);
            }
        }
        Ok(())
    }
}

/// Which buffer is meant.
fn choose_buffer(name: Option<&str>, buffers: &[Buffer]) -> Result<usize, Failure> {
    let Some(name) = name else {
        let has_events = |buffer: &Buffer| buffer.cpus.iter().any(|data| data.size > 0);
        return Ok(buffers.iter().position(has_events).unwrap_or(0));
    };
    buffers.iter().position(|buffer| buffer.name == name).ok_or_else(|| {
        let names: Vec<&str> = buffers.iter().map(|buffer| buffer.name.as_str()).collect();
        Failure::failed(format_args!(
            "the recording has no instance called {name}; it has {:?}, where \"\" is the top buffer",
            names
        ))
    })
}

/// Whether the recording has what is asked for.
fn check(arguments: &Report, recorded: &Recorded<'_>, clock: &str) -> Result<(), Failure> {
    let choice = &arguments.choice;
    if choice.tgid.is_some() && recorded.threads.has_no_tgids() {
        return Err(Failure::failed(
            "the recording doesn't say which process a thread belongs to: choose threads by -P, or by name with -t",
        ));
    }
    let is_timed = choice.from.is_some() || choice.to.is_some() || choice.time.is_some();
    if (is_timed || arguments.form.pair.is_some()) && !recorded.nanoseconds {
        return Err(Failure::failed(format_args!("the recording's clock, {clock}, doesn't count time")));
    }
    if arguments.wall_clock && (!recorded.nanoseconds || recorded.real_time(0).is_none()) {
        return Err(Failure::failed(
            "the recording doesn't say what the wall clock showed: leave out --wall-clock",
        ));
    }
    Ok(())
}

fn view<'a>(
    arguments: &'a Report,
    recorded: &'a Recorded<'a>,
    survey: &Survey,
) -> Result<Box<dyn View + 'a>, Problem> {
    let out = io::stdout().lock();
    if arguments.form.json {
        return Ok(Box::new(json::Objects::new(out, recorded, arguments.wall_clock)));
    }
    // Tables may have colours; where nobody wants them they are taken out again.
    if arguments.form.stat {
        return Ok(Box::new(stat::Statistics::new(anstream::AutoStream::auto(out), recorded)));
    }
    if let Some(pair) = &arguments.form.pair {
        let key = arguments.form.key.as_deref();
        let pairs = pair::Pairs::new(anstream::AutoStream::auto(out), recorded, pair, key)?;
        return Ok(Box::new(pairs));
    }
    Ok(Box::new(text::Text::new(out, recorded, survey, arguments)?))
}

/// What is wrong with a file, and what to do.
fn explain(path: &Path, error: &dyn Display) -> String {
    let shown = path.display();
    if !path.exists() {
        return format!("{shown}: {error}: make a recording by `lookback record -- CMD`, or name one");
    }
    format!("{shown}: {error}; expected a file that lookback record or trace-cmd record has written")
}

/// Writes what has been collected, when there is much of it or `all` is to be written.
fn write_out(out: &mut impl Write, collected: &mut Vec<u8>, all: bool) -> io::Result<()> {
    if all || collected.len() >= 64 * 1024 {
        out.write_all(collected)?;
        collected.clear();
    }
    Ok(())
}
