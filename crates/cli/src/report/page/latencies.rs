//! How long calls took: a histogram for each.

use super::markup::Markup;
use crate::duration::duration;
use crate::number::grouped;
use crate::report::call_name;
use query::{Durations, SlowCalls};
use trace_data::info::TraceInfo;

/// The most calls that are shown.
const MOST: usize = 30;

/// The widths of a bar and of all, and the height, in pixels. A bar is a power of two.
const BAR: usize = 7;
const BARS: usize = 36;
const HEIGHT: u64 = 24;

const TITLES: [&str; 7] =
    ["CALL", "COUNT", "P50", "P99", "MAX", "TOTAL", "1 ns to 30 s, each bar twice the last"];

/// Writes the calls that took longest together.
pub(super) fn write(slow: &mut SlowCalls, trace: &TraceInfo<'_>, page: &mut Markup) {
    let all = slow.durations();
    if all.is_empty() || !trace.nanoseconds {
        return;
    }
    page.section("How long calls took", |section| {
        section.table(|table| {
            table.element("tr", |head| {
                for (column, title) in TITLES.iter().enumerate() {
                    let is_figure = (1..TITLES.len() - 1).contains(&column);
                    head.say("th", if is_figure { "figure" } else { "" }, title);
                }
            });
            for (exit, durations) in all.iter().take(MOST) {
                let [_, _, median, most, longest, total] = durations.summary();
                table.element("tr", |row| {
                    row.say("td", "what", call_name(*exit, trace));
                    row.say("td", "figure", &grouped(durations.count()));
                    for time in [median, most, longest, total] {
                        row.say("td", "figure", &duration(time));
                    }
                    row.element("td", |cell| bars(durations, cell));
                });
            }
        });
        if all.len() > MOST {
            let more = format!("and {} more: lookback report --pair 'libc:*' shows all", all.len() - MOST);
            section.say("p", "note", &more);
        }
    });
}

/// A bar for each power of two of nanoseconds, as high as the logarithm of how many there are.
fn bars(durations: &Durations, cell: &mut Markup) {
    let rows = durations.histogram();
    let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(1);
    let (width, height) = ((BAR * BARS).to_string(), HEIGHT.to_string());
    cell.with("svg", &[("width", &width), ("height", &height), ("class", "histogram")], |svg| {
        for (from, count) in rows.iter().filter(|(_, count)| *count > 0) {
            let high = 2 + (HEIGHT - 2) * u64::from(bits(*count)) / u64::from(bits(most));
            let x = from.ilog2().min(BARS as u32 - 1) as usize * BAR;
            let [x, y, width, height] =
                [x as u64, HEIGHT - high, BAR as u64 - 1, high].map(|number| number.to_string());
            let attributes =
                [("class", "k0"), ("x", &*x), ("y", &*y), ("width", &*width), ("height", &*height)];
            let text = format!("{} to {}: {}", duration(*from), duration(2 * from), grouped(*count));
            svg.with("rect", &attributes, |rect| rect.say("title", "", &text));
        }
    });
}

/// How many bits a count has: its logarithm, and 1 at least.
fn bits(count: u64) -> u32 {
    count.max(1).ilog2() + 1
}
