//! Files written here, read by trace-cmd; files converted by trace-cmd, read here.

mod common;

use common::*;
use events::format_file;
use events::ftrace::{FUNCGRAPH_ENTRY_ID, FUNCGRAPH_EXIT_ID, FUNCTION_ID};
use std::fs::File;
use trace_data::dat::{BufferSource, CpuSource, Metadata, TscScale, Version, write};
use trace_data::merge::Merge;
use trace_data::page::{Missed, PageBuilder};
use trace_data::print::Dialect;
use trace_data::record::Records;

#[test]
fn trace_cmd_finds_nothing_to_complain_about() {
    let saved = Saved::new("valid.dat", &libc_metadata());
    for arguments in [
        &["dump", "--all", "-i", saved.path()][..],
        &["dump", "--validate", "-i", saved.path()],
        &["report", "--stat", "-i", saved.path()],
        &["report", "--check-events", "-i", saved.path()],
        &["report", "--uname", "-i", saved.path()],
        &["report", "--version", "-i", saved.path()],
    ] {
        let Some((output, errors)) = run("trace-cmd", arguments) else {
            return;
        };
        let errors: Vec<_> = errors.lines().filter(|line| !line.contains("mystery")).collect();
        assert_eq!(errors, [""; 0], "{arguments:?}");
        let quiet = arguments.contains(&"--check-events");
        assert_eq!(output.is_empty(), quiet, "{arguments:?}");
    }
    let (stat, _) = run("trace-cmd", &["report", "--stat", "-i", saved.path()]).unwrap();
    assert!(stat.contains("entries: 5"), "{stat}");
    let (valid, _) = run("trace-cmd", &["dump", "--validate", "-i", saved.path()]).unwrap();
    assert!(valid.contains("is a valid trace-cmd file"), "{valid}");
    // In an empty one it would look for the clock in what lies after it in its memory.
    let (options, _) = run("trace-cmd", &["dump", "--options", "-i", saved.path()]).unwrap();
    assert!(options.contains("[Option TRACECLOCK, 8 bytes]\n[mono]\n"), "{options}");
}

#[test]
fn what_is_written_can_be_read() {
    let metadata = libc_metadata();
    let saved = Saved::new("back.dat", &metadata);
    let mut recording = open(&saved.path);
    assert_eq!(*recording.metadata(), metadata);
    assert_eq!(recording.buffers().len(), 1);
    assert_eq!(recording.buffers()[0].clock, "mono");
    assert_eq!(read_pages(&mut recording, 0), saved.cpus);
}

#[test]
fn files_of_version_7_are_read() {
    let metadata = libc_metadata();
    let saved = Saved::new("six.dat", &metadata);
    for compression in ["none", "zstd"] {
        let converted = temporary(&format!("seven-{compression}.dat"));
        let arguments = [
            "convert",
            "-i",
            saved.path(),
            "--file-version",
            "7",
            "--compression",
            compression,
            "-o",
            converted.to_str().unwrap(),
        ];
        if run("trace-cmd", &arguments).is_none() {
            return;
        }
        let mut recording = open(&converted);
        let found = recording.metadata();
        assert_eq!((&found.systems, &found.kallsyms), (&metadata.systems, &metadata.kallsyms));
        assert_eq!(found.cmdlines, metadata.cmdlines);
        assert_eq!(found.header_page, metadata.header_page);
        assert_eq!(found.options.clock, "mono");
        assert_eq!(recording.buffers()[0].compressed, compression == "zstd");
        assert_eq!(read_pages(&mut recording, 0), saved.cpus);
        std::fs::remove_file(&converted).unwrap();
    }
}

#[test]
fn versions_say_the_same() {
    let mut metadata = libc_metadata();
    metadata.options.time_offset = 7;
    metadata.supplement.tgids = vec![(77, 70)];
    metadata.supplement.real_times = vec![(5, 1_000_000)];
    let saved = Saved::new("all-six.dat", &metadata);
    let six = std::fs::metadata(&saved.path).unwrap().len();
    let report = |path: &str| run("trace-cmd", &["report", "-N", "-i", path]);
    for (version, name) in [(Version::Seven, "plain"), (Version::SevenCompressed, "compressed")] {
        let path = temporary(&format!("all-seven-{name}.dat"));
        let length = save_as(version, &path, &metadata, &saved.cpus);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), length);
        assert!(version != Version::SevenCompressed || length < six / 4 * 3, "{length} {six}");
        let mut recording = open(&path);
        assert_eq!(*recording.metadata(), metadata);
        assert_eq!(recording.buffers()[0].compressed, version == Version::SevenCompressed);
        assert_eq!(read_pages(&mut recording, 0), saved.cpus);
        assert_eq!(report(path.to_str().unwrap()), report(saved.path()));
        for arguments in [["dump", "--validate"], ["dump", "--summary"], ["report", "--check-events"]] {
            let Some((_, errors)) =
                run("trace-cmd", &[&arguments[..], &["-i", path.to_str().unwrap()]].concat())
            else {
                continue;
            };
            let errors: Vec<_> = errors.lines().filter(|line| !line.contains("mystery")).collect();
            assert_eq!(errors, [""; 0], "{arguments:?}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn instances_are_buffers_of_their_own() {
    let metadata = libc_metadata();
    let saved = Saved::new("top.dat", &metadata);
    let path = temporary("instances.dat");
    let cpus =
        |pages: [&'static [u8]; 2]| pages.map(|pages| CpuSource { pages, length: pages.len() as u64 }).into();
    let [one, two] = saved.cpus.clone().map(|pages| &*pages.leak());
    let mut buffers = [
        BufferSource { name: String::new(), cpus: cpus([one, &[]]) },
        BufferSource { name: "flight".to_owned(), cpus: cpus([&[], two]) },
    ];
    write(File::create(&path).unwrap(), Version::Six, &metadata, &mut buffers).unwrap();
    let mut recording = open(&path);
    assert_eq!(*recording.metadata(), metadata);
    let names: Vec<_> = recording.buffers().iter().map(|buffer| buffer.name.as_str()).collect();
    assert_eq!(names, ["", "flight"]);
    assert_eq!(read_pages(&mut recording, 0), [one, &[]]);
    assert_eq!(read_pages(&mut recording, 1), [&[], two]);
    if let Some((report, errors)) = run("trace-cmd", &["report", "-N", "-i", path.to_str().unwrap()]) {
        let errors: Vec<_> = errors.lines().filter(|line| !line.contains("mystery")).collect();
        assert_eq!(errors, [""; 0]);
        // The lines of an instance start with its name.
        assert_eq!(report.lines().filter(|line| line.starts_with("flight:")).count(), 600);
        let seven = temporary("instances-seven.dat");
        run(
            "trace-cmd",
            &["convert", "-i", path.to_str().unwrap(), "--file-version", "7", "-o", seven.to_str().unwrap()],
        );
        let mut recording = open(&seven);
        assert_eq!(recording.buffers()[1].name, "flight");
        assert_eq!(read_pages(&mut recording, 0), [one]);
        assert_eq!(read_pages(&mut recording, 1), [two]);
        std::fs::remove_file(&seven).unwrap();
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn lost_events_and_times() {
    let mut metadata = libc_metadata();
    metadata.options.time_offset = -1_500;
    metadata.options.tsc_scale = Some(TscScale { multiplier: 3 << 20, shift: 20, offset: 2_000_000 });
    metadata.options.clock = "x86-tsc".to_owned();
    let events = metadata.events(Dialect::Report).unwrap();
    let (_, payload) = &libc_records(&events, 1, 1)[0];
    let mut builder = PageBuilder::new(4096);
    let mut data = Vec::new();
    for (time, missed) in [(5_000_000, None), (6_000_001, Some(1160)), (7_000_000, None)] {
        assert!(builder.push(time, payload));
        data.extend_from_slice(builder.finish(missed));
    }
    let path = temporary("times.dat");
    save(&path, &metadata, &[data]);
    let found = run("trace-cmd", &["report", "-N", "-t", "-i", path.to_str().unwrap()]);
    let mut recording = open(&path);
    std::fs::remove_file(&path).unwrap();
    let options = recording.metadata().options.clone();
    let mut records = Merge::new(recording.pages(0).unwrap()).unwrap();
    let mut ours = Vec::new();
    while let Some(record) = records.next().unwrap() {
        if let Missed::Count(count) = record.lost {
            ours.push(format!("CPU:{} [{count} EVENTS DROPPED]", record.cpu));
        }
        ours.push(format!("{}", options.time(record.time)));
    }
    let Some((report, _)) = found else { return };
    let theirs = report.lines().skip(1).map(|line| match event_time(line) {
        Some(time) => time.replacen('.', "", 1).trim_start_matches('0').to_owned(),
        None => line.to_owned(),
    });
    assert_eq!(theirs.collect::<Vec<_>>(), ours);
}

/// Seconds and nanoseconds of an event's line.
fn event_time(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("] ")?;
    Some(rest.trim_start().split_once(": ")?.0)
}

#[test]
fn pages_may_be_larger() {
    let mut metadata = libc_metadata();
    metadata.page_size = 16384;
    metadata.header_page = Metadata::new(16384).header_page;
    let events = metadata.events(Dialect::Report).unwrap();
    let records = libc_records(&events, 100, 5);
    let mut builder = PageBuilder::new(16384);
    let mut data = Vec::new();
    for (time, payload) in &records {
        if !builder.push(*time, payload) {
            data.extend_from_slice(builder.finish(None));
            assert!(builder.push(*time, payload));
        }
    }
    data.extend_from_slice(builder.finish(None));
    let path = temporary("large.dat");
    save(&path, &metadata, &[data]);
    let found = run("trace-cmd", &["report", "-N", "-i", path.to_str().unwrap()]);
    let mut recording = open(&path);
    std::fs::remove_file(&path).unwrap();
    let mut merge = Merge::new(recording.pages(0).unwrap()).unwrap();
    let mut times = Vec::new();
    while let Some(record) = merge.next().unwrap() {
        times.push(record.time);
    }
    assert!(times.iter().eq(records.iter().map(|(time, _)| time)));
    let Some((report, _)) = found else { return };
    assert_eq!(report.lines().filter(|line| line.contains("-77 ")).count(), records.len());
}

#[test]
fn functions_have_their_names() {
    let mut metadata = libc_metadata();
    let tracers = events::all().filter(|event| event.system == events::ftrace::SYSTEM);
    let formats = tracers.map(|event| format_file(event.name, event.id, event.own_format()).to_string());
    metadata.ftrace_formats = formats.collect();
    let words = |id, words: &[u64]| {
        let common = abi::common::word(id, 0, 0, 77);
        std::iter::once(common).chain(words.iter().copied()).flat_map(u64::to_le_bytes).collect::<Vec<u8>>()
    };
    let exit = |func, depth, from, to| words(FUNCGRAPH_EXIT_ID, &[func, 7, depth, from, to]);
    let records = [
        (1_000, words(FUNCTION_ID, &[0x104, 0x1010])),
        (2_000, words(FUNCGRAPH_ENTRY_ID, &[0x1000, 0])),
        (3_000, words(FUNCGRAPH_ENTRY_ID, &[0x100, 1])),
        (4_500, exit(0x100, 1, 3_000, 4_500)),
        (14_345, exit(0x1000, 0, 2_000, 14_345)),
    ];
    let path = temporary("functions.dat");
    save(&path, &metadata, &[pages(records.iter().map(|(time, payload)| (*time, &payload[..]))), Vec::new()]);
    let shown = run("trace-cmd", &["report", "-i", path.to_str().unwrap()]);
    std::fs::remove_file(&path).unwrap();
    let Some((report, errors)) = shown else { return };
    assert_eq!(errors, "");
    let messages =
        report.lines().filter_map(|line| Some(line.split_once("] ")?.1.split_once(": ")?.1.trim()));
    let expected = [
        "function:             open_file",
        "funcgraph_entry:                   |  main() {",
        "funcgraph_entry:        1.500 us   |    open_file();",
        "funcgraph_exit:       + 12.345 us  |  }",
    ];
    assert_eq!(messages.collect::<Vec<_>>(), expected);
}
