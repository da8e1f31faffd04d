//! What stands above such a text.

use super::GraphColumns;
use crate::digits::fill;
use crate::symbols::Symbols;
use crate::text::{Header, Layout, latency};
use std::io::Write;

/// What the flags mean, where they are shown.
const FLAGS: [&str; 5] = [
    "  _-----=> irqs-off        \n",
    " / _----=> need-resched    \n",
    "| / _---=> hardirq/softirq \n",
    "|| / _--=> preempt-depth   \n",
    "||| /                      \n",
];

/// Appends what follows the tracer's lines; in the form of the latency tracers nothing above an empty text.
pub(in crate::text) fn print(
    header: &Header<'_>,
    columns: GraphColumns,
    symbols: &dyn Symbols,
    layout: Layout,
    out: &mut Vec<u8>,
) {
    if layout.latency && header.entries == 0 {
        return;
    }
    if layout.latency {
        latency::title(header, symbols, layout, out);
    }
    for note in header.notes {
        // Writing into a vector can't fail.
        let _ = writeln!(out, "# {note}");
    }
    if !header.notes.is_empty() {
        out.extend_from_slice(b"#\n");
    }
    names(columns, layout.latency, layout.date, out);
}

/// The names of the columns.
fn names(columns: GraphColumns, has_flags: bool, has_dates: bool, out: &mut Vec<u8>) {
    // Each column: whether it is there, its name, and what leads down to it.
    let parts = [
        (columns.time && has_dates, "             TIME              ", "              |                "),
        (columns.time && !has_dates, "     TIME       ", "      |         "),
        (columns.relative_time, "   REL TIME     ", "      |         "),
        (columns.cpu, " CPU", " |  "),
        (columns.thread, "  TASK/PID       ", "   |    |        "),
        (has_flags, "||||   ", "||||   "),
        (columns.duration, "  DURATION   ", "   |   |      "),
        (true, "               FUNCTION CALLS\n", "               |   |   |   |\n"),
    ];
    if has_flags {
        let before = parts.iter().take(5).filter(|(is_there, ..)| *is_there);
        let width: usize = before.map(|(_, name, _)| name.len()).sum();
        for line in FLAGS {
            out.push(b'#');
            fill(b' ', width, out);
            out.extend_from_slice(line.as_bytes());
        }
    }
    let mut line = |texts: [&str; 8]| {
        out.push(b'#');
        for (_, text) in parts.iter().zip(texts).filter(|((is_there, ..), _)| *is_there) {
            out.extend_from_slice(text.as_bytes());
        }
    };
    line(parts.map(|(_, name, _)| name));
    line(parts.map(|(_, _, below)| below));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_a_wider_column() {
        let columns = GraphColumns { time: true, ..GraphColumns::default() };
        let text = |has_dates| {
            let mut out = Vec::new();
            names(columns, false, has_dates, &mut out);
            String::from_utf8(out).unwrap()
        };
        let column = |text: &str| {
            text.lines().map(|line| line.rfind("FUNCTION").or(line.find("|   |   |   |"))).collect::<Vec<_>>()
        };
        let (times, dates) = (text(false), text(true));
        let wider = "2026-11-21T08:45:09.250000Z".len() - "  616.402026".len();
        for (time, date) in column(&times).into_iter().zip(column(&dates)) {
            assert_eq!(time.unwrap() + wider, date.unwrap(), "{times}{dates}");
        }
    }
}
