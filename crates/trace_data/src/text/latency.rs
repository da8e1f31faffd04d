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

use super::ftrace::symbol;
use super::mark::mark;
use super::{Header, Layout, Longest, flags};
use crate::digits::fill;
use crate::record::Record;
use crate::symbols::Symbols;
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
pub(super) fn header(header: &Header<'_>, symbols: &dyn Symbols, layout: Layout, out: &mut Vec<u8>) {
    if header.entries == 0 {
        return;
    }
    title(header, symbols, layout, out);
    for line in LEGEND.iter().filter(|_| !layout.verbose) {
        // Writing into a vector can't fail.
        let _ = writeln!(out, "# {line}");
    }
}

/// What stands above what the columns are. Without a tracer that measures a latency nobody has one.
pub(super) fn title(header: &Header<'_>, symbols: &dyn Symbols, layout: Layout, out: &mut Vec<u8>) {
    let Header { tracer, entries, written, cpus, release, .. } = header;
    let longest = header.longest.unwrap_or_default();
    let Longest { comm, tid, uid, nice, policy, rt_priority, cpu, .. } = longest;
    let latency = longest.nanoseconds / 1000;
    // Writing into a vector can't fail.
    let _ = writeln!(
        out,
        "# {tracer} latency trace v1.1.5 on {release}\n# {:-<68}\n\
         # latency: {latency} us, #{entries}/{written}, CPU#{cpu} | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:{cpus})\n\
         #    -----------------\n\
         #    | task: {comm}-{tid} (uid:{uid} nice:{nice} policy:{policy} rt_prio:{rt_priority})\n\
         #    -----------------",
        ""
    );
    if header.longest.is_some() {
        for (what, address) in [("started at: ", longest.started_at), ("ended at:   ", longest.ended_at)] {
            let _ = write!(out, "#  => {what}");
            symbol(address, symbols, layout, out);
            out.push(b'\n');
        }
        out.extend_from_slice(b"#\n");
    }
    out.extend_from_slice(b"#\n");
}

/// Thread, CPU, flags and time of an event, and how far the one after it is.
pub(super) fn context(comm: &str, record: &Record<'_>, next: Option<u64>, layout: Layout, out: &mut Vec<u8>) {
    let time = record.time.saturating_sub(layout.latency_start);
    // The first 8 bytes of it, as far as they are whole letters.
    let end = (0..=comm.len().min(8)).rev().find(|end| comm.is_char_boundary(*end)).unwrap_or(0);
    let comm = comm.get(..end).unwrap_or_default();
    fill(b' ', 8 - comm.len(), out);
    out.extend_from_slice(comm.as_bytes());
    // Writing into a vector can't fail.
    let _ = write!(out, "-{:<7} {:3}", record.pid(), record.cpu);
    out.extend_from_slice(&flags::characters(record));
    let mark = mark(next.map_or(0, |next| next.saturating_sub(record.time)));
    let _ = match layout.nanoseconds {
        true => write!(out, " {:4}us{mark}: ", time / 1000),
        false => write!(out, " {time:4}: "),
    };
}

/// What precedes an event with `verbose`: names in full, flags as numbers, the number of the event among
/// those that are shown, and times in milliseconds.
pub(super) fn verbose(
    comm: &str,
    record: &Record<'_>,
    next: Option<u64>,
    layout: Layout,
    index: u64,
    out: &mut Vec<u8>,
) {
    let (pid, (flags, preempt_count)) = (record.pid(), record.flags());
    let depth = preempt_count & 0xf;
    fill(b' ', 16_usize.saturating_sub(comm.len()), out);
    // Writing into a vector can't fail.
    let _ = write!(out, "{comm} {pid:7} {:3} {flags} {depth:08x} {index:08x} ", record.cpu);
    let (time, delay) = (record.time, next.map_or(0, |next| next.saturating_sub(record.time)));
    let passed = time.saturating_sub(layout.latency_start);
    let _ = if layout.nanoseconds {
        let [time, passed, delay] = [time, passed, delay].map(|time| time / 1000);
        let milliseconds = |time: u64| format!("{}.{:03}ms", time / 1000, time % 1000);
        write!(out, "[{time:08x}] {} (+{}): ", milliseconds(passed), milliseconds(delay))
    } else {
        write!(out, "[{time:016x}] {passed} (+{delay}): ")
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
        context(comm, &record, next, Layout { nanoseconds, ..Layout::default() }, &mut out);
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
        let (written, cpus, notes, longest) = (0, 2, &[][..], None);
        let empty = Header { tracer: "nop", entries: 0, written, cpus, notes, release: "6.18", longest };
        header(&empty, &(), Layout::default(), &mut out);
        assert!(out.is_empty());
        header(&Header { entries: 2, written: 7, ..empty }, &(), Layout::default(), &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("# nop latency trace v1.1.5 on 6.18\n# ------"));
        assert!(text.contains("\n# latency: 0 us, #2/7, CPU#0 | (M:"));
    }

    #[test]
    fn a_measured_section_is_described() {
        let longest = Longest {
            nanoseconds: 200_084_999,
            cpu: 1,
            comm: "irq_test",
            tid: 1705,
            uid: 7,
            nice: -3,
            policy: 1,
            rt_priority: 50,
            started_at: 0x1234,
            ended_at: 0,
        };
        let (entries, written, cpus, notes, longest) = (4, 9, 2, &[][..], Some(longest));
        let header = Header { tracer: "irqsoff", entries, written, cpus, notes, release: "6.18", longest };
        let mut out = Vec::new();
        title(&header, &(), Layout::default(), &mut out);
        let expected = "# irqsoff latency trace v1.1.5 on 6.18\n\
            # --------------------------------------------------------------------\n\
            # latency: 200084 us, #4/9, CPU#1 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:2)\n\
            #    -----------------\n\
            #    | task: irq_test-1705 (uid:7 nice:-3 policy:1 rt_prio:50)\n\
            #    -----------------\n\
            #  => started at: 0x00001234\n\
            #  => ended at:   0\n\
            #\n\
            #\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
