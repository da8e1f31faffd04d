//! What stands above such a text.

use super::GraphColumns;
use crate::digits::fill;
use crate::text::{Header, latency};
use std::io::Write;

/// What the flags mean, where they are shown.
const FLAGS: [&str; 5] = [
    "  _-----=> irqs-off        \n",
    " / _----=> need-resched    \n",
    "| / _---=> hardirq/softirq \n",
    "|| / _--=> preempt-depth   \n",
    "||| /                      \n",
];

/// Appends what follows the tracer's lines; with `has_flags` in the form of the latency tracers, which have
/// none above an empty text.
pub(in crate::text) fn print(header: &Header<'_>, columns: GraphColumns, has_flags: bool, out: &mut Vec<u8>) {
    if has_flags && header.entries == 0 {
        return;
    }
    if has_flags {
        latency::title(header, out);
    }
    for note in header.notes {
        // Writing into a vector can't fail.
        let _ = writeln!(out, "# {note}");
    }
    if !header.notes.is_empty() {
        out.extend_from_slice(b"#\n");
    }
    names(columns, has_flags, out);
}

/// The names of the columns.
fn names(columns: GraphColumns, has_flags: bool, out: &mut Vec<u8>) {
    // Each column: whether it is there, its name, and what leads down to it.
    let parts = [
        (columns.time, "     TIME       ", "      |         "),
        (columns.cpu, " CPU", " |  "),
        (columns.thread, "  TASK/PID       ", "   |    |        "),
        (has_flags, "||||   ", "||||   "),
        (columns.duration, "  DURATION   ", "   |   |      "),
        (true, "               FUNCTION CALLS\n", "               |   |   |   |\n"),
    ];
    if has_flags {
        let before = parts.iter().take(3).filter(|(is_there, ..)| *is_there);
        let width: usize = before.map(|(_, name, _)| name.len()).sum();
        for line in FLAGS {
            out.push(b'#');
            fill(b' ', width, out);
            out.extend_from_slice(line.as_bytes());
        }
    }
    let mut line = |texts: [&str; 6]| {
        out.push(b'#');
        for (_, text) in parts.iter().zip(texts).filter(|((is_there, ..), _)| *is_there) {
            out.extend_from_slice(text.as_bytes());
        }
    };
    line(parts.map(|(_, name, _)| name));
    line(parts.map(|(_, _, below)| below));
}
