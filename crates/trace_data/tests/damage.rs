//! Bytes of any content: whatever a file, a page, a format or a record is, reading it ends, and
//! ends without a panic.

mod common;

use common::*;
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Cursor;
use std::sync::Arc;
use trace_data::dat::{
    BufferSource, CpuSource, Error, Metadata, Recording, SoundPages, SoundRecords, System, Version, write,
};
use trace_data::event::{Event, EventTable};
use trace_data::format::Format;
use trace_data::merge::{Merge, Pages};
use trace_data::print::Dialect;
use trace_data::record::Records;
use trace_data::symbols::SymbolTable;
use trace_data::text::{Layout, TextWriter};

/// A format with fields of every kind and a print format with every construct.
const FORMAT: &str = r#"name: everything
ID: 400
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:int number;	offset:8;	size:4;	signed:1;
	field:__data_loc char[] text;	offset:12;	size:4;	signed:0;
	field:__rel_loc u8[] bytes;	offset:16;	size:4;	signed:0;
	field:u32 set[2];	offset:20;	size:8;	signed:0;
	field:char name[8];	offset:28;	size:8;	signed:0;
	field:__data_loc unsigned long[] words;	offset:36;	size:4;	signed:0;
	field:void * place;	offset:40;	size:8;	signed:0;
	field:char rest[];	offset:48;	size:0;	signed:0;

print fmt: "%d %*d %.*s %-8s %s %s %s %s %s %s %s %p %pS %lx %c %pI4 %pI6c %pISpc %pU %pM %s", REC->number, REC->number, REC->set[1], REC->number, __get_str(text), REC->name, __print_flags(REC->number & ~7, "|", { 1, "a" }, { -1, "all" }), __print_symbolic(REC->set[0], { 1, "one" }), __print_hex(__get_dynamic_array(bytes), REC->number), __print_hex_str(REC->set, 99999), __print_array(__get_dynamic_array(words), REC->number, 8), __get_bitmask(words), __get_cpumask(words), REC->place, (void *)REC->place, ((unsigned long *)__get_dynamic_array(words))[REC->number], REC->number / REC->set[0] ? 'y' : 'n', REC->set, REC->rest, __get_dynamic_array(bytes), REC->rest, REC->rest, REC->number < 0 ? REC->rest : "-"
"#;

fn metadata() -> Metadata {
    let mut metadata = Metadata::new(4096);
    let formats = vec![FORMAT.to_owned()];
    metadata.ftrace_formats.push(FORMAT.replace("ID: 400", "ID: 1").replace("everything", "kernel_stack"));
    metadata.systems.push(System { name: "demo".to_owned(), formats });
    metadata.kallsyms = "1000 T start\n2000 T middle\t[demo]\n3000 T end\n".to_owned();
    metadata.printk_formats = "0x10 : \"text\"\n".to_owned();
    metadata.cmdlines.push((77, "demo".to_owned()));
    metadata.options.cpu_stats.push("entries: 1".to_owned());
    metadata.options.time_offset = 12;
    metadata.supplement.tgids.push((77, 70));
    metadata.supplement.real_times.push((5, 10));
    metadata
}

fn data(seed: u64) -> Vec<u8> {
    let format = Format::parse("demo", FORMAT).unwrap();
    let mut numbers = Numbers(seed);
    let records: Vec<_> = (0..60).map(|time| (time << 24, record(&format, &mut numbers))).collect();
    pages(records.iter().map(|(time, payload)| (*time, &payload[..])))
}

fn version6() -> Vec<u8> {
    let (one, two) = (data(1), data(2));
    let source = |pages| CpuSource { pages, length: one.len() as u64 };
    assert_eq!(one.len(), two.len());
    let mut buffers = [
        BufferSource { name: String::new(), cpus: vec![source(&one[..]), source(&two[..])] },
        BufferSource { name: "other".to_owned(), cpus: vec![source(&two[..]), source(&one[..])] },
    ];
    let mut file = Vec::new();
    write(&mut file, Version::Six, &metadata(), &mut buffers).unwrap();
    file
}

/// A file of version 7 with two sections of options and, compressed, two buffers.
fn version7() -> Vec<u8> {
    let mut file = b"\x17\x08\x44tracing7\0\0\x08\0\x10\0\0zstd\x001.5\0".to_vec();
    let start = file.len();
    file.extend([0; 8]);
    let formats = FORMAT.as_bytes();
    let mut events = vec![1, 0, 0, 0];
    events.extend(b"demo\0\x01\0\0\0");
    events.extend((formats.len() as u64).to_le_bytes());
    events.extend(formats);
    let events = section(&mut file, 18, true, &events);
    let cmdlines = section(&mut file, 21, true, b"\x08\0\0\0\0\0\0\x0077 demo\n");
    let flyrecord = section(&mut file, 3, true, b"");
    let mut cpus = Vec::new();
    for seed in 1..=2 {
        let offset = file.len() as u64;
        let data = data(seed);
        file.extend(((data.len() / 4096) as u32).to_le_bytes());
        data.chunks(4096).for_each(|page| compressed(&mut file, page));
        cpus.push((offset, file.len() as u64 - offset));
    }
    let mut second = Vec::new();
    for name in ["", "other"] {
        let mut buffer = flyrecord.to_le_bytes().to_vec();
        buffer.extend(name.as_bytes());
        buffer.extend(b"\0mono\0\0\x10\0\0\x02\0\0\0");
        for (cpu, (offset, size)) in cpus.iter().enumerate() {
            buffer.extend((cpu as u32).to_le_bytes());
            buffer.extend(offset.to_le_bytes());
            buffer.extend(size.to_le_bytes());
        }
        option(&mut second, 3, &buffer);
    }
    option(&mut second, 0, &0_u64.to_le_bytes());
    let second = section(&mut file, 0, false, &second);
    let mut first = Vec::new();
    option(&mut first, 18, &events.to_le_bytes());
    option(&mut first, 21, &cmdlines.to_le_bytes());
    option(&mut first, 5, b"uname\0");
    option(&mut first, 0, &second.to_le_bytes());
    let first = section(&mut file, 0, false, &first);
    file[start..start + 8].copy_from_slice(&first.to_le_bytes());
    file
}

fn option(options: &mut Vec<u8>, number: u16, data: &[u8]) {
    options.extend(number.to_le_bytes());
    options.extend((data.len() as u32).to_le_bytes());
    options.extend(data);
}

/// Appends a section; its offset.
fn section(file: &mut Vec<u8>, number: u16, is_compressed: bool, body: &[u8]) -> u64 {
    let offset = file.len() as u64;
    file.extend(number.to_le_bytes());
    file.extend(u16::from(is_compressed).to_le_bytes());
    file.extend([0; 4]);
    let mut bytes = Vec::new();
    match is_compressed {
        true => compressed(&mut bytes, body),
        false => bytes.extend(body),
    }
    file.extend((bytes.len() as u64).to_le_bytes());
    file.extend(bytes);
    offset
}

fn compressed(file: &mut Vec<u8>, bytes: &[u8]) {
    let block = compress_to_vec(bytes, CompressionLevel::Fastest);
    file.extend((block.len() as u32).to_le_bytes());
    file.extend((bytes.len() as u32).to_le_bytes());
    file.extend(block);
}

/// Reads and prints everything in a file. Returns the number of events.
fn read_all(file: &[u8]) -> Result<usize, Error> {
    let mut recording = Recording::open(Cursor::new(file))?;
    let metadata = recording.metadata();
    let symbols = metadata.symbols();
    let formats = metadata.formats().filter_map(|(system, text)| Format::parse(system, text).ok());
    let events = formats.map(|format| Event::new(format, Dialect::Kernel)).collect();
    let layout = Layout { annotate: true, ..Layout::default() };
    let mut count = 0;
    for buffer in 0..recording.buffers().len() {
        let mut writer = TextWriter::new(std::io::sink(), &events, &(), &symbols, layout);
        let mut records = Merge::new(recording.pages(buffer).unwrap())?;
        while let Some(record) = records.next()? {
            writer.event(&record, None).unwrap();
            count += 1;
        }
    }
    Ok(count)
}

#[test]
fn the_undamaged_files_are_read() {
    assert_eq!(read_all(&version6()).unwrap(), 240);
    let file = version7();
    assert_eq!(read_all(&file).unwrap(), 240);
    let mut recording = Recording::open(Cursor::new(&file[..])).unwrap();
    assert_eq!(recording.metadata().cmdlines, [(77, "demo".to_owned())]);
    assert_eq!(recording.metadata().options.uname.as_deref(), Some("uname"));
    assert_eq!(recording.metadata().options.clock, "mono");
    let mut page = Vec::new();
    assert!(recording.pages(1).unwrap().next_page(1, &mut page).unwrap());
    assert_eq!(page, data(2)[..4096]);
}

/// Reads what is sound of a file's first buffer. The number of events, and what is said to be damaged.
fn read_sound(file: &[u8]) -> Result<(usize, Option<Error>), Error> {
    let (mut recording, _) = Recording::open_truncated(Cursor::new(file))?;
    // Texts of these records may reach out of them.
    let records = Arc::new(SoundRecords::new(&EventTable::default(), &recording.metadata().options));
    let Some(pages) = recording.pages(0) else { return Ok((0, None)) };
    let Ok(mut merge) = Merge::new(SoundPages::new(pages, records));
    let mut count = 0;
    while let Ok(Some(_)) = merge.next() {
        count += 1;
    }
    Ok((count, merge.source().take_damage()))
}

#[test]
fn compressed_pages_that_are_damaged_leave_the_others() {
    let file = version7();
    let (count, damage) = read_sound(&file).unwrap();
    assert!(count == 120 && damage.is_none(), "{count}: {damage:?}");
    let first = Recording::open(Cursor::new(&file[..])).unwrap().buffers()[0].cpus[0].offset as usize + 12;
    let mut damaged = file.clone();
    damaged[first..first + 8].fill(0x99);
    let (count, damage) = read_sound(&damaged).unwrap();
    assert!((60..120).contains(&count) && damage.is_some(), "{count}: {damage:?}");
    // Where the next one is nobody knows then.
    damaged[first - 8..first].fill(0xff);
    assert!(matches!(read_sound(&damaged), Ok((60, Some(_)))));
}

#[test]
fn every_shorter_file_is_an_error_or_has_all_events() {
    for file in [version6(), version7()] {
        for length in (0..file.len()).step_by(7) {
            // After the pages stands only what can be done without.
            if let Ok(count) = read_all(&file[..length]) {
                assert_eq!(count, 240, "{length} bytes");
            }
        }
    }
}

#[test]
fn errors_say_what_and_where() {
    let error = |file: &[u8]| read_all(file).unwrap_err().to_string();
    assert_eq!(error(b"not a file of this kind"), "not a trace.dat file");
    let file = version6();
    let mut changed = file.clone();
    changed[10] = b'9';
    assert_eq!(error(&changed), "the version of the file is 9, which this reader doesn't know");
    let mut changed = file.clone();
    changed[12] = 1;
    assert_eq!(error(&changed), "the byte order of the file is big-endian, which this reader doesn't know");
    assert_eq!(
        error(&file[..100]),
        format!("header_page at offset 38 needs {} bytes, 62 are there", metadata().header_page.len()),
    );
    let mut changed = version7();
    let start = 18 + 5 + 4;
    changed[start..start + 8].copy_from_slice(&5_u64.to_le_bytes());
    assert_eq!(error(&changed), "a section at offset 5: it has the number 25441, 0 is expected");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_files(
        seven in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..10),
        head in prop::collection::vec((0_usize..4000, any::<u8>()), 0..5),
    ) {
        let mut file = if seven { version7() } else { version6() };
        let places = changes.iter().map(|(place, byte)| (place.index(file.len()), *byte));
        for (place, byte) in places.chain(head).collect::<Vec<_>>() {
            file[place] = byte;
        }
        let _ = read_all(&file);
        let _ = read_sound(&file);
    }

    #[test]
    fn any_file(bytes in prop::collection::vec(any::<u8>(), 0..500), seven in any::<bool>()) {
        let head: &[u8] = if seven { b"\x17\x08\x44tracing7\0" } else { b"\x17\x08\x44tracing6\0" };
        let _ = read_all(&[head, b"\0\x08\0\x10\0\0", &bytes].concat());
    }

    #[test]
    fn any_text_as_a_format(text in "\\PC*") {
        let _ = Format::parse("s", &text);
        let _ = SymbolTable::parse(&text, &text);
    }

    #[test]
    fn changed_formats_and_records(
        changes in prop::collection::vec((any::<prop::sample::Index>(), "[ -~]{0,3}"), 0..8),
        payload in prop::collection::vec(any::<u8>(), 0..120),
        report in any::<bool>(),
    ) {
        let mut text = FORMAT.to_owned();
        for (place, new) in &changes {
            let place = place.index(text.len());
            text.replace_range(place..place + 1, new);
        }
        if let Ok(format) = Format::parse("s", &text) {
            let dialect = if report { Dialect::Report } else { Dialect::Kernel };
            let event = Event::new(format, dialect);
            let mut out = Vec::new();
            event.print(&payload, &(), &mut out);
            event.print_fields(&payload, &mut out);
            for field in &event.format().fields {
                let _ = (field.integer(&payload), field.string(&payload), field.element(&payload, 1));
            }
        }
    }
}
