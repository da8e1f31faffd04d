//! Readers of recordings of the function tracers. The files are written here, so that what they should show
//! is known to the nanosecond.

use crate::common::*;
use events::EventType;
use events::ftrace::{
    FUNCGRAPH_ENTRY, FUNCGRAPH_ENTRY_ID, FUNCGRAPH_EXIT, FUNCGRAPH_EXIT_ID, FUNCTION, FUNCTION_ID, PRINT,
    PRINT_ID, SYSTEM,
};
use export::dat::DatFile;
use std::fs::File;
use trace_data::dat::{Metadata, System, Version};
use trace_data::page::Missed;
use trace_data::record::Record;

const MAIN: u64 = 0x1000;
const PARSE: u64 = 0x2000;

/// A recording with such records of one CPU: time, id, and what follows the common fields.
fn file(records: &[(u64, u16, &[u64])]) -> Scratch {
    let scratch = Scratch::new();
    let mut metadata = Metadata::new(4096);
    let format =
        |event: &EventType| events::format_file(event.name, event.id, event.own_format()).to_string();
    let formats = [FUNCTION, FUNCGRAPH_ENTRY, FUNCGRAPH_EXIT, PRINT].iter().map(format).collect();
    metadata.systems.push(System { name: SYSTEM.to_owned(), formats });
    metadata.cmdlines.push((77, "program".to_owned()));
    metadata.options.clock = "mono".to_owned();
    metadata.kallsyms =
        format!("{MAIN:016x} T main\n{PARSE:016x} T parse\t[libparse.so]\n0000000000003000 T end\n");
    let directory = std::env::temp_dir();
    let mut out = File::create(scratch.outside("trace.dat")).unwrap();
    let mut file = DatFile::new(&mut out, Version::Six, 2, &directory);
    for (time, id, words) in records {
        let common = abi::common::word(*id, 0, 0, 77);
        let payload: Vec<u8> =
            std::iter::once(&common).chain(*words).flat_map(|word| word.to_le_bytes()).collect();
        file.push(&Record { cpu: 1, time: *time, payload: &payload, lost: Missed::None }).unwrap();
    }
    file.write(&metadata).unwrap();
    scratch
}

/// `main` calls `parse`, writes a message and returns.
fn calls() -> Scratch {
    let hello = u64::from_le_bytes(*b"hello\n\0\0");
    file(&[
        (1_000_000, FUNCGRAPH_ENTRY_ID, &[MAIN, 0]),
        (1_002_000, FUNCGRAPH_ENTRY_ID, &[PARSE, 1]),
        (1_004_500, FUNCGRAPH_EXIT_ID, &[PARSE, 0, 1, 1_002_000, 1_004_500]),
        (1_005_000, PRINT_ID, &[MAIN, hello]),
        (1_234_567, FUNCGRAPH_EXIT_ID, &[MAIN, 0, 0, 1_000_000, 1_234_567]),
    ])
}

#[test]
fn calls_are_shown_within_calls() {
    let scratch = calls();
    let text = run(&mut scratch.report(&[])).success().stdout;
    let expected = "\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 1)               |  main() {
 1)   2.500 us    |    parse [libparse.so]();
 1)               |  /* hello */
 1) ! 234.567 us  |  }
";
    assert_eq!(text, expected);
}

#[test]
fn other_views_have_the_records() {
    let scratch = calls();
    let printed = |options: &[&str]| run(&mut scratch.report(options)).success().stdout;
    let messages = printed(&["-e", "ftrace:print"]);
    assert!(messages.starts_with("# tracer: nop\n") && messages.ends_with(": main: hello\n"), "{messages}");
    let json = printed(&["--json"]);
    let second = json.lines().nth(1).unwrap();
    assert!(second.contains(r#""event":"funcgraph_entry""#) && second.contains("parse"), "{second}");
    assert!(json.lines().nth(2).unwrap().contains(r#""calltime":1002000,"rettime":1004500"#), "{json}");
    let stat = printed(&["--stat"]);
    let count = stat.lines().find(|line| line.starts_with("ftrace:funcgraph_entry")).unwrap();
    assert_eq!(count.split_whitespace().nth(1), Some("2"), "{stat}");
}

#[test]
fn functions_have_their_callers() {
    let scratch = file(&[(1_000_000, FUNCTION_ID, &[PARSE, MAIN + 0x10])]);
    let text = run(&mut scratch.report(&[])).success().stdout;
    assert!(text.starts_with("# tracer: function\n#\n# entries"), "{text}");
    assert!(text.ends_with("         program-77      [001] .....     0.001000: parse <-main\n"), "{text}");
}
