//! What each thread did, and when.

use super::kinds::KINDS;
use super::markup::Markup;
use crate::duration::duration;
use crate::report::{call_name, error_name, label};
use convert::{Overview, OverviewRow};
use std::collections::BTreeMap;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;

/// The most threads that are shown.
const MOST: usize = 40;

/// The height of a row, in pixels.
const HEIGHT: u16 = 16;

/// A call that has failed with an error that is not usual.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimelineMark {
    pub(super) tid: i32,
    pub(super) time: u64,
    /// The event at its end.
    pub(super) exit: u16,
    pub(super) error: i64,
}

/// What is drawn.
#[derive(Debug)]
pub(super) struct PageTimeline<'a> {
    pub(super) overview: &'a Overview,
    pub(super) marks: &'a [TimelineMark],
    pub(super) gaps: &'a Gaps,
    pub(super) bounds: (u64, u64),
}

impl PageTimeline<'_> {
    /// Writes it, if the trace has times and slices.
    pub(super) fn write(&self, trace: &TraceInfo<'_>, page: &mut Markup) {
        let rows = self.overview.rows();
        if rows.is_empty() || !trace.nanoseconds {
            return;
        }
        page.section("Timeline", |section| {
            legend(&rows, section);
            section.classed("div", "timeline", |timeline| {
                self.axis(timeline);
                for row in rows.iter().take(MOST) {
                    timeline.say("div", "thread", &label(trace.tasks, row.tid));
                    self.row(row, trace, timeline);
                }
            });
            if rows.len() > MOST {
                let more = format!("and {} more threads: lookback view shows all", rows.len() - MOST);
                section.say("p", "note", &more);
            }
            let note =
                "As high as the part of the time that was spent in calls, coloured by those with most of it.";
            section.say("p", "note", note);
        });
    }

    /// The times at the edges and in between.
    fn axis(&self, timeline: &mut Markup) {
        let length = self.bounds.1.saturating_sub(self.bounds.0);
        timeline.say("div", "thread", "");
        timeline.classed("div", "axis", |axis| {
            for quarter in 0..=4 {
                axis.say("span", "", &format!("+{}", duration(length / 4 * quarter)));
            }
        });
    }

    fn row(&self, row: &OverviewRow, trace: &TraceInfo<'_>, timeline: &mut Markup) {
        let columns = self.columns();
        let view = format!("0 0 {columns} {HEIGHT}");
        let attributes = [("viewBox", view.as_str()), ("preserveAspectRatio", "none")];
        timeline.with("svg", &attributes, |svg| {
            self.losses(svg);
            for run in &row.runs {
                let height = HEIGHT * u16::from(run.quarters) / 4;
                let class = KINDS.get(usize::from(run.kind)).map_or("k7", |(class, _)| class);
                rectangle(class, (run.first, HEIGHT - height), (run.count, height), "", svg);
            }
            for (column, (count, mark)) in self.marks_of(row.tid) {
                let call = call_name(mark.exit, trace);
                let more = if count > 1 { format!(", and {} more", count - 1) } else { String::new() };
                let text = format!("{call} = {}{more}", error_name(mark.error));
                rectangle("mark", (column, 0), (2, HEIGHT), &text, svg);
            }
        });
    }

    fn losses(&self, svg: &mut Markup) {
        for (from, to) in self.gaps.intervals() {
            let (first, last) = (self.overview.column(*from), self.overview.column(*to));
            // Everything before the first event is no loss of this trace's.
            if *to > self.bounds.0 {
                rectangle("loss", (first, 0), (last - first + 1, HEIGHT), "events were lost", svg);
            }
        }
    }

    /// The first error of each column, and how many there are.
    fn marks_of(&self, tid: i32) -> BTreeMap<u16, (usize, TimelineMark)> {
        let mut marks: BTreeMap<u16, (usize, TimelineMark)> = BTreeMap::new();
        for mark in self.marks.iter().filter(|mark| mark.tid == tid) {
            marks.entry(self.overview.column(mark.time)).or_insert((0, *mark)).0 += 1;
        }
        marks
    }

    fn columns(&self) -> u16 {
        self.overview.column(u64::MAX) + 1
    }
}

fn rectangle(class: &str, (x, y): (u16, u16), (width, height): (u16, u16), text: &str, svg: &mut Markup) {
    let [x, y, width, height] = [x, y, width, height].map(|number| number.to_string());
    let attributes = [("class", class), ("x", &*x), ("y", &*y), ("width", &*width), ("height", &*height)];
    svg.with("rect", &attributes, |rect| {
        if !text.is_empty() {
            rect.say("title", "", text);
        }
    });
}

/// The colours of what is shown.
fn legend(rows: &[OverviewRow], section: &mut Markup) {
    section.classed("p", "legend", |legend| {
        for (place, (class, name)) in KINDS.iter().enumerate() {
            if rows.iter().take(MOST).any(|row| row.runs.iter().any(|run| usize::from(run.kind) == place)) {
                legend.element("span", |entry| {
                    entry.with("svg", &[("width", "12"), ("height", "12")], |svg| {
                        rectangle(class, (0, 0), (12, 12), "", svg);
                    });
                    entry.text(&format!(" {name}"));
                });
            }
        }
    });
}
