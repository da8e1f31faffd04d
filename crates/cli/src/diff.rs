//! `lookback diff`: what differs between two traces.

mod json;
mod side;
mod text;

use crate::arguments::DiffArguments;
use crate::failure::{Done, Failure};
use crate::stdout::written;
use query::{TraceComparison, TraceProfile};
use side::ComparedTrace;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Compares traces, and prints what differs.
pub(crate) fn run(arguments: &DiffArguments) -> Done {
    let good = good(arguments)?;
    let other = ComparedTrace::read(&arguments.other, arguments)?;
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

/// The good traces: one, or all of a directory.
fn good(arguments: &DiffArguments) -> Done<Vec<ComparedTrace>> {
    let directory = &arguments.good;
    if !directory.is_dir() {
        return Ok(vec![ComparedTrace::read(directory, arguments)?]);
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
    paths.iter().map(|path| ComparedTrace::read(path, arguments)).collect()
}
