//! What we print for an event against what `trace-cmd report` prints.

mod common;

use common::*;
use std::collections::HashSet;
use trace_data::dat::{Metadata, System};
use trace_data::event::Event;
use trace_data::merge::Merge;
use trace_data::print::Dialect;
use trace_data::record::Records;
use trace_data::symbols::Symbols;
use trace_data::text::Tasks;

/// The message of each event that `trace-cmd report` prints, and its name. Messages may have
/// several lines.
fn messages(report: &str) -> Vec<(String, String)> {
    let mut messages: Vec<(String, String)> = Vec::new();
    for line in report.lines() {
        match event_line(line) {
            Some(message) => messages.push(message),
            None => {
                if let Some((_, message)) = messages.last_mut() {
                    message.push('\n');
                    message.push_str(line);
                }
            }
        }
    }
    messages
}

/// `  a program-77    [000]     0.001000: name:      message`: the name has a column of 22.
fn event_line(line: &str) -> Option<(String, String)> {
    let (_, rest) = line.split_once("-77 ")?;
    let (_, rest) = rest.split_once("] ")?;
    let (_, rest) = rest.trim_start().split_once(": ")?;
    let (name, _) = rest.split_once(':')?;
    let message = rest.get((name.len() + 1).max(21) + 1..).unwrap_or_default();
    Some((name.to_owned(), message.to_owned()))
}

fn ours(event: &Event, payload: &[u8], symbols: &dyn Symbols) -> String {
    let mut out = Vec::new();
    event.print(payload, symbols, &mut out);
    // The report ends a line where the message does it, too.
    let text = String::from_utf8(out).unwrap();
    text.strip_suffix('\n').unwrap_or(&text).to_owned()
}

/// What `trace-cmd report` prints for a recording of these records; its errors must be none.
fn report(name: &str, metadata: &Metadata, records: &[(u64, Vec<u8>)]) -> Option<String> {
    let path = temporary(name);
    let events = records.iter().map(|(time, payload)| (*time, &payload[..]));
    save(&path, metadata, &[pages(events), Vec::new()]);
    // Without plugins: they print some events their own way.
    let found = run("trace-cmd", &["report", "-N", "-i", path.to_str().unwrap()]);
    std::fs::remove_file(&path).unwrap();
    let (report, errors) = found?;
    assert_eq!(errors, "");
    Some(report)
}

/// Events that trace-cmd 3.1.6 prints wrongly: it gives `a & (b | c)`, and operators inside `?:`,
/// another structure than C does.
const WRONG_THERE: [&str; 4] = ["timer_start", "mm_page_alloc_extfrag", "kvm_nested_vmenter", "raid56_read"];

fn is_comparable(event: &Event) -> bool {
    let format = event.format();
    // Neither does it know `%c`; and `bprint` brings its print format along in each record.
    !WRONG_THERE.contains(&format.name.as_str())
        && !format.print_fmt.contains("%c")
        && format.name != "bprint"
}

#[test]
fn every_event_of_the_kernel() {
    let Some(tracefs) = tracefs() else { return };
    let metadata = kernel_metadata(&tracefs);
    let events = metadata.events(Dialect::Report).unwrap();
    let (mut compared, mut listed) = (0, 0);
    for seed in 1..=3 {
        let mut numbers = Numbers(seed);
        let records: Vec<_> = events
            .iter()
            .enumerate()
            .map(|(number, event)| (number as u64 * 1000, record(event.format(), &mut numbers)))
            .collect();
        let Some(report) = report("kernel.dat", &metadata, &records) else {
            return;
        };
        let theirs = messages(&report);
        assert_eq!(theirs.len(), records.len());
        for ((name, theirs), (_, payload)) in theirs.iter().zip(&records) {
            let event = events.of(payload).unwrap();
            assert_eq!(*name, event.format().name);
            if theirs.starts_with("[FAILED TO PARSE]") {
                let mut fields = b"[FAILED TO PARSE]".to_vec();
                event.print_fields(payload, &mut fields);
                assert_eq!(*theirs, String::from_utf8_lossy(&fields), "{name}");
                listed += 1;
            } else if is_comparable(event) {
                assert_eq!(*theirs, ours(event, payload, &()), "{name}");
                compared += 1;
            }
        }
    }
    println!("{compared} messages are trace-cmd's, {listed} more as lists of fields");
}

#[test]
fn every_event_of_the_kernel_as_a_list_of_fields() {
    let Some(tracefs) = tracefs() else { return };
    let mut metadata = kernel_metadata(&tracefs);
    for format in metadata.systems.iter_mut().flat_map(|system| &mut system.formats) {
        let end = format.find("print fmt:").unwrap();
        format.replace_range(end.., "print fmt: \"%s\", no_such_function(1)\n");
    }
    let events = metadata.events(Dialect::Report).unwrap();
    let mut numbers = Numbers(7);
    let records: Vec<_> = events
        .iter()
        .filter(|event| event.format().system != "ftrace")
        .enumerate()
        .map(|(number, event)| (number as u64 * 1000, record(event.format(), &mut numbers)))
        .collect();
    let path = temporary("fields.dat");
    let data = pages(records.iter().map(|(time, payload)| (*time, &payload[..])));
    save(&path, &metadata, &[data]);
    let found = run("trace-cmd", &["report", "-N", "-i", path.to_str().unwrap()]);
    std::fs::remove_file(&path).unwrap();
    let Some((report, _)) = found else { return };
    let theirs = messages(&report);
    assert_eq!(theirs.len(), records.len());
    for ((name, theirs), (_, payload)) in theirs.iter().zip(&records) {
        let event = events.of(payload).unwrap();
        assert_eq!(*theirs, ours(event, payload, &()), "{name}");
    }
    println!("{} lists of fields are trace-cmd's", theirs.len());
}

#[test]
fn every_construct_of_ours() {
    let metadata = libc_metadata();
    let events = metadata.events(Dialect::Report).unwrap();
    for event in events.iter().filter(|event| event.format().name != "unparsable") {
        assert_eq!(event.print_error(), None);
    }
    let symbols = metadata.symbols();
    let records = libc_records(&events, 200, 3);
    let path = temporary("libc.dat");
    let data = pages(records.iter().map(|(time, payload)| (*time, &payload[..])));
    save(&path, &metadata, &[data]);
    let found = run("trace-cmd", &["report", "-N", "-i", path.to_str().unwrap()]);
    std::fs::remove_file(&path).unwrap();
    let Some((report, errors)) = found else {
        return;
    };
    let errors: Vec<_> = errors.lines().filter(|line| !line.contains("mystery")).collect();
    assert_eq!(errors, [""; 0]);
    let theirs = messages(&report);
    assert_eq!(theirs.len(), records.len());
    for ((name, theirs), (_, payload)) in theirs.iter().zip(&records) {
        let event = events.of(payload).unwrap();
        assert_eq!(*theirs, ours(event, payload, &symbols), "{name}");
    }
    println!("{} messages are trace-cmd's", theirs.len());
}

#[test]
fn symbols_are_looked_up_as_there() {
    let mut metadata = Metadata::new(4096);
    let field = "unsigned long a;\toffset:8;\tsize:8;\tsigned:0";
    let text = format("at", 1000, &[field], r#""%ps %pS", (void *)REC->a, (void *)REC->a"#);
    metadata.systems.push(System { name: "libc".to_owned(), formats: vec![text] });
    metadata.cmdlines.push((77, "a program".to_owned()));
    metadata.kallsyms = libc_metadata().kallsyms;
    let events = metadata.events(Dialect::Report).unwrap();
    let symbols = metadata.symbols();
    let addresses = [0_u64, 1, 2, 0xff, 0x100, 0x1fff, 0x2000, 1 << 40, 0xffff_fffe_ffff_ffff];
    let payload =
        |address: u64| [&1000_u64.to_le_bytes()[..4], &[77, 0, 0, 0], &address.to_le_bytes()].concat();
    let records: Vec<_> = addresses.iter().map(|address| (1000, payload(*address))).collect();
    let Some(report) = report("symbols.dat", &metadata, &records) else {
        return;
    };
    for ((_, theirs), (_, payload)) in messages(&report).iter().zip(&records) {
        assert_eq!(*theirs, ours(events.of(payload).unwrap(), payload, &symbols));
    }
}

#[test]
fn a_recording_of_the_kernel() {
    let Some(tracefs) = tracefs() else { return };
    let Some(instance) = Instance::new(&tracefs, "report") else {
        return;
    };
    let mut metadata = kernel_metadata(&tracefs);
    instance.set("buffer_size_kb", "8000");
    instance.set("trace_clock", "mono");
    instance.record();
    let streams = instance.take_pages();
    metadata.options.clock = "mono".to_owned();
    metadata.kallsyms = std::fs::read_to_string("/proc/kallsyms").unwrap();
    metadata.printk_formats = std::fs::read_to_string(tracefs.join("printk_formats")).unwrap();
    let threads = kernel_threads(&tracefs);
    metadata.cmdlines = threads.names().to_vec();
    let cpus: Vec<_> = streams.cpus.iter().map(|(_, pages)| pages.concat()).collect();
    let path = temporary("kernel-events.dat");
    save(&path, &metadata, &cpus);
    let found = run("trace-cmd", &["report", "-N", "-i", path.to_str().unwrap()]);
    let mut recording = open(&path);
    std::fs::remove_file(&path).unwrap();
    let Some((report, errors)) = found else {
        return;
    };
    assert_eq!(errors, "");
    let events = recording.metadata().events(Dialect::Report).unwrap();
    let symbols = recording.metadata().symbols();
    let mut records = Merge::new(recording.pages(0).unwrap()).unwrap();
    let mut theirs = report.lines().skip(1);
    let (mut compared, mut names) = (0, HashSet::new());
    while let Some(record) = records.next().unwrap() {
        let event = events.of(record.payload).unwrap();
        let name = &event.format().name;
        let pid = i32::from_le_bytes(record.payload[4..8].try_into().unwrap());
        let comm = threads.comm(pid).unwrap_or(if pid == 0 { "<idle>" } else { "<...>" });
        let time = (record.time + 500) / 1000;
        let ours = format!(
            "{comm:>16}-{pid:<5} [{:03}] {:5}.{:06}: {:<21} {}",
            record.cpu,
            time / 1_000_000,
            time % 1_000_000,
            format!("{name}:"),
            ours(event, record.payload, &symbols),
        );
        for ours in ours.lines() {
            let theirs = theirs.next().unwrap();
            if is_comparable(event) && !theirs.contains("[FAILED TO PARSE]") {
                assert_eq!(theirs, ours);
                compared += 1;
            }
        }
        names.insert(name);
    }
    assert_eq!(theirs.next(), None);
    println!("{compared} lines of {} events are trace-cmd's", names.len());
}
