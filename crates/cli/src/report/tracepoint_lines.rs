//! Tracepoints with formats, a short line each: when, on which CPU, its name, and its text.

use super::times::{LineTimes, Times};
use abi::site::FORMAT_SYSTEM;
use export::{Error, Sink};
use std::io::{self, Write};
use trace_data::info::TraceInfo;
use trace_data::page::Missed;
use trace_data::record::Record;
use trace_data::text::printable;

/// Prints the records of tracepoints with formats. What else is chosen with them, their stack traces, has no
/// lines.
pub(super) struct TracepointLines<W> {
    out: W,
    times: LineTimes,
    text: Vec<u8>,
}

impl<W: Write> TracepointLines<W> {
    /// Prints to `out`.
    pub(super) fn new(mut out: W, complete: Option<String>, times: Times) -> io::Result<TracepointLines<W>> {
        if let Some(complete) = complete {
            writeln!(out, "# the trace is {complete}")?;
        }
        Ok(TracepointLines { out, times: LineTimes::new(times), text: Vec::new() })
    }
}

impl<W: Write> Sink for TracepointLines<W> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let Record { cpu, time, payload, lost } = *record;
        match lost {
            Missed::None => {}
            // As ktrace/info describes what was overwritten.
            Missed::Count(count) => writeln!(self.out, "CPU:{cpu} [LOST {count} EVENTS]")?,
            Missed::Unknown => writeln!(self.out, "CPU:{cpu} [LOST EVENTS]")?,
        }
        let Some(event) = trace.events.of(payload).filter(|event| event.format().system == FORMAT_SYSTEM)
        else {
            return Ok(());
        };
        self.text.clear();
        event.print(payload, trace.symbols, &mut self.text);
        let (time, width) = (self.times.text(time, trace), self.times.width());
        let text = String::from_utf8_lossy(&self.text);
        let (name, text) = (&event.format().name, text.trim_end());
        writeln!(self.out, "{time:>width$} [{cpu:03}] {name}: {}", printable(text))?;
        Ok(())
    }

    fn finish(&mut self, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}
