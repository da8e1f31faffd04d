//! What other viewers' files of a recording take: time and bytes.

use crate::report::Report;
use crate::samples::Samples;
use crate::sql;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// How often a recording is converted.
const ROUNDS: usize = 5;

/// What is recorded: programs that call often, and each other ones.
const SCRIPT: &str = "for round in 1 2 3 4; do git log --stat; done > /dev/null; \
    grep -r fn crates docs > /dev/null; python3 -c 'import asyncio, json, sqlite3, unittest'";

/// Measures converting of a recording by the command next to this one.
pub fn measure() -> Result<Report, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let lookback = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("lookback");
    let trace = directory.path().join("trace.dat");
    run(Command::new(&lookback).args(["record", "-q", "-o"]).arg(&trace).args(["--", "sh", "-c", SCRIPT]))?;
    let stat = run(Command::new(&lookback).args(["report", "--stat"]).arg(&trace))?;
    let events = stat.split(" events").next().and_then(|count| count.replace(',', "").parse::<f64>().ok());
    let events = events.ok_or("no count of events")?;
    let mut report = Report::default();
    report.add("recorded_events", Ok(events));
    let (seconds, bytes) = converted(&lookback, &trace, &directory.path().join("x.perfetto-trace"))?;
    report.add("perfetto_export_Mevents_per_s", Ok(events / seconds / 1e6));
    report.add("perfetto_bytes_per_event", Ok(bytes / events));
    let (seconds, _) = converted(&lookback, &trace, &directory.path().join("x.folded"))?;
    report.add("folded_export_Mevents_per_s", Ok(events / seconds / 1e6));
    let page = directory.path().join("x.html");
    let seconds = timed(Command::new(&lookback).args(["report", "-q", "--html"]).arg(&page).arg(&trace))?;
    report.add("html_1M_events_s", Ok(seconds * 1e6 / events));
    let seconds = timed(Command::new(&lookback).arg("diff").arg(&trace).arg(&trace))?;
    report.add("diff_1M_events_s", Ok(seconds * 1e6 / (2.0 * events)));
    report.add("calls_text_MBps", Ok(calls_text(&lookback, &trace, &directory.path().join("x.txt"))?));
    sql::measure(&mut report, &lookback, &trace, events);
    Ok(report)
}

/// How long it takes to convert a recording, the whole command, and the size of the file.
fn converted(lookback: &Path, trace: &Path, out: &PathBuf) -> Result<(f64, f64), String> {
    let seconds = timed(Command::new(lookback).args(["convert", "-q"]).arg(trace).arg("-o").arg(out))?;
    let size = std::fs::metadata(out).map_err(|error| error.to_string())?.len();
    Ok((seconds, size as f64))
}

/// How many megabytes of lines of calls are printed in a second: into a file, as nobody reads so quickly.
fn calls_text(lookback: &Path, trace: &Path, out: &Path) -> Result<f64, String> {
    let mut samples = Samples::new();
    for _ in 0..ROUNDS {
        let file = std::fs::File::create(out).map_err(|error| error.to_string())?;
        let start = Instant::now();
        run(Command::new(lookback).args(["report", "--calls"]).arg(trace).stdout(file))?;
        let size = std::fs::metadata(out).map_err(|error| error.to_string())?.len();
        samples.push(size as f64 / 1e6 / start.elapsed().as_secs_f64());
    }
    Ok(samples.median())
}

/// How many seconds a command takes, the median of several runs.
fn timed(command: &mut Command) -> Result<f64, String> {
    let mut samples = Samples::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run(command)?;
        samples.push(start.elapsed().as_secs_f64());
    }
    Ok(samples.median())
}

/// Runs a command. What it prints.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
