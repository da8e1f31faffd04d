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
        Some(path) => {
            let part = cut(arguments)?;
            let name = format!("a part of {}", printable(&path.to_string_lossy()));
            sql::write_parquet_of(&part, &name, output, is_quiet())
        }
        None => sql::write_parquet_of(&cut(arguments)?, "a session", output, is_quiet()),
    }
}

/// The chosen records as a trace.dat file, next to the output, without a name: nothing is left of it.
fn cut(arguments: &ConvertArguments) -> Done<File> {
    // It is of no use to anybody else.
    sql::program()?;
    let parent = arguments.output.parent().filter(|parent| *parent != Path::new(""));
    let directory = parent.unwrap_or(Path::new("."));
    let failed = |error| Failure::failed(format_args!("{}: {error}", directory.display()));
    let mut file = tempfile::tempfile_in(directory).map_err(failed)?;
    let written = read(&arguments.source, |surveyed, feed| {
        write_records(ConvertFormat::Dat, &mut file, directory, surveyed, feed).map(drop)
    });
    match written {
        Ok(()) => Ok(file),
        Err(Problem::Output(error)) => Err(failed(error)),
        Err(Problem::Failed(failure)) => Err(failure),
    }
}
