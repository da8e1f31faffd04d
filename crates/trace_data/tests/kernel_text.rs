//! Our text of a recording against the kernel's own: the same events, read once as text and once
//! as pages.

mod common;

use common::*;
use std::collections::HashSet;
use trace_data::event::{Event, EventTable};
use trace_data::merge::Merge;
use trace_data::page::Missed;
use trace_data::print::Dialect;
use trace_data::record::Records;
use trace_data::symbols::Symbols;
use trace_data::text::{Form, Header, Layout, Tasks, TextWriter, is_nanoseconds};

/// The lines that we make of pages. Losses in front of the first page of a CPU are left out where
/// `start` isn't set: the `trace` file doesn't tell them.
fn ours(
    events: &EventTable,
    tasks: &dyn Tasks,
    symbols: &dyn Symbols,
    layout: Layout,
    header: Option<Header<'_>>,
    pages: Streams,
    start: bool,
) -> String {
    let mut writer = TextWriter::new(Vec::new(), events, tasks, symbols, layout);
    if let Some(header) = header {
        writer.header(&header).unwrap();
    }
    let mut seen = Vec::new();
    let mut records = Merge::new(pages).unwrap();
    while let Some(mut record) = records.next().unwrap() {
        if !seen.contains(&record.cpu) {
            seen.push(record.cpu);
            if !start {
                record.lost = Missed::None;
            }
        }
        writer.event(&record, None).unwrap();
    }
    String::from_utf8_lossy(&writer.finish().unwrap()).into_owned()
}

/// Whether the kernel makes the messages of an event of what stands in its print format.
fn is_comparable(event: &Event) -> bool {
    let format = event.format();
    event.print_error().is_none()
        // A variable of the kernel.
        && !format.print_fmt.contains("vmemmap_base")
        // Names of enumerators, whose values only the kernel knows.
        && !format
            .print_fmt
            .split('{')
            .skip(1)
            .any(|entry| entry.trim_start().starts_with(|c: char| c.is_alphabetic()))
}

/// Compares line by line, and returns how many lines are the same.
fn assert_same(events: &EventTable, layout: Layout, kernel: &str, ours: &str) -> usize {
    // Field by field the kernel shows where texts are in its memory, and it alone knows which of its
    // addresses are code.
    let has_pointer = |event: &Event| event.format().fields.iter().any(|field| field.type_name.contains('*'));
    let skipped: HashSet<_> = events
        .iter()
        .filter(|event| !is_comparable(event) || layout.fields && has_pointer(event))
        .map(|event| event.format().name.as_str())
        .collect();
    let is_skipped = |line: &str| {
        let mut names = line.split(' ').filter_map(|word| word.strip_suffix(':'));
        names.any(|name| skipped.contains(name))
    };
    let mut compared = 0;
    for (number, (kernel, ours)) in kernel.lines().zip(ours.lines()).enumerate() {
        if kernel != ours && !is_skipped(ours) {
            panic!("line {} is\n{kernel}\nand ours is\n{ours}", number + 1);
        }
        compared += usize::from(kernel == ours);
    }
    assert_eq!(kernel.lines().count(), ours.lines().count(), "lines");
    compared
}

#[test]
fn the_trace_file() {
    let Some(tracefs) = tracefs() else { return };
    let Some(instance) = Instance::new(&tracefs, "text") else {
        return;
    };
    let events = kernel_metadata(&tracefs).events(Dialect::Kernel).unwrap();
    let symbols = kernel_symbols(&tracefs);
    let cases = [
        ("mono", "stacktrace", 20_000),
        ("counter", "nostacktrace", 20_000),
        ("mono", "userstacktrace", 20_000),
        ("mono", "nouserstacktrace", 20_000),
        ("mono", "sym-offset", 20_000),
        ("mono", "sym-addr", 20_000),
        ("mono", "nosym-offset", 20_000),
        ("mono", "record-tgid", 20_000),
        ("mono", "noirq-info", 20_000),
        ("mono", "norecord-tgid", 20_000),
        ("mono", "nocontext-info", 64),
        ("mono", "context-info", 64),
        ("mono", "raw", 2000),
        ("mono", "hex", 2000),
        ("mono", "bin", 2000),
        ("mono", "nobin", 2000),
        ("mono", "nohex", 2000),
        ("mono", "noraw", 2000),
        ("mono", "fields", 20_000),
        ("mono", "nofields", 64),
        ("mono", "verbose", 20_000),
    ];
    for (clock, option, size) in cases {
        instance.set("trace", "");
        instance.set("trace_clock", clock);
        instance.set("buffer_size_kb", &size.to_string());
        instance.set("trace_options", option);
        // Pointers as they are recorded, not as a number made of them.
        instance.set("trace_options", "nohash-ptr");
        instance.record();
        let options = instance.read("trace_options");
        let is_on = |option: &str| options.lines().any(|line| line == option);
        let overrun = instance.statistic("overrun");
        let entries = instance.statistic("entries");
        let layout = Layout {
            annotate: overrun > 0,
            nanoseconds: is_nanoseconds(clock),
            irq_info: is_on("irq-info"),
            context_info: is_on("context-info"),
            tgid: is_on("record-tgid"),
            symbol_offset: is_on("sym-offset"),
            symbol_address: is_on("sym-addr"),
            fields: is_on("fields"),
            verbose: is_on("verbose"),
            form: [("bin", Form::Bin), ("hex", Form::Hex), ("raw", Form::Raw)]
                .into_iter()
                .find_map(|(option, form)| is_on(option).then_some(form))
                .unwrap_or(Form::Text),
            ..Layout::default()
        };
        let cpus = instance.cpus().len() as u64;
        let header = Header {
            tracer: "nop",
            entries,
            written: entries + overrun,
            cpus,
            notes: &[],
            release: "",
            longest: None,
        };
        let kernel = instance.read("trace");
        let tasks = kernel_threads(&tracefs);
        let pages = instance.take_pages();
        let ours = ours(&events, &tasks, &symbols, layout, Some(header), pages, false);
        let compared = assert_same(&events, layout, &kernel, &ours);
        println!("{clock}, {option}: {compared} lines are the kernel's; {overrun} events overwritten");
    }
}

#[test]
fn lost_events() {
    let Some(tracefs) = tracefs() else { return };
    let Some(instance) = Instance::new(&tracefs, "lost") else {
        return;
    };
    let events = kernel_metadata(&tracefs).events(Dialect::Kernel).unwrap();
    let symbols = kernel_symbols(&tracefs);
    instance.set("trace_clock", "counter");
    let mark = || {
        for number in 0..2000 {
            std::fs::write(instance.path.join("trace_marker"), format!("mark {number}")).unwrap();
        }
    };
    instance.set("buffer_size_kb", "8");
    mark();
    let kernel = instance.read_now("trace_pipe", 4096).concat();
    let kernel = String::from_utf8_lossy(&kernel).into_owned();
    instance.set("trace", "");
    mark();
    let tasks = kernel_threads(&tracefs);
    let pages = instance.take_pages();
    let ours = ours(
        &events,
        &tasks,
        &symbols,
        Layout { nanoseconds: false, ..Layout::default() },
        None,
        pages,
        true,
    );
    // The same marks twice, at other times and perhaps on another CPU: compared are the form of the
    // line that has the loss and the marks themselves.
    let lost = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with("CPU:"));
        lines.map(|line| line.replace(|c: char| c.is_ascii_digit(), "")).collect()
    };
    // Not the first line where these marks came from two CPUs.
    let told = kernel.lines().find(|line| line.starts_with("CPU:"));
    assert_eq!(told.map(|line| line.split(' ').count()), Some(4), "{kernel}");
    assert_eq!(lost(&kernel)[0], lost(&ours)[0]);
    assert!(
        ours.ends_with("tracing_mark_write: mark 1999\n")
            && kernel.ends_with("tracing_mark_write: mark 1999\n")
    );
}
