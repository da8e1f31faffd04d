//! What a trace has, in a screenful: what ran, what failed, what was slow, who waited for whom.

mod deaths;
mod failed;
mod part;
mod ran;
mod slow;
mod waited;

use super::times::Times;
use crate::duration::duration;
use crate::json::Json;
use crate::number::count;
use deaths::Deaths;
use export::{Error, Sink};
use query::{FailedCalls, FinishedCalls, ProcessTree, SlowCalls, Waits};
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
    calls: FinishedCalls,
    failed: FailedCalls,
    slow: SlowCalls,
    waits: Waits,
    tree: ProcessTree,
    deaths: Deaths,
    seen: SeenEvents,
}

/// How it is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExplanationForm {
    pub(super) json: bool,
    pub(super) times: Times,
}

/// The events that it is about.
#[derive(Debug, Default)]
struct SeenEvents {
    count: u64,
    /// The times of the first and the last.
    times: Option<(u64, u64)>,
    /// Ends of calls.
    calls: u64,
}

impl<W: Write> Explanation<W> {
    pub(super) fn new(
        out: W,
        events: &EventTable,
        gaps: Gaps,
        complete: Option<String>,
        form: ExplanationForm,
    ) -> Explanation<W> {
        Explanation {
            out,
            form,
            complete,
            calls: FinishedCalls::new(gaps.clone()),
            failed: FailedCalls::default(),
            slow: SlowCalls::default(),
            waits: Waits::new(events, gaps.clone()),
            tree: ProcessTree::new(gaps),
            deaths: Deaths::default(),
            seen: SeenEvents::default(),
        }
    }

    fn add(&mut self, record: &Record<'_>, is_chosen: bool, trace: &TraceInfo<'_>) {
        self.tree.add(record, is_chosen, trace);
        let finished = self.calls.add(record, self.waits.descriptors(), trace);
        self.waits.add(record, is_chosen, trace);
        if let Some(event) = trace.events.get(record.id()) {
            self.deaths.add(event, record, trace);
        }
        if !is_chosen {
            return;
        }
        self.seen.add(record);
        let Some(call) = finished else { return };
        self.seen.calls += 1;
        if let Some(error) = call.error {
            self.failed.add(&call, error, call.about(record));
        }
        if let (Some(length), Some(event)) = (call.length, trace.events.get(call.exit)) {
            self.slow.add(&call, event.format(), length, || call.about(record));
        }
    }

    /// What it is about, on a line.
    fn head(&self, processes: usize, trace: &TraceInfo<'_>) -> String {
        let SeenEvents { count: events, times, .. } = &self.seen;
        let (first, last) = times.unwrap_or_default();
        let [events, processes] =
            [count(*events, "event", "events"), count(processes as u64, "process", "processes")];
        let [from, to] = [first, last].map(|time| self.form.times.text(time, trace));
        let length = match trace.nanoseconds {
            true => format!(" in {}", duration(last - first)),
            false => String::new(),
        };
        let complete = match &self.complete {
            Some(complete) => format!("the trace is {complete}"),
            None => "no event was lost".to_owned(),
        };
        format!("{events} of {processes}{length}, from {} to {}; {complete}", from.trim(), to.trim())
    }

    fn print(&mut self, trace: &TraceInfo<'_>) -> io::Result<()> {
        let order = self.tree.finish();
        let (processes, waits) = (ran::processes(&self.tree, &order), self.waits.finish());
        writeln!(self.out, "{}", self.head(processes.len(), trace))?;
        let knows_processes = self.tree.knows_processes();
        let parts = [
            ran::part(processes, knows_processes, &self.deaths, trace),
            failed::part(&self.failed, self.seen.calls, self.form.times, trace),
            slow::part(&mut self.slow, self.form.times, trace),
            waited::part(&self.waits, &waits, trace),
        ];
        parts.iter().try_for_each(|part| part.print(&mut self.out))
    }

    fn json(&mut self, trace: &TraceInfo<'_>) -> Json {
        let (nodes, waits) = (self.tree.finish(), self.waits.finish());
        let (first, last) = self.seen.times.unzip();
        Json::Object(vec![
            ("events", Json::Number(self.seen.count)),
            ("first", Json::number(first)),
            ("last", Json::number(last)),
            ("completeness", Json::text(self.complete.as_deref())),
            ("calls", Json::Number(self.seen.calls)),
            ("processes", ran::json(&self.tree, &nodes, trace)),
            ("failed", failed::json(&self.failed, trace)),
            ("slow", slow::json(&mut self.slow, trace)),
            ("waits", waited::json(&self.waits, &waits, trace)),
        ])
    }
}

impl SeenEvents {
    fn add(&mut self, record: &Record<'_>) {
        self.count += 1;
        self.times = Some((self.times.map_or(record.time, |(first, _)| first), record.time));
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
        } else if self.seen.count > 0 {
            self.print(trace)?;
        }
        Ok(self.out.flush()?)
    }
}

/// A call and what it was about.
fn call_text(name: &str, about: Option<&Rc<str>>) -> String {
    about.map_or_else(|| name.to_owned(), |about| format!("{name} {}", printable(about)))
}

/// What a call is called by the event at its end.
fn call_name<'a>(exit: u16, trace: &TraceInfo<'a>) -> &'a str {
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
