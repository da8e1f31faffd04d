//! Tables of Parquet, which another program makes of a trace.dat file.

use super::{read, write as write_records};
use crate::arguments::{ConvertArguments, ConvertFormat};
use crate::failure::{Done, Failure};
use crate::report::Problem;
use crate::say::is_quiet;
use crate::sql;
use std::fs::File;
use std::path::Path;
use trace_data::text::printable;

/// Writes a trace as Parquet: a file as it is, and else what is chosen, as a file without a name.
pub(super) fn write(arguments: &ConvertArguments) -> Done {
    let output = &arguments.output;
    if output == Path::new("-") {
        return Err(Failure::failed(
            "Parquet is written to a file: expected -o FILE.parquet or -o DIRECTORY",
        ));
    }
    let source = &arguments.source;
    match source.file() {
        Some(path) if source.part.given().is_empty() => sql::write_parquet(path, output, is_quiet()),
        Some(path) => write_part(arguments, &format!("a part of {}", printable(&path.to_string_lossy()))),
        None => write_part(arguments, "a session"),
    }
}

/// Writes what is chosen, which is called so.
fn write_part(arguments: &ConvertArguments, name: &str) -> Done {
    let (part, damage) = cut(arguments)?;
    let damage = damage.as_ref().map(Failure::message);
    sql::write_parquet_of((&part, damage), name, &arguments.output, is_quiet())
}

/// The chosen records as a trace.dat file, next to the output, without a name: nothing is left of it. And
/// what can't be read, if that is only a part.
fn cut(arguments: &ConvertArguments) -> Done<(File, Option<Failure>)> {
    // It is of no use to anybody else.
    sql::program()?;
    let parent = arguments.output.parent().filter(|parent| *parent != Path::new(""));
    let directory = parent.unwrap_or(Path::new("."));
    let failed = |error| Failure::failed(format_args!("{}: {error}", directory.display()));
    let mut file = tempfile::tempfile_in(directory).map_err(failed)?;
    let mut has_begun = false;
    let written = read(&arguments.source, |surveyed, feed| {
        has_begun = true;
        write_records(ConvertFormat::Dat, &mut file, directory, surveyed, feed).map(drop)
    });
    match written {
        Ok(()) => Ok((file, None)),
        Err(Problem::Output(error)) => Err(failed(error)),
        Err(Problem::Failed(failure)) if has_begun => Ok((file, Some(failure))),
        Err(Problem::Failed(failure)) => Err(failure),
    }
}
