//! The metadata of a trace, in TSDL.

use super::event::{CtfEvent, integer, text as literal};
use std::collections::BTreeMap;
use std::fmt::Write;
use trace_data::info::TraceInfo;

/// What all packets and events have in common.
fn common() -> String {
    let [u16, u32, u64] = [2, 4, 8].map(|size| integer(size, false, 10));
    let i32 = integer(4, true, 10);
    let time = "integer { size = 64; align = 8; signed = false; map = clock.lookback.value; }";
    format!(
        "trace {{\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n\
         \tpacket.header := struct {{\n\t\t{u32} magic;\n\t\t{u32} stream_id;\n\t}};\n}};\n\n\
         stream {{\n\tid = 0;\n\
         \tevent.header := struct {{\n\t\t{u16} id;\n\t\t{time} timestamp;\n\t}};\n\
         \tevent.context := struct {{\n\t\t{i32} _vpid;\n\t\t{i32} _vtid;\n\t\tstring _procname;\n\t}};\n\
         \tpacket.context := struct {{\n\t\t{time} timestamp_begin;\n\t\t{time} timestamp_end;\n\
         \t\t{u64} content_size;\n\t\t{u64} packet_size;\n\t\t{u64} events_discarded;\n\
         \t\t{u32} cpu_id;\n\t}};\n}};\n"
    )
}

/// The metadata of a trace with these events, whose first record is of a time.
pub(super) fn text(events: &BTreeMap<u16, CtfEvent>, first: u64, trace: &TraceInfo<'_>) -> String {
    let mut out = String::from("/* CTF 1.8 */\n\n");
    // Writing into a string can't fail.
    let _ = write!(
        out,
        "env {{\n\ttracer_name = \"lookback\";\n\ttracer_major = 0;\n\ttracer_minor = 1;\n\
         \ttrace_clock = {};\n}};\n\n",
        literal(&trace.metadata.options.clock)
    );
    let offset = i128::from(trace.real_time(first).unwrap_or(first)) - i128::from(first);
    let (seconds, rest) = (offset.div_euclid(1_000_000_000), offset.rem_euclid(1_000_000_000));
    let _ = write!(
        out,
        "clock {{\n\tname = lookback;\n\tdescription = \"the trace's clock, offset from 1970\";\n\
         \tfreq = 1000000000;\n\toffset_s = {seconds};\n\toffset = {rest};\n}};\n\n"
    );
    out.push_str(&common());
    for (id, event) in events {
        let name = literal(&event.name);
        let _ = write!(out, "\nevent {{\n\tname = {name};\n\tid = {id};\n\tstream_id = 0;\n");
        out.push_str("\tfields := struct {\n");
        event.declare(&mut out);
        out.push_str("\t};\n};\n");
    }
    out
}
