//! Files that were truncated, or damaged within: every form has what can be read, and says what not.

use crate::common::*;
use std::collections::BTreeSet;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use trace_data::dat::Recording;
use trace_data::event::EventTable;
use trace_data::format::Kind;
use trace_data::page::Page;
use trace_data::print::Dialect;

/// Bytes before a page's first event.
const HEADER: usize = 16;

/// Runs a command on a file that can't be read in full.
#[track_caller]
fn say(command: &mut Command, file: &Path, what: &str) -> Outcome {
    let name = file.file_name().unwrap().to_str().unwrap();
    run(command.arg(file)).failure(125, &[&format!("{name}: "), what])
}

/// The events that it has, as JSON.
#[track_caller]
fn events(scratch: &Scratch, file: &Path, what: &str) -> Vec<String> {
    let json = say(&mut scratch.lookback(&["report", "--json"]), file, what).stdout;
    json.lines().map(str::to_owned).collect()
}

/// Looks at each form of it. The events that it has, as JSON.
#[track_caller]
fn forms(scratch: &Scratch, file: &Path, what: &str) -> Vec<String> {
    let say = |arguments: &[&str]| say(&mut scratch.lookback(arguments), file, what);
    let lines = events(scratch, file, what);
    let shown =
        |text: &str| text.lines().filter(|line| !line.starts_with('#') && !line.starts_with("CPU:")).count();
    assert_eq!(shown(&say(&["report"]).stdout), lines.len(), "{what}");
    for form in ["--calls", "--stat", "--tree", "--waits"] {
        assert!(!say(&["report", form]).stdout.is_empty(), "{form}");
    }
    assert!(say(&["explain"]).stdout.contains(" events of "));
    for out in ["a.perfetto-trace", "a.json", "a.firefox.json", "a.pb.gz", "a.folded", "a.dat", "a.ctf"] {
        say(&["convert", "-o", out]);
        assert!(scratch.path(out).exists(), "{out}");
    }
    say(&["report", "--html", "a.html"]);
    say(&["flame", "-o", "a.svg"]);
    let cut = run(&mut scratch.lookback(&["report", "--json", "a.dat"])).success().stdout;
    assert_eq!(cut.lines().count(), lines.len(), "a cut of it is whole");
    // Where it would have begun or ended nobody knows, and a part isn't compared.
    for refused in [&["report", "--from", "-1s"][..], &["diff", "a.dat"]] {
        assert_eq!(say(refused).stdout, "", "{refused:?}");
    }
    for out in ["a.html", "a.svg", "a.dat"] {
        std::fs::remove_file(scratch.path(out)).unwrap();
    }
    lines
}

fn recorded() -> (Scratch, Vec<u8>) {
    let scratch = Scratch::new();
    scratch.recorded(&["sh", "-c", "ls -l /usr/bin > /dev/null"]).0.success();
    let whole = std::fs::read(scratch.outside("trace.dat")).unwrap();
    (scratch, whole)
}

#[test]
fn what_a_truncated_trace_has_is_in_every_form() {
    let (scratch, whole) = recorded();
    let short = scratch.write("short.dat", &whole[..whole.len() - 100_000]);
    let lines = forms(&scratch, &short, "truncated").len();
    let all = run(scratch.lookback(&["report", "--json"]).arg(scratch.outside("trace.dat"))).success();
    assert!(0 < lines && lines < all.stdout.lines().count(), "{lines}");
    // Which CPUs it had nobody knows.
    assert_eq!(say(&mut scratch.lookback(&["report", "-C", "0"]), &short, "truncated").stdout, "");
}

/// Where a page of the CPU with the most events is in a file, and where in it a record is that has a text,
/// and the word that says where the text is.
fn page_with_text(path: &Path) -> (usize, usize, usize) {
    let recording = Recording::open(File::open(path).unwrap()).unwrap();
    let events = recording.metadata().events(Dialect::Report).unwrap();
    let data = recording.buffers()[0].cpus.iter().max_by_key(|data| data.size).unwrap();
    let bytes = std::fs::read(path).unwrap();
    let pages = data.size as usize / 4096;
    assert!(pages > 4, "{pages}");
    (pages / 2..pages - 1)
        .find_map(|page| {
            let start = data.offset as usize + page * 4096;
            let (record, word) = text_in(&bytes[start..start + 4096], &events)?;
            Some((start, record, word))
        })
        .unwrap()
}

/// Where a record is in the second half of a page that has a text, and the word that says where that is.
fn text_in(page: &[u8], events: &EventTable) -> Option<(usize, usize)> {
    let base = page.as_ptr() as usize;
    Page::new(page)?.events().find_map(|event| {
        let record = event.payload.as_ptr() as usize - base;
        let mut fields = events.of(event.payload)?.format().fields.iter();
        let text = fields.find(|field| matches!(field.kind, Kind::DataLocation(_)))?;
        (record > 2048 && text.bytes(event.payload)?.len() > 1).then_some((record, record + text.offset))
    })
}

/// What is the same of an event wherever losses are: all up to its fields' text.
fn told(line: &str) -> String {
    let line = line.replacen("\"lost\":true,", "", 1);
    line.split(",\"descriptors\":").next().unwrap().trim_end_matches('}').to_owned()
}

#[test]
fn what_is_sound_of_a_damaged_trace_is_in_every_form() {
    let (scratch, whole) = recorded();
    let path = scratch.outside("trace.dat");
    let (page, record, word) = page_with_text(&path);
    let all = run(scratch.lookback(&["report", "--json"]).arg(&path)).success().stdout;
    let all: BTreeSet<String> = all.lines().map(told).collect();
    let first = HEADER + 4;
    let damages: [(&str, Range<usize>, &[u8], &str); 10] = [
        ("the time is 0", 0..8, &[0], "its time is not between"),
        ("the time is late", 0..8, &[0x7f], "its time is not between"),
        ("the length", 8..12, &[0xff], "its header makes no sense"),
        ("nothing is left", 0..4096, &[0], "its header makes no sense"),
        ("the first event's word", HEADER..first + 4, &[0], "is left out"),
        ("the first event's id", first..first + 2, &[0xfe], "no event has the id 65278"),
        ("the first event's thread", first + 4..first + 8, &[0xff], "no thread has the id -1"),
        (
            "the middle",
            2048..2560,
            &[0x55, 0xaa, 0x12, 0x77, 0x31],
            "it is left out from the record before on",
        ),
        ("a text's place", word..word + 4, &[0xff], "a text reaches out of its record"),
        ("the word of a record", record - 4..record, &[0xff], "it is left out from the record before on"),
    ];
    for (name, range, with, what) in damages {
        let mut damaged = whole.clone();
        let bytes = damaged[page..][range.clone()].iter_mut().zip(with.iter().cycle());
        bytes.for_each(|(byte, with)| *byte = *with);
        let file = scratch.write("damaged.dat", &damaged);
        let place = format!("at offset {page} is damaged");
        say(&mut scratch.lookback(&["report"]), &file, &place);
        let lines = events(&scratch, &file, what);
        let wrong: Vec<&String> = lines.iter().filter(|line| !all.contains(&told(line))).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        let missing = all.len() - lines.len();
        assert!((1..=400).contains(&missing), "{name}: {missing} are missing");
        assert_eq!(lines.iter().filter(|line| line.contains("\"lost\":true")).count(), 1, "{name}");
        let stat = say(&mut scratch.lookback(&["report", "--stat"]), &file, what).stdout;
        assert!(
            stat.contains(", at least 1 lost, ") && stat.contains("complete for the last"),
            "{name}: {stat}"
        );
    }
    // Two damaged pages are said once.
    let mut damaged = whole;
    damaged[page + 8..page + 12].fill(0xff);
    damaged[page + 4096 + 8..page + 4096 + 12].fill(0xff);
    let file = scratch.write("damaged.dat", &damaged);
    forms(&scratch, &file, "and one more is damaged");
}
