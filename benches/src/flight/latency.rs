//! What latency tracers cost where threads take locks and block signals.

use crate::attach::Live;
use crate::calls::Sessions;
use crate::pairs::samples;
use crate::program::ProgramDirectory;
use crate::report::Report;
use session::{SessionOptions, Tracer};
use std::path::Path;

/// What is measured, by which tracer, and the rows: of a pair alone, with lookback, and with the tracer.
const MEASURED: [(&str, &str, [&str; 3]); 2] = [
    ("mutex", "preemptoff", ["lock_pair_alone_ns", "lock_pair_ns", "latency_tracer_lock_pair_ns"]),
    ("sigmask", "irqsoff", ["sigmask_alone_ns", "sigmask_off_ns", "sigmask_ns"]),
];

/// Adds the rows.
pub(super) fn report(report: &mut Report, programs: &ProgramDirectory, agent: &Path) {
    for (operation, tracer, rows) in MEASURED {
        let measured = measure(operation, tracer, programs, agent);
        for (index, row) in rows.into_iter().enumerate() {
            report.add(row, measured.as_ref().map(|values| values[index]).map_err(String::clone));
        }
    }
}

fn measure(
    operation: &str,
    tracer: &str,
    programs: &ProgramDirectory,
    agent: &Path,
) -> Result<[f64; 3], String> {
    let options = SessionOptions { snapshots: 1, ..SessionOptions::default() };
    let (off, on) = (Live::with(&options)?, Live::with(&options)?);
    let tracer = Tracer::named(tracer).ok_or("no such tracer")?;
    on.session.set_tracer(tracer).map_err(|error| error.to_string())?;
    let samples = samples(operation, programs, agent, Sessions { off: &off, on: &on })?;
    if on.session.max_latency() == 0 {
        return Err("the tracer has measured nothing".to_string());
    }
    Ok(samples.map(|samples| samples.median()))
}
