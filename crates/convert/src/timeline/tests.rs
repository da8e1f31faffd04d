//! Slices as they are drawn from records.

use super::*;
use crate::drawing::SliceEnd;
use export::Sink;
use trace_data::dat::{Metadata, System};
use trace_data::event::{Event, EventTable};
use trace_data::format::Format;
use trace_data::print::Dialect;

const READ: u16 = 1;
const READ_EXIT: u16 = 2;
const OPEN: u16 = 3;
const OPEN_EXIT: u16 = 4;
const EXIT: u16 = 5;
const SPAN: u16 = 6;
const SPAN_ENTER: u16 = 7;
const SPAN_EXIT: u16 = 8;

fn table() -> EventTable {
    let event = |system: &str, name: &str, id: u16, field: &str| {
        let text = format!(
            "name: {name}\nID: {id}\nformat:\n\
             \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
             \tfield:long {field};\toffset:8;\tsize:8;\tsigned:1;\n\nprint fmt: \"\"\n"
        );
        Event::new(Format::parse(system, &text).unwrap(), Dialect::Kernel)
    };
    [
        event("libc", "read", READ, "fd"),
        event("libc", "read_exit", READ_EXIT, "duration"),
        event("libc", "open", OPEN, "mode"),
        event("libc", "open_exit", OPEN_EXIT, "ret"),
        event("sched", "sched_process_exit", EXIT, "pid"),
        event("shop", "pay", SPAN, "span"),
        event("shop", "pay_enter", SPAN_ENTER, "span"),
        event("shop", "pay_exit", SPAN_EXIT, "span"),
    ]
    .into_iter()
    .collect()
}

/// Writes down what is drawn.
#[derive(Default)]
struct Written(Vec<String>);

impl Drawing for &mut Written {
    fn begin(&mut self, slice: &SliceStart<'_>, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.push(format!("{} {}{{", slice.time, slice.name.name));
        Ok(())
    }

    fn end(&mut self, slice: &SliceEnd<'_>, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        let SliceEnd { start, time, own, name, within, ending, .. } = slice;
        let ending = ending.describe().unwrap_or("");
        self.0.push(format!("}}{} {start}..{time} own {own} in {} {ending}", name.name, within.len()));
        Ok(())
    }

    fn instant(&mut self, instant: &Instant<'_>, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.0.push(format!("{} {}", instant.time, instant.name.name));
        Ok(())
    }

    fn finish(&mut self, _processes: &ProcessTree, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// What is drawn of records of a thread, each of a time, an event, its field and whether it is chosen.
fn drawn(gaps: &[(u64, u64)], records: &[(u64, u16, i64, bool)]) -> Vec<String> {
    drawn_with(&Metadata::new(4096), gaps, records)
}

/// What is drawn of records of a trace that says which events it has.
fn drawn_with(metadata: &Metadata, gaps: &[(u64, u64)], records: &[(u64, u16, i64, bool)]) -> Vec<String> {
    let (events, mut written) = (table(), Written::default());
    let trace = TraceInfo { metadata, events: &events, tasks: &(), symbols: &(), nanoseconds: true };
    let mut timeline = SliceTimeline::new(&mut written, Gaps::new(gaps.to_vec()));
    for (time, id, field, is_chosen) in records {
        let payload = [u64::from(*id) | 7 << 32, *field as u64].map(u64::to_le_bytes).concat();
        let record = Record { cpu: 0, time: *time, payload: &payload, lost: Missed::None };
        match is_chosen {
            true => timeline.record(&record, &trace).unwrap(),
            false => timeline.pass_over(&record, &trace).unwrap(),
        }
    }
    timeline.finish(&trace).unwrap();
    written.0
}

#[test]
fn calls_nest_and_are_as_long_as_they_say() {
    let records =
        [(10, OPEN, 0, true), (20, READ, 3, true), (35, READ_EXIT, 12, true), (60, OPEN_EXIT, 3, true)];
    let expected = ["10 open{", "20 read{", "}read 20..32 own 12 in 1 ", "}open 10..60 own 38 in 0 "];
    assert_eq!(drawn(&[], &records), expected);
}

#[test]
fn an_end_alone_is_a_slice_if_it_knows_its_length() {
    assert_eq!(
        drawn(&[], &[(100, READ_EXIT, 40, true), (110, OPEN_EXIT, 3, true)]),
        ["60 read{", "}read 60..100 own 40 in 0 ", "110 open"]
    );
    // The start is not chosen, and known.
    assert_eq!(
        drawn(&[], &[(50, OPEN, 0, false), (90, OPEN_EXIT, 3, true), (95, OPEN, 0, false)]),
        ["50 open{", "}open 50..90 own 40 in 0 "]
    );
}

#[test]
fn what_has_no_end_ends_with_what_it_is_in() {
    let records = [(10, OPEN, 0, true), (20, READ, 3, true), (60, OPEN_EXIT, 3, true), (70, READ, 3, true)];
    let expected = [
        "10 open{",
        "20 read{",
        "}read 20..60 own 40 in 1 did not return",
        "}open 10..60 own 10 in 0 ",
        "70 read{",
        "}read 70..70 own 0 in 0 unfinished",
    ];
    assert_eq!(drawn(&[], &records), expected);
    let ended = drawn(&[], &[(10, READ, 3, true), (30, EXIT, 7, true)]);
    assert_eq!(ended, ["10 read{", "}read 10..30 own 20 in 0 did not return", "30 sched_process_exit"]);
}

/// Where ends are not recorded calls don't become deeper and deeper.
#[test]
fn what_never_ends_is_left_when_it_begins_again() {
    let formats = ["name: read\n", "name: open\n", "name: open_exit\n"].map(str::to_owned).to_vec();
    let systems = vec![System { name: "libc".to_owned(), formats }];
    let metadata = Metadata { systems, ..Metadata::new(4096) };
    let records = [(10, OPEN, 0, true), (20, READ, 3, true), (30, READ, 4, true), (60, OPEN_EXIT, 3, true)];
    let records =
        [records.as_slice(), &[(70, READ, 3, true), (80, READ, 3, true), (90, OPEN, 3, true)]].concat();
    let expected = [
        "10 open{",
        "20 read{",
        "}read 20..20 own 0 in 1 unfinished",
        "30 read{",
        "}read 30..30 own 0 in 1 unfinished",
        "}open 10..60 own 50 in 0 ",
        "70 read{",
        "}read 70..70 own 0 in 0 unfinished",
        "80 read{",
        "90 open{",
        "}open 90..90 own 0 in 1 unfinished",
        "}read 80..90 own 10 in 0 unfinished",
    ];
    assert_eq!(drawn_with(&metadata, &[], &records), expected);
}

#[test]
fn no_slice_reaches_over_lost_events() {
    let records = [(10, OPEN, 0, true), (90, OPEN_EXIT, 3, true)];
    assert_eq!(drawn(&[(20, 80)], &records), ["10 open{", "}open 10..90 own 80 in 0 unfinished"]);
    let measured = [(10, READ, 3, true), (5090, READ_EXIT, 30, true)];
    let expected = [
        "10 read{",
        "}read 10..5060 own 5050 in 0 unfinished",
        "5060 read{",
        "}read 5060..5090 own 30 in 0 ",
    ];
    assert_eq!(drawn(&[(20, 80)], &measured), expected);
}

#[test]
fn a_span_is_a_slice_while_it_is_entered() {
    let records =
        [(10, SPAN, 1, true), (20, SPAN_ENTER, 1, true), (30, SPAN_EXIT, 1, true), (40, SPAN_ENTER, 1, true)];
    let expected =
        ["10 pay", "20 pay{", "}pay 20..30 own 10 in 0 ", "40 pay{", "}pay 40..40 own 0 in 0 unfinished"];
    assert_eq!(drawn(&[], &records), expected);
}
