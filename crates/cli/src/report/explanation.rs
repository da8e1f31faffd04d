//! What a trace has, in a screenful: what ran, what failed, what was slow, who waited for whom.

mod deaths;
pub(super) mod failed;
mod part;
mod ran;
pub(super) mod slow;
pub(super) mod waited;

use super::times::Times;
use crate::duration::duration;
use crate::json::Json;
use crate::number::count;
pub(super) use deaths::Deaths;
use export::{Error, Sink};
pub(crate) use failed::error_name;
pub(super) use part::ExplanationPart;
use part::MOST;
use query::{Findings, SeenRecords};
pub(super) use ran::is_killed;
use std::io::{self, Write};
use std::rc::Rc;
use trace_data::event::EventTable;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;
use trace_data::symbols::{Symbols, place_at};
use trace_data::text::printable;

/// Collects it, and prints it in the end: as text, or as an object in JSON.
pub(super) struct Explanation<W> {
    out: W,
    form: ExplanationForm,
    /// Since when the trace is complete.
    complete: Option<String>,
    findings: Findings,
    deaths: Deaths,
}

/// How it is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExplanationForm {
    pub(super) json: bool,
    pub(super) times: Times,
}

impl<W: Write> Explanation<W> {
    pub(super) fn new(
        out: W,
        events: &EventTable,
        gaps: Gaps,
        complete: Option<String>,
        form: ExplanationForm,
    ) -> Explanation<W> {
        Explanation { out, form, complete, findings: Findings::new(events, gaps), deaths: Deaths::default() }
    }

    fn add(&mut self, record: &Record<'_>, is_chosen: bool, trace: &TraceInfo<'_>) {
        self.findings.add(record, is_chosen, trace);
        if let Some(event) = trace.events.get(record.id()) {
            self.deaths.add(event, record, trace);
        }
    }

    fn print(&mut self, trace: &TraceInfo<'_>) -> io::Result<()> {
        let Findings { tree, failed, slow, waits: all, seen, .. } = &mut self.findings;
        let (order, waits) = (tree.finish(), all.finish());
        let processes = ran::processes(tree, &order);
        let complete = match &self.complete {
            Some(complete) => format!("the trace is {complete}"),
            None => "no event was lost".to_owned(),
        };
        writeln!(self.out, "{}; {complete}", head(seen, processes.len(), self.form.times, trace))?;
        let parts = [
            ran::part(processes, tree.knows_processes(), &self.deaths, trace),
            failed::part(failed, seen.calls, self.form.times, MOST, trace),
            slow::part(slow, self.form.times, MOST, trace),
            waited::part(all, &waits, MOST, trace),
        ];
        parts.iter().try_for_each(|part| part.print(&mut self.out))
    }

    fn json(&mut self, trace: &TraceInfo<'_>) -> Json {
        let Findings { tree, failed, slow, waits: all, seen, .. } = &mut self.findings;
        let (nodes, waits) = (tree.finish(), all.finish());
        let (first, last) = seen.times.unzip();
        Json::Object(vec![
            ("events", Json::Number(seen.count)),
            ("first", Json::number(first)),
            ("last", Json::number(last)),
            ("completeness", Json::text(self.complete.as_deref())),
            ("calls", Json::Number(seen.calls)),
            ("processes", ran::json(tree, &nodes, trace)),
            ("failed", failed::json(failed, trace)),
            ("slow", slow::json(slow, trace)),
            ("waits", waited::json(all, &waits, trace)),
        ])
    }
}

impl<W: Write> Sink for Explanation<W> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.add(record, true, trace);
        Ok(())
    }

    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.add(record, false, trace);
        Ok(())
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        if self.form.json {
            let object = self.json(trace);
            writeln!(self.out, "{object}")?;
        } else if self.findings.seen.count > 0 {
            self.print(trace)?;
        }
        Ok(self.out.flush()?)
    }
}

/// What a trace has, on a line.
pub(super) fn head(seen: &SeenRecords, processes: usize, times: Times, trace: &TraceInfo<'_>) -> String {
    let (first, last) = seen.times.unwrap_or_default();
    let [events, processes] =
        [count(seen.count, "event", "events"), count(processes as u64, "process", "processes")];
    let [from, to] = [first, last].map(|time| times.text(time, trace));
    let length = match trace.nanoseconds {
        true => format!(" in {}", duration(last.saturating_sub(first))),
        false => String::new(),
    };
    format!("{events} of {processes}{length}, from {} to {}", from.trim(), to.trim())
}

/// A call and what it was about.
pub(crate) fn call_text(name: &str, about: Option<&Rc<str>>) -> String {
    about.map_or_else(|| name.to_owned(), |about| format!("{name} {}", printable(about)))
}

/// What a call is called by the event at its end.
pub(crate) fn call_name<'a>(exit: u16, trace: &TraceInfo<'a>) -> &'a str {
    trace.events.get(exit).map_or("?", |event| query::call_of(event.format()))
}

/// The function that an address is in, with what sets it off from what is before it.
fn from(caller: Option<u64>, symbols: &dyn Symbols) -> String {
    caller.map_or_else(String::new, |caller| format!(", from {}", function(caller, symbols)))
}

/// The function that an address is in.
fn function(address: u64, symbols: &dyn Symbols) -> String {
    printable(&place_at(address, symbols)).into_owned()
}
