//! The form for those who look for delays: the kernel's `latency-format`.
//!
//! ```text
//! # nop latency trace v1.1.5 on 6.18.44
//! # --------------------------------------------------------------------
//! # latency: 0 us, #2/2, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:2)
//! ...
//!  program-77      0..... 1000123us+: open: path=/etc/passwd
//!  program-78      1..... 1000456us : close: fd=3
//! ```
//!
//! Sources: `print_trace_header` in `kernel/trace/trace.c`, `trace_print_lat_context` in `trace_output.c` of
//! Linux 6.18.

use super::mark::mark;
use super::{Header, flags};
use crate::digits::fill;
use crate::record::Record;
use std::io::Write;

/// What the columns are.
const LEGEND: [&str; 9] = [
    "                   _------=> CPU#            ",
    "                  / _-----=> irqs-off/BH-disabled",
    "                 | / _----=> need-resched    ",
    "                 || / _---=> hardirq/softirq ",
    "                 ||| / _--=> preempt-depth   ",
    "                 |||| / _-=> migrate-disable ",
    "                 ||||| /     delay           ",
    " cmd     pid     |||||| time  |   caller     ",
    "    \\   /        ||||||  \\    |    /       ",
];

/// What stands above the first event, if there is one.
pub(super) fn header(header: &Header<'_>, verbose: bool, out: &mut Vec<u8>) {
    if header.entries == 0 {
        return;
    }
    title(header, out);
    for line in LEGEND.iter().filter(|_| !verbose) {
        // Writing into a vector can't fail.
        let _ = writeln!(out, "# {line}");
    }
}

/// What stands above what the columns are. No tracer measures a latency, so nobody has one.
pub(super) fn title(header: &Header<'_>, out: &mut Vec<u8>) {
    let Header { tracer, entries, written, cpus, release, .. } = header;
    // Writing into a vector can't fail.
    let _ = writeln!(
        out,
        "# {tracer} latency trace v1.1.5 on {release}\n# {:-<68}\n\
         # latency: 0 us, #{entries}/{written}, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:{cpus})\n\
         #    -----------------\n#    | task: -0 (uid:0 nice:0 policy:0 rt_prio:0)\n\
         #    -----------------\n#",
        ""
    );
}

/// Thread, CPU, flags and time of an event, and how far the one after it is.
pub(super) fn context(
    comm: &str,
    record: &Record<'_>,
    next: Option<u64>,
    nanoseconds: bool,
    out: &mut Vec<u8>,
) {
    // The first 8 bytes of it, as far as they are whole letters.
    let end = (0..=comm.len().min(8)).rev().find(|end| comm.is_char_boundary(*end)).unwrap_or(0);
    let comm = comm.get(..end).unwrap_or_default();
    fill(b' ', 8 - comm.len(), out);
    out.extend_from_slice(comm.as_bytes());
    // Writing into a vector can't fail.
    let _ = write!(out, "-{:<7} {:3}", record.pid(), record.cpu);
    out.extend_from_slice(&flags::characters(record));
    let mark = mark(next.map_or(0, |next| next.saturating_sub(record.time)));
    let _ = match nanoseconds {
        true => write!(out, " {:4}us{mark}: ", record.time / 1000),
        false => write!(out, " {:4}: ", record.time),
    };
}

/// What precedes an event with `verbose`: names in full, flags as numbers, the number of the event among
/// those that are shown, and times in milliseconds.
pub(super) fn verbose(
    comm: &str,
    record: &Record<'_>,
    next: Option<u64>,
    nanoseconds: bool,
    index: u64,
    out: &mut Vec<u8>,
) {
    let (pid, (flags, preempt_count)) = (record.pid(), record.flags());
    let depth = preempt_count & 0xf;
    fill(b' ', 16_usize.saturating_sub(comm.len()), out);
    // Writing into a vector can't fail.
    let _ = write!(out, "{comm} {pid:7} {:3} {flags} {depth:08x} {index:08x} ", record.cpu);
    let (time, delay) = (record.time, next.map_or(0, |next| next.saturating_sub(record.time)));
    let _ = if nanoseconds {
        let [time, delay] = [time, delay].map(|time| time / 1000);
        let milliseconds = |time: u64| format!("{}.{:03}ms", time / 1000, time % 1000);
        write!(out, "[{time:08x}] {} (+{}): ", milliseconds(time), milliseconds(delay))
    } else {
        write!(out, "[{time:016x}] {time} (+{delay}): ")
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Missed;

    fn line(comm: &str, time: u64, next: Option<u64>, nanoseconds: bool) -> String {
        let payload = abi::common::word(300, 0, 1, 13_931).to_le_bytes();
        let record = Record { cpu: 1, time, payload: &payload, lost: Missed::None };
        let mut out = Vec::new();
        context(comm, &record, next, nanoseconds, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_have_the_kernels_columns() {
        let time = 37_198_922_292_999;
        assert_eq!(line("<...>", time, None, true), "   <...>-13931     1...1. 37198922292us : ");
        assert_eq!(
            line("<...>", time, Some(time + 15_000), true),
            "   <...>-13931     1...1. 37198922292us+: "
        );
        assert_eq!(line("a_long_name", 999, Some(101_999), true), "a_long_n-13931     1...1.    0us!: ");
        assert_eq!(line("x", 5, Some(1 << 40), false), "       x-13931     1...1.    5: ");
    }

    #[test]
    fn an_empty_buffer_has_no_legend() {
        let mut out = Vec::new();
        let empty = Header { tracer: "nop", entries: 0, written: 0, cpus: 2, notes: &[], release: "6.18" };
        header(&empty, false, &mut out);
        assert!(out.is_empty());
        header(&Header { entries: 2, written: 7, ..empty }, false, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("# nop latency trace v1.1.5 on 6.18\n# ------"));
        assert!(text.contains("\n# latency: 0 us, #2/7, CPU#0 | (M:"));
    }
}
