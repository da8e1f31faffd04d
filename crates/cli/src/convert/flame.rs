//! `lookback flame`.

use super::{fold, read, read_file};
use crate::arguments::{FlameArguments, FlameWeight};
use crate::failure::{Done, Failure};
use crate::record::output::Output;
use crate::report::{Feed, Problem, Surveyed, done};
use crate::say::note;
use crate::stdout::written;
use convert::{StackWeight, flame};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Draws a flame graph, or prints folded stacks.
pub(crate) fn flame(arguments: &FlameArguments) -> Done {
    let weight = weight(arguments.by);
    let title = |what: &str| format!("{what} in calls, functions and spans, by thread name");
    let title = match arguments.by {
        FlameWeight::Time => title("Time"),
        FlameWeight::Count => title("Number of events"),
        FlameWeight::Bytes => title("Bytes moved"),
        FlameWeight::OffCpu => title("Time off CPU"),
    };
    let output = arguments.output.as_deref();
    let is_picture = output.is_some_and(|path| path.extension().is_some_and(|suffix| suffix == "svg"));
    if let [before, after] = arguments.diff.as_slice() {
        let fold = |path: &PathBuf| {
            let mut folded = Vec::new();
            let problem = read_file(path, &arguments.source, folding(weight, &mut folded));
            told(problem).map(|_| String::from_utf8_lossy(&folded).into_owned())
        };
        let (before, after) = (fold(before)?, fold(after)?);
        let Some(path) = output.filter(|_| is_picture) else {
            let lines = flame::difference(&before, &after).map_err(Failure::failed)?;
            return put(output, |out| out.write_all(lines.as_bytes()));
        };
        let (title, reverse) = (format!("{title}: A against B"), other_way(path));
        put(Some(&reverse), |out| flame::draw_difference(&after, &before, &title, weight, out))?;
        return put(Some(path), |out| flame::draw_difference(&before, &after, &title, weight, out));
    }
    let mut folded = Vec::new();
    let read = read(&arguments.source, folding(weight, &mut folded));
    let is_damaged = match read {
        Err(Problem::Failed(failure)) if folded.is_empty() => return Err(failure),
        read => read,
    };
    let folded = String::from_utf8_lossy(&folded);
    if folded.is_empty() {
        return Err(Failure::failed(nothing(arguments.by)));
    }
    put(output, |out| match is_picture {
        true => flame::draw(&folded, &title, weight, out),
        false => out.write_all(folded.as_bytes()),
    })?;
    done(is_damaged)
}

/// Why there is no stack of this kind.
fn nothing(by: FlameWeight) -> &'static str {
    match by {
        FlameWeight::OffCpu => {
            "the trace doesn't have when threads ran: `lookback record -e @default -e @switch` records that"
        }
        FlameWeight::Bytes => "the trace has no call that has moved bytes: `-e @file -e @net` records them",
        FlameWeight::Time | FlameWeight::Count => {
            "the trace has no calls, functions or spans of those chosen"
        }
    }
}

fn weight(by: FlameWeight) -> StackWeight {
    match by {
        FlameWeight::Time => StackWeight::Time,
        FlameWeight::Count => StackWeight::Count,
        FlameWeight::Bytes => StackWeight::Bytes,
        FlameWeight::OffCpu => StackWeight::OffCpu,
    }
}

/// Sums up stacks into `folded`.
fn folding(
    weight: StackWeight,
    folded: &mut Vec<u8>,
) -> impl FnOnce(&Surveyed<'_, '_>, &mut Feed<'_>) -> Result<(), Problem> {
    move |surveyed, feed| fold(folded, weight, surveyed, feed).map(drop)
}

fn told(read: Result<(), Problem>) -> Done<()> {
    match read {
        Err(Problem::Failed(failure)) => Err(failure),
        Err(Problem::Output(error)) => Err(Failure::failed(error)),
        Ok(()) => Ok(()),
    }
}

/// Where the picture of A goes: `diff-before.svg`.
fn other_way(path: &Path) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("-before.svg");
    path.with_file_name(name)
}

/// Writes a file, or standard output.
fn put(path: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Done {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else {
        return written(write(&mut io::stdout().lock()));
    };
    let output = Output::prepare(path)?;
    let result = output.write_if(|out| {
        let result = write(out).and_then(|()| out.flush());
        let is_kept = result.is_ok();
        (result, is_kept)
    })?;
    result.map_err(|error| Failure::failed(format_args!("{}: {error}", path.display())))?;
    note!("lookback: {} written", path.display());
    Ok(ExitCode::SUCCESS)
}
