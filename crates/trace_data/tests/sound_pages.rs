//! Pages that are damaged: what is sound of them is read, and what is not is said.

use std::io::Cursor;
use std::sync::Arc;
use trace_data::dat::{
    BufferSource, CpuSource, Metadata, Recording, SoundPages, SoundRecords, System, Version, write,
};
use trace_data::merge::Merge;
use trace_data::page::{Missed, PageBuilder};
use trace_data::print::Dialect;
use trace_data::record::Records;

const FORMAT: &str = "name: said
ID: 900
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:int number;	offset:8;	size:4;	signed:1;
	field:__data_loc char[] text;	offset:12;	size:4;	signed:0;

print fmt: \"%s\", __get_str(text)
";

/// Bytes of a record, and of it in a page.
const RECORD: usize = 24;
const STEP: usize = RECORD + 4;
/// Records of a page.
const RECORDS: u64 = (4096 - 16) / STEP as u64;

/// Pages whose records are numbered by time: from 1000, 10 apart.
fn pages(count: u64) -> Vec<u8> {
    let (mut builder, mut pages) = (PageBuilder::new(4096), Vec::new());
    for number in 0..count * RECORDS {
        let mut payload = abi::common::word(900, 0, 0, 7).to_le_bytes().to_vec();
        payload.extend((number as u32).to_le_bytes());
        payload.extend((6_u32 << 16 | 16).to_le_bytes());
        payload.extend(b"hello\0\0\0");
        if !builder.push(1000 + number * 10, &payload) {
            pages.extend_from_slice(builder.finish(None));
            assert!(builder.push(1000 + number * 10, &payload));
        }
    }
    pages.extend_from_slice(builder.finish(None));
    pages
}

/// A file of two CPUs with five pages each, and where these are.
fn file(version: &str) -> (Vec<u8>, usize) {
    let mut metadata = Metadata::new(4096);
    metadata.systems.push(System { name: "demo".to_owned(), formats: vec![FORMAT.to_owned()] });
    metadata.options.version = Some(version.to_owned());
    let pages = pages(5);
    let cpu = || CpuSource { pages: &pages[..], length: pages.len() as u64 };
    let mut buffers = [BufferSource { name: String::new(), cpus: vec![cpu(), cpu()] }];
    let mut file = Vec::new();
    write(&mut file, Version::Six, &metadata, &mut buffers).unwrap();
    let start = Recording::open(Cursor::new(&file[..])).unwrap().buffers()[0].cpus[0].offset;
    (file, start as usize)
}

/// The numbers of the records of the first CPU, those after which some are missing, and what is said.
fn read(file: &[u8]) -> (Vec<u64>, Vec<u64>, String) {
    let (mut recording, _) = Recording::open_truncated(Cursor::new(file)).unwrap();
    let events = recording.metadata().events(Dialect::Report).unwrap();
    let records = Arc::new(SoundRecords::new(&events, &recording.metadata().options));
    let Ok(mut merge) = Merge::new(SoundPages::new(recording.pages(0).unwrap(), records));
    let (mut numbers, mut after_loss, mut of_other) = (Vec::new(), Vec::new(), 0);
    while let Ok(Some(record)) = merge.next() {
        let number = (record.time - 1000) / 10;
        assert_eq!(record.payload[8..12], (number as u32).to_le_bytes());
        match record.cpu {
            0 => numbers.push(number),
            _ => of_other += 1,
        }
        after_loss.extend((record.lost != Missed::None).then_some(number));
    }
    let said = merge.source().take_damage().map(|damage| damage.to_string()).unwrap_or_default();
    assert!(
        of_other == 5 * RECORDS || said.contains("CPU 1") || !file.len().is_multiple_of(4096),
        "{of_other}"
    );
    (numbers, after_loss, said)
}

/// All numbers but these.
fn without(missing: std::ops::Range<u64>) -> Vec<u64> {
    (0..5 * RECORDS).filter(|number| !missing.contains(number)).collect()
}

#[test]
fn what_is_sound_is_left_as_it_is() {
    for version in ["lookback 1", "3.3"] {
        assert_eq!(read(&file(version).0), (without(0..0), Vec::new(), String::new()));
    }
}

/// Where in the page is something else, what that is, what is left out, and what is said.
type DamageCase<'a> = (usize, &'a [u8], (u64, u64), &'a str);

#[test]
fn a_page_is_read_up_to_what_is_damaged() {
    let (whole, start) = file("lookback 1");
    let page = start + 2 * 4096;
    let of_page = 2 * RECORDS..3 * RECORDS;
    let record = |number: usize| 16 + number * STEP;
    // How many records of the page before are left out, and how many of this one are kept.
    let cases: [DamageCase<'_>; 13] = [
        (0, &[0; 8], (1, 0), ": its time is not between those of its neighbours; it is left out"),
        (5, &[9], (0, 0), ": its time is not between those of its neighbours; it is left out"),
        (8, &[0xff, 0xff], (1, 0), ": its header makes no sense; it is left out"),
        (8, &[1], (1, 0), ": its header makes no sense; it is left out"),
        (11, &[1], (1, 0), ": its header makes no sense; it is left out"),
        (0, &[0; 4096], (1, 0), ": its header makes no sense; it is left out"),
        (record(0), &[0; 8], (0, 0), ": that is no event; it is left out"),
        (record(9), &[0; 40], (0, 8), " at byte 268: that is no event"),
        (record(9) + 4, &[1], (0, 8), " at byte 268: no event has the id 769"),
        (record(9) + 11, &[0x80], (0, 8), " at byte 268: no thread has the id -2147483641"),
        (record(9) + 16, &[99], (0, 8), " at byte 268: a text reaches out of its record"),
        (record(9) + 16, &[9], (0, 8), " at byte 268: a text reaches out of its record"),
        (record(9) + 3, &[1], (0, 8), " at byte 268: a time is not between those of its neighbours"),
    ];
    for (at, with, (before, kept), said) in cases {
        let mut damaged = whole.clone();
        damaged[page + at..][..with.len()].copy_from_slice(with);
        let rest = if kept > 0 { "; it is left out from the record before on" } else { "" };
        let missing = of_page.start - before + kept..of_page.end;
        let said = format!("the page of CPU 0 at offset {page} is damaged{said}{rest}");
        assert_eq!(read(&damaged), (without(missing), vec![of_page.end], said), "{at}: {with:?}");
    }
}

#[test]
fn the_rest_is_read_after_many_damages_and_at_both_ends() {
    let (whole, start) = file("lookback 1");
    let mut damaged = whole.clone();
    for page in [0, 3, 4] {
        damaged[start + page * 4096 + 8..][..4].fill(0xff);
    }
    let (numbers, after_loss, said) = read(&damaged);
    assert_eq!(numbers, (RECORDS..3 * RECORDS - 1).collect::<Vec<_>>());
    assert_eq!(after_loss, [RECORDS]);
    assert!(said.ends_with("its header makes no sense; it is left out, and 2 more are damaged"), "{said}");
    // A stream's end that is missing is an empty page.
    let mut short = whole;
    short.truncate(start + 4096 + 300);
    let (numbers, after_loss, said) = read(&short);
    assert_eq!(numbers, (0..RECORDS + 10).collect::<Vec<_>>());
    assert_eq!((after_loss, said), (Vec::new(), String::new()), "that it was truncated is known");
}

#[test]
fn what_others_have_written_may_have_more() {
    let (mut foreign, start) = file("3.3");
    // An event without a format, by a thread that no kernel has.
    foreign[start + 16 + 4] = 1;
    foreign[start + 16 + 11] = 0x80;
    let (numbers, _, said) = read(&foreign);
    assert_eq!((numbers.len() as u64, said), (5 * RECORDS, String::new()));
    foreign[start + 16 + 2 * STEP..][..8].fill(0);
    assert!(read(&foreign).2.contains("at byte 72: that is no event"));
}
