//! `lookback diff`: what differs between two traces.

mod json;
mod side;
mod text;

use crate::arguments::DiffArguments;
use crate::failure::{Done, Failure};
use crate::stdout::written;
use query::{TraceComparison, TraceProfile};
use side::{ComparedSource, snapshot};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Compares traces, and prints what differs.
pub(crate) fn run(arguments: &DiffArguments) -> Done {
    let source = |path: &PathBuf| ComparedSource::find(path, arguments);
    let mut good = good(arguments)?.iter().map(source).collect::<Done<Vec<_>>>()?;
    let mut other = source(&arguments.other)?;
    if aligns(arguments) {
        let mut all: Vec<&mut ComparedSource> = good.iter_mut().chain([&mut other]).collect();
        side::shorten(&mut all, arguments)?;
    }
    let good = good.into_iter().map(|trace| trace.read(arguments)).collect::<Done<Vec<_>>>()?;
    let other = other.read(arguments)?;
    let (names, profiles): (Vec<_>, Vec<TraceProfile>) =
        good.into_iter().map(|trace| (trace.head(), trace.profile)).unzip();
    let comparison = TraceComparison::new(&profiles, &other.profile);
    let heads = (names, other.head());
    let mut out = io::BufWriter::new(anstream::AutoStream::auto(io::stdout().lock()));
    let printed = match arguments.json {
        true => writeln!(out, "{}", json::object(&comparison, &heads)),
        false => text::print(&comparison, &heads, arguments.all, &mut out),
    };
    written(printed.and_then(|()| out.flush()))?;
    let differs = arguments.exit_code && !comparison.is_empty();
    Ok(ExitCode::from(u8::from(differs)))
}

/// Whether the ends of traces are compared alone: snapshots end with what has triggered them, and begin
/// anywhere before it.
fn aligns(arguments: &DiffArguments) -> bool {
    let are_snapshots = [&arguments.good, &arguments.other].iter().all(|path| snapshot(path).is_some());
    !arguments.part.chooses_time() && (arguments.by_end || are_snapshots)
}

/// Where the good traces are: one, or all of a directory.
fn good(arguments: &DiffArguments) -> Done<Vec<PathBuf>> {
    let directory = &arguments.good;
    if !directory.is_dir() {
        return Ok(vec![directory.clone()]);
    }
    let failed = |error: io::Error| Failure::failed(format_args!("{}: {error}", directory.display()));
    let entries = std::fs::read_dir(directory).map_err(failed)?;
    let mut paths = Vec::new();
    for entry in entries {
        let path: PathBuf = entry.map_err(failed)?.path();
        let is_trace = path.extension().is_some_and(|suffix| suffix == "dat");
        paths.extend(Some(path).filter(|_| is_trace));
    }
    paths.sort();
    if paths.is_empty() {
        let shown = directory.display();
        return Err(Failure::failed(format_args!(
            "{shown}: has no trace.dat files: their names end in .dat"
        )));
    }
    Ok(paths)
}
