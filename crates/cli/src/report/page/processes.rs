//! The tree of processes, each with a bar for its time.

use super::markup::Markup;
use crate::number::count;
use crate::report::explanation::{Deaths, is_killed};
use crate::report::processes::{ProcessClock, ProcessRow, TITLES, rows};
use query::{ProcessNode, ProcessTree};
use trace_data::info::TraceInfo;

/// The most that are shown.
const MOST: usize = 300;

/// The column that says how a process has ended: a word, where others have figures.
const ENDED: usize = 2;

/// How many there are, without who has only made them.
pub(super) fn shown(tree: &ProcessTree, order: &[(usize, usize)]) -> usize {
    order.iter().filter(|(place, _)| !tree.nodes()[*place].is_only_a_maker()).count()
}

/// Writes the tree.
pub(super) fn write(
    tree: &ProcessTree,
    order: &[(usize, usize)],
    deaths: &Deaths,
    (clock, bounds): (ProcessClock, (u64, u64)),
    trace: &TraceInfo<'_>,
    page: &mut Markup,
) {
    let mut rows = rows(tree, order, clock, trace);
    let all = rows.len();
    rows.retain(|row| !is_only_seen(row.node));
    let others = all - rows.len();
    let is_uncertain = rows.iter().any(|row| row.cells.iter().any(|cell| cell.starts_with('<')));
    page.section("Ran", |section| {
        section.table(|table| {
            table.element("tr", |head| {
                head.say("th", "", "COMMAND");
                for (column, title) in TITLES.iter().enumerate() {
                    head.say("th", if column == ENDED { "" } else { "figure" }, title);
                }
                if trace.nanoseconds {
                    head.say("th", "", "");
                }
            });
            for row in rows.iter().take(MOST) {
                table.element("tr", |line| write_row(row, deaths, bounds, trace, line));
            }
        });
        if rows.len() > MOST {
            let more = format!("and {} more: lookback report --tree shows all", rows.len() - MOST);
            section.say("p", "note", &more);
        }
        if others > 0 {
            let processes = count(others as u64, "other process was seen", "other processes were seen");
            section.say("p", "note", &format!("{processes}, without calls"));
        }
        if is_uncertain {
            section.say("p", "note", "< before: it was there already, or was found to have ended");
        }
        if !tree.knows_processes() {
            let unknown = "the trace has no starts and ends of processes: `-e @process` enables them";
            section.say("p", "note", unknown);
        }
    });
}

/// Whether the trace has nothing of a process but that it was there, as one of those that others were
/// switched from.
fn is_only_seen(node: &ProcessNode) -> bool {
    node.calls == 0 && node.start.is_none() && node.end.is_none() && node.filename.is_none()
}

fn write_row(
    row: &ProcessRow<'_>,
    deaths: &Deaths,
    bounds: (u64, u64),
    trace: &TraceInfo<'_>,
    line: &mut Markup,
) {
    line.classed("td", "what", |what| {
        let indent = format!("padding-left:{}em", row.depth.min(20));
        what.with("span", &[("style", &indent)], |span| span.text(&row.command));
        if let Some(death) = deaths.of(row.node.pid, is_killed(row.node)) {
            what.say("div", "failed", death);
        }
    });
    for (column, cell) in row.cells.iter().enumerate() {
        let class = match column {
            ENDED if row.node.outcome.is_failure() => "failed",
            ENDED => "ended",
            _ => "figure",
        };
        line.say("td", class, cell);
    }
    if trace.nanoseconds {
        line.classed("td", "bar", |cell| bar(row.node, bounds, cell));
    }
}

/// When it was there, of the time of the trace.
fn bar(node: &ProcessNode, (first, last): (u64, u64), cell: &mut Markup) {
    let length = last.saturating_sub(first).max(1) as f64;
    let percent =
        |time: u64| 100.0 * time.clamp(first, last.max(first)).saturating_sub(first) as f64 / length;
    let start = percent(node.start.unwrap_or(node.seen.0));
    let end = percent(node.end.map_or(node.seen.1, |end| end.time));
    let class = if node.outcome.is_failure() { "rf" } else { "rp" };
    let attributes = [("width", "100%"), ("height", "10"), ("aria-hidden", "true")];
    cell.with("svg", &attributes, |svg| {
        let (x, width) = (format!("{start:.2}%"), format!("{:.2}%", (end - start).max(0.4)));
        svg.with("rect", &[("class", class), ("x", &x), ("width", &width), ("height", "10")], |_| {});
    });
}
