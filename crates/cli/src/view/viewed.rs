//! A trace on its way to the browser, and what of it to look at first.

use super::focus::{Focus, FocusCandidate};
use crate::report::{Surveyed, call_name, call_text, error_name, label, outcome};
use convert::{Drawing, PerfettoTrace, SliceEnd, SliceTimeline};
use export::{Error, Sink};
use query::{Findings, ProcessOutcome, is_unusual_error};
use std::cell::Cell;
use std::fs::File;
use std::io::BufWriter;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Converts records, and finds what to look at.
pub(super) struct ViewedTrace {
    timeline: SliceTimeline<(PerfettoTrace<BufWriter<File>>, LastSlice)>,
    findings: Findings,
    slowest: Option<FocusCandidate>,
    error: Option<FocusCandidate>,
    fault: Option<FocusCandidate>,
    last: Option<FocusCandidate>,
}

/// The slice that has ended last: its start and end, as it is drawn.
#[derive(Default)]
struct LastSlice(Cell<Option<(u64, u64)>>);

impl ViewedTrace {
    /// Writes what Perfetto reads to `out`.
    pub(super) fn new(out: File, surveyed: &Surveyed<'_, '_>) -> ViewedTrace {
        let gaps = surveyed.contents.gaps(surveyed.survey);
        let drawing = PerfettoTrace::new(BufWriter::new(out));
        let timeline = SliceTimeline::new((drawing, LastSlice::default()), gaps.clone());
        let findings = Findings::new(surveyed.trace.events, gaps);
        ViewedTrace { timeline, findings, slowest: None, error: None, fault: None, last: None }
    }

    fn drawn(&self) -> &Cell<Option<(u64, u64)>> {
        let (_, LastSlice(drawn)) = self.timeline.drawing();
        drawn
    }

    /// What to look at first; of a snapshot, when it was taken.
    pub(super) fn focus(mut self, is_snapshot: bool, trace: &TraceInfo<'_>) -> Focus {
        self.find_killed();
        let Some(bounds) = self.findings.seen.times else { return Focus::default() };
        let named = |candidate: FocusCandidate| {
            let text = format!("{}{}", candidate.text, label(trace.tasks, candidate.tid));
            FocusCandidate { text, ..candidate }
        };
        let last = self.last.filter(|_| is_snapshot);
        let candidates = [
            ("fault", self.fault),
            ("the snapshot's time", last),
            ("slowest call", self.slowest),
            ("least usual error", self.error),
        ];
        let found = candidates.into_iter().filter_map(|(what, found)| Some((what, named(found?))));
        Focus::on(found.collect(), bounds)
    }

    /// Without a record of a fault, a process that a signal has killed.
    fn find_killed(&mut self) {
        self.findings.tree.finish();
        let killed = self.findings.tree.nodes().iter().find_map(|node| {
            let is_killed = matches!(node.outcome, ProcessOutcome::Killed(_)) && node.is_chosen;
            let time = node.end.filter(|_| is_killed)?.time;
            let text = format!("{} of ", outcome(node.outcome));
            Some(FocusCandidate { tid: node.pid, start: time, end: time, text, is_slice: false })
        });
        self.fault = self.fault.take().or(killed);
    }

    fn find(&mut self, record: &Record<'_>, is_chosen: bool, trace: &TraceInfo<'_>) {
        let finished = self.findings.add(record, is_chosen, trace);
        if !is_chosen {
            return;
        }
        let instant = |text: &str| {
            let (tid, time) = (record.pid(), record.time);
            Some(FocusCandidate { tid, start: time, end: time, text: text.to_owned(), is_slice: false })
        };
        self.last = instant("");
        let is_fault = |format: &trace_data::format::Format| format.is("exceptions", "page_fault_user");
        if trace.events.get(record.id()).is_some_and(|event| is_fault(event.format())) {
            self.fault = instant("page_fault_user of ");
        }
        let (Some(call), Some((start, end))) = (finished, self.drawn().get()) else { return };
        let is_new_error = self.error.is_none() && call.error.is_some_and(is_unusual_error);
        let is_slowest = self.findings.slow.is_longest(&call);
        if !is_new_error && !is_slowest {
            return;
        }
        let name = call_text(call_name(call.exit, trace), call.about(record).as_ref());
        let candidate =
            |text: String| Some(FocusCandidate { tid: call.tid, start, end, text, is_slice: true });
        if is_new_error && let Some(error) = call.error {
            self.error = candidate(format!("{name} = {} of ", error_name(error)));
        }
        if is_slowest {
            self.slowest = candidate(format!("{name} of "));
        }
    }
}

impl Sink for ViewedTrace {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.drawn().set(None);
        self.timeline.record(record, trace)?;
        self.find(record, true, trace);
        Ok(())
    }

    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.timeline.pass_over(record, trace)?;
        self.find(record, false, trace);
        Ok(())
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.timeline.finish(trace)
    }
}

impl Drawing for LastSlice {
    fn end(&mut self, slice: &SliceEnd<'_>, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.set(Some((slice.start, slice.time)));
        Ok(())
    }
}
