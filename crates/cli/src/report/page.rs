//! `lookback report --html`: what a trace has, as one page for a ticket.

mod flame;
mod kinds;
mod latencies;
mod markup;
mod parts;
mod processes;
mod timeline;

use super::Surveyed;
use super::explanation::{self, Deaths, ExplanationPart, failed, slow, waited};
use super::processes::ProcessClock;
use super::times::Times;
use crate::number::grouped;
use crate::unseen;
use convert::{FoldedStacks, Overview, SliceTimeline, StackWeight};
use export::{Error, Sink};
use markup::Markup;
use query::{Findings, is_unusual_error};
use timeline::{PageTimeline, TimelineMark};
use trace_data::dat::UnseenProcess;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;
use trace_data::text::printable;

/// Lines of each part, at most.
const MOST: usize = 20;

/// Columns of the timeline.
const COLUMNS: u16 = 500;

/// The most errors that are marked in the timeline.
const MARKS: usize = 2000;

/// How the page looks: no scripts, no other files.
const STYLE: &str = include_str!("page/style.css");

/// Collects what the page says, and writes it in the end.
pub(super) struct ReportPage {
    findings: Findings,
    deaths: Deaths,
    timeline: SliceTimeline<(Overview, FoldedStacks<Vec<u8>>)>,
    /// Errors that are not usual: the thread, the column, and what has failed.
    marks: Vec<TimelineMark>,
    bounds: (u64, u64),
    gaps: Gaps,
    times: Times,
    title: String,
    /// Since when the trace is complete.
    complete: Option<String>,
    dropped: Vec<(u64, String)>,
    unseen: Vec<UnseenProcess>,
    page: String,
}

impl ReportPage {
    /// Of a trace that is called so.
    pub(super) fn new(surveyed: &Surveyed<'_, '_>, title: String, times: Times) -> ReportPage {
        let Surveyed { contents, trace, survey, .. } = *surveyed;
        let gaps = contents.gaps(survey);
        let time = |time| contents.metadata.options.time(time);
        let bounds = survey.bounds.map_or((0, 0), |(first, last)| (time(first), time(last)));
        let dropped = contents.metadata.supplement.dropped.clone();
        let overview = Overview::new(bounds, COLUMNS, kinds::kind);
        let folded = FoldedStacks::new(Vec::new(), StackWeight::Time);
        ReportPage {
            findings: Findings::new(trace.events, gaps.clone()),
            deaths: Deaths::default(),
            timeline: SliceTimeline::new((overview, folded), gaps.clone()),
            marks: Vec::new(),
            complete: surveyed.completeness(),
            bounds,
            gaps,
            times,
            title,
            dropped,
            unseen: contents.metadata.supplement.unseen.clone(),
            page: String::new(),
        }
    }

    /// The page, once all records have come.
    pub(super) fn into_page(self) -> String {
        self.page
    }

    fn add(&mut self, record: &Record<'_>, is_chosen: bool, trace: &TraceInfo<'_>) {
        let finished = self.findings.add(record, is_chosen, trace);
        if let Some(event) = trace.events.get(record.id()) {
            self.deaths.add(event, record, trace);
        }
        if let Some(call) = finished
            && let Some(error) = call.error.filter(|error| is_unusual_error(*error))
            && self.marks.len() < MARKS
        {
            self.marks.push(TimelineMark { tid: call.tid, time: call.end, exit: call.exit, error });
        }
    }

    fn head(&self, processes: usize, trace: &TraceInfo<'_>) -> Markup {
        let seen = &self.findings.seen;
        let (first, _) = seen.times.unwrap_or_default();
        let mut head = Markup::default();
        head.element("h1", |head| head.text(&format!("Trace of {}", printable(&self.title))));
        head.element("p", |head| {
            head.text(&explanation::head(seen, processes, self.times, trace));
            let date = Times::Date;
            if trace.nanoseconds && trace.real_time(first).is_some() && !matches!(self.times, Times::Date) {
                head.text(&format!(", {}", date.text(first, trace)));
            }
            head.text(".");
        });
        let (class, complete) = match &self.complete {
            Some(complete) => ("warning", format!("The trace is {complete}.")),
            None => ("", "No event was lost.".to_owned()),
        };
        head.classed("p", class, |head| head.text(&complete));
        head
    }

    /// What was lost, and what was never seen.
    fn missing(&self) -> ExplanationPart {
        let mut notes: Vec<String> = self
            .dropped
            .iter()
            .map(|(count, why)| format!("not written: {}: {}", grouped(*count), printable(why)))
            .collect();
        notes.extend(unseen::described(&self.unseen));
        ExplanationPart { title: "Not in the trace".to_owned(), lines: Vec::new(), notes }
    }

    fn write(&mut self, trace: &TraceInfo<'_>) {
        let order = self.findings.tree.finish();
        let waits = self.findings.waits.finish();
        let shown = processes::shown(&self.findings.tree, &order);
        let clock = ProcessClock { first: self.bounds.0, times: self.times };
        let head = self.head(shown, trace);
        let (overview, folded) = self.timeline.drawing();
        let timeline = PageTimeline { overview, marks: &self.marks, gaps: &self.gaps, bounds: self.bounds };
        let Findings { tree, failed, slow, waits: all, seen, .. } = &mut self.findings;
        let mut page = Markup::default();
        page.part(head);
        processes::write(tree, &order, &self.deaths, (clock, self.bounds), trace, &mut page);
        parts::write(&failed::part(failed, seen.calls, self.times, MOST, trace), &mut page);
        parts::write(&slow::part(slow, self.times, MOST, trace), &mut page);
        parts::write(&waited::part(all, &waits, MOST, trace), &mut page);
        timeline.write(trace, &mut page);
        flame::write(&String::from_utf8_lossy(folded.out()), &mut page);
        latencies::write(slow, trace, &mut page);
        parts::write(&self.missing(), &mut page);
        self.page = page.document(&format!("Trace of {}", printable(&self.title)), STYLE);
    }
}

impl Sink for ReportPage {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.timeline.record(record, trace)?;
        self.add(record, true, trace);
        Ok(())
    }

    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.timeline.pass_over(record, trace)?;
        self.add(record, false, trace);
        Ok(())
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.timeline.finish(trace)?;
        self.write(trace);
        Ok(())
    }
}
