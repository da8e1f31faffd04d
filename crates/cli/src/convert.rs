//! `lookback convert` and `lookback flame`: traces for other viewers, and pictures.

mod cut;
mod directory;
mod flame;
mod parquet;
mod watched;

pub(crate) use flame::flame;

use crate::arguments::{ConvertArguments, ConvertFormat, SourceArguments};
use crate::failure::{Done, Failure};
use crate::number::{bytes, count};
use crate::persistent;
use crate::record::output::Output;
use crate::report::{Feed, Problem, Surveyed, done, play, what_is_wrong};
use crate::say::note;
use convert::{
    ChromeTrace, FirefoxProfile, FoldedStacks, PerfettoTrace, PprofProfile, SliceTimeline, StackWeight,
};
use cut::CutFile;
use directory::OutputDirectory;
use export::Sink;
use export::ctf::CtfDirectory;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use watched::{CountedOutput, WatchedSink};

/// Converts a trace.
pub(crate) fn convert(arguments: &ConvertArguments) -> Done {
    let format = arguments.format().map_err(Failure::failed)?;
    if format == ConvertFormat::Parquet {
        return parquet::write(arguments);
    }
    if format == ConvertFormat::Ctf && arguments.output != Path::new("-") {
        return convert_to_directory(arguments);
    }
    if arguments.output == Path::new("-") {
        return done(read(&arguments.source, |surveyed, feed| {
            let directory = std::env::temp_dir();
            write(format, &mut io::stdout().lock(), &directory, surveyed, feed).map(drop)
        }));
    }
    let output = Output::prepare(&arguments.output)?;
    let directory = output.directory().to_path_buf();
    let (mut events, mut size) = (0, 0);
    let problem = output.write_if(|out| {
        let (mut out, mut has_begun) = (CountedOutput::new(out), false);
        let written = read(&arguments.source, |surveyed, feed| {
            has_begun = true;
            events = write(format, &mut out, &directory, surveyed, feed)?;
            Ok(())
        });
        size = out.size();
        // What was read before damage is kept, and nothing that can't be written in full.
        let is_kept = has_begun && !matches!(written, Err(Problem::Output(_)));
        (written, is_kept)
    })?;
    outcome(problem, events, size, &arguments.output)
}

/// Says what was written.
fn outcome(problem: Result<(), Problem>, events: u64, size: u64, output: &Path) -> Done {
    match problem {
        Err(Problem::Output(error)) => Err(Failure::failed(format_args!("{}: {error}", output.display()))),
        Err(Problem::Failed(failure)) => Err(failure),
        Ok(()) => {
            let (events, size) = (count(events, "event", "events"), bytes(size));
            note!("lookback: {events}, {size} in {}", output.display());
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Converts a trace to files in a directory.
fn convert_to_directory(arguments: &ConvertArguments) -> Done {
    let output = OutputDirectory::prepare(&arguments.output)?;
    let mut ctf = CtfDirectory::new(&output.place());
    let (mut events, mut has_begun) = (0, false);
    let problem = read(&arguments.source, |surveyed, feed| {
        has_begun = true;
        events = watch(&mut ctf, surveyed, feed)?;
        Ok(())
    });
    if has_begun && !matches!(problem, Err(Problem::Output(_))) {
        output.keep()?;
    }
    outcome(problem, events, ctf.size(), &arguments.output)
}

/// Has a drawing take the records. How many there were. What can't be written yet waits in `directory`.
fn write(
    format: ConvertFormat,
    out: &mut dyn Write,
    directory: &Path,
    surveyed: &Surveyed<'_, '_>,
    feed: &mut Feed<'_>,
) -> Result<u64, Problem> {
    let out = io::BufWriter::new(out);
    let gaps = surveyed.contents.gaps(surveyed.survey);
    match format {
        ConvertFormat::Perfetto => {
            watch(&mut SliceTimeline::new(PerfettoTrace::new(out), gaps), surveyed, feed)
        }
        ConvertFormat::Json => watch(&mut SliceTimeline::new(ChromeTrace::new(out), gaps), surveyed, feed),
        ConvertFormat::Firefox => {
            watch(&mut SliceTimeline::new(FirefoxProfile::new(out), gaps), surveyed, feed)
        }
        ConvertFormat::Pprof => watch(&mut SliceTimeline::new(PprofProfile::new(out), gaps), surveyed, feed),
        ConvertFormat::Dat => watch(&mut CutFile::new(out, directory, surveyed)?, surveyed, feed),
        ConvertFormat::Ctf => {
            Err(Failure::failed("this format is a directory, not a stream: expected a name by -o").into())
        }
        ConvertFormat::Folded => fold(out, StackWeight::Time, surveyed, feed),
        ConvertFormat::Parquet => Err(Failure::failed("Parquet is no stream of slices").into()),
    }
}

/// Sums up stacks. How many records there were. What was lost has no place in such lines, so it is said.
pub(crate) fn fold(
    out: impl Write,
    weight: StackWeight,
    surveyed: &Surveyed<'_, '_>,
    feed: &mut Feed<'_>,
) -> Result<u64, Problem> {
    let gaps = surveyed.contents.gaps(surveyed.survey);
    let records = watch(&mut SliceTimeline::new(FoldedStacks::new(out, weight), gaps), surveyed, feed)?;
    if let Some(complete) = surveyed.completeness() {
        let lost = match surveyed.survey.lost {
            0 => String::new(),
            lost => count(lost, "event was lost: ", "events were lost: "),
        };
        note!("lookback: {lost}the trace is {complete}");
    }
    Ok(records)
}

/// Has a sink take the records. How many there were.
pub(crate) fn watch(
    sink: &mut dyn Sink,
    surveyed: &Surveyed<'_, '_>,
    feed: &mut Feed<'_>,
) -> Result<u64, Problem> {
    WatchedSink::feed(sink, surveyed.survey.entries, feed)
}

/// Reads a file or a session.
pub(crate) fn read(
    source: &SourceArguments,
    make: impl FnOnce(&Surveyed<'_, '_>, &mut Feed<'_>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    match source.file() {
        Some(path) => read_file(path, source, make),
        None => {
            let file = persistent::copied(&source.part.instance, &source.snapshot)?;
            play_in_time(file, None, source, &|error| Failure::failed(error), make)
        }
    }
}

fn read_file(
    path: &Path,
    source: &SourceArguments,
    make: impl FnOnce(&Surveyed<'_, '_>, &mut Feed<'_>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let unusable = |error: &(dyn std::error::Error + 'static)| Failure::failed(what_is_wrong(path, error));
    let file = File::open(path).map_err(|error| unusable(&error))?;
    play_in_time(file, source.part.instance.name.as_deref(), source, &unusable, make)
}

/// Has the records of a file be converted, if they have times.
fn play_in_time(
    file: File,
    buffer: Option<&str>,
    source: &SourceArguments,
    unusable: &crate::report::FileComplaint<'_>,
    make: impl FnOnce(&Surveyed<'_, '_>, &mut Feed<'_>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    play(file, buffer, &source.view(), unusable, |surveyed, feed| {
        surveyed.check_time()?;
        make(surveyed, feed)
    })
}
