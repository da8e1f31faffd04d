//! Pages as the ring buffer hands them out, in a trace.dat file, read by trace-cmd: its events and losses are
//! those that we find in the pages, and those that were written.

use ring_buffer::{Buffer, Clock, RecordBuffer, Specification, Writer, WriterThread};
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::ffi::CString;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use trace_data::dat::{BufferSource, CpuSource, Metadata, Recording, System, Version, write};
use trace_data::event::EventTable;
use trace_data::merge::Merge;
use trace_data::page::Missed;
use trace_data::print::Dialect;
use trace_data::record::{self, Records};

const PAGE: usize = 4096;
const PAGES: u32 = 4;
/// Bytes of payload of the largest event.
const LARGEST: usize = abi::page::max_payload(PAGE);
/// Bytes of one whose length stands before it.
const LONG: usize = 200;
/// Bytes of one of which a full page leaves space for the count of lost events.
const SMALL: usize = 24;

/// A buffer of this test's own, and what was taken from it: pages of the CPU that it stays on.
struct Ring {
    path: CString,
    buffer: Buffer,
    writer: Writer,
    cpu: u32,
    pages: Vec<u8>,
    /// Events written.
    written: u64,
}

impl Ring {
    fn new() -> Ring {
        let cpu = stay_here();
        let path = CString::new(format!("/dev/shm/lookback-pages-{}", std::process::id())).unwrap();
        let cpus: Vec<bool> = (0..=cpu).map(|of| of == cpu).collect();
        let wanted = Specification {
            page_size: PAGE as u32,
            pages: PAGES,
            most_pages: PAGES,
            cpus: &cpus,
            lanes: 1,
            rings: 1,
            clock: Clock::Tsc,
            overwrite: true,
            identity: 1,
        };
        let segment = shm::create(&path, wanted.file_size().unwrap() as usize).unwrap();
        let writer = Writer::new(Buffer::create(segment, &wanted).unwrap());
        let buffer = Buffer::new(shm::open(&path).unwrap()).unwrap();
        Ring { path, buffer, writer, cpu, pages: Vec::new(), written: 0 }
    }

    /// Writes `count` events of `len` bytes, numbered on.
    fn write(&mut self, len: usize, count: u64) {
        let thread = WriterThread { area: rseq::Area::current(), identity: 1 };
        for _ in 0..count {
            let mut record = RecordBuffer::<{ LARGEST / 8 }>::new();
            record.push(abi::common::word(id(len), 0, 0, 77));
            record.push(self.written);
            (0..len.saturating_sub(SMALL) / 8).for_each(|_| record.push(0));
            self.writer.write(thread, record.event()).unwrap();
            self.written += 1;
        }
    }

    /// Takes a page, also the one that is being written. Whether there was one.
    fn take(&mut self) -> bool {
        let mut page = [0xee; PAGE];
        let taken = self.buffer.consume(self.cpu, &mut page).is_some();
        if taken {
            self.pages.extend(page);
        }
        taken
    }

    /// Takes the pages that nobody writes any more.
    fn take_whole(&mut self) {
        let mut page = [0xee; PAGE];
        while self.buffer.consume_whole(self.cpu, &mut page).is_some() {
            self.pages.extend(page);
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.path.to_str().unwrap());
    }
}

/// Makes the calling thread stay on the CPU that it is on.
fn stay_here() -> u32 {
    let allowed = sched_getaffinity(None).unwrap();
    let cpu = sched_getcpu();
    assert!(allowed.is_set(cpu));
    let mut only = CpuSet::new();
    only.set(cpu);
    sched_setaffinity(None, &only).unwrap();
    cpu as u32
}

/// The kinds of events, by their length.
const KINDS: [(usize, &str); 3] = [(SMALL, "small"), (LONG, "long"), (LARGEST, "largest")];

fn id(len: usize) -> u16 {
    900 + KINDS.iter().position(|(of, _)| *of == len).unwrap() as u16
}

/// The formats of all kinds.
fn metadata() -> Metadata {
    let mut metadata = Metadata::new(PAGE as u32);
    let formats = KINDS.map(|(len, name)| {
        let data = len - SMALL;
        let rest = format!("\tfield:u8 data[{data}];\toffset:16;\tsize:{data};\tsigned:0;\n");
        format!(
            "name: {name}\nID: {}\nformat:\n\
             \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
             \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
             \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
             \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
             \tfield:u64 number;\toffset:8;\tsize:8;\tsigned:0;\n{}\nprint fmt: \"%llu\", REC->number\n",
            id(len),
            if data > 0 { rest } else { String::new() },
        )
    });
    metadata.systems.push(System { name: "ring".to_string(), formats: formats.into() });
    metadata.options.clock = "x86-tsc".to_string();
    metadata
}

/// What `trace-cmd report` prints for an event, less what is before its CPU, and with single blanks.
fn line(events: &EventTable, record: &record::Record<'_>) -> String {
    let event = events.of(record.payload).unwrap();
    let mut text = Vec::new();
    event.print(record.payload, &(), &mut text);
    let (name, text) = (&event.format().name, String::from_utf8(text).unwrap());
    format!("[{:03}] {}: {name}: {text}", record.cpu, record.time)
}

/// The lines that trace-cmd prints of the events in a file, in that form, and what it says of losses.
fn theirs(file: &Path) -> Option<Vec<String>> {
    let output = Command::new("trace-cmd").args(["report", "-N", "-t", "-i"]).arg(file).output();
    let output = output.inspect_err(|error| println!("skipped: trace-cmd: {error}")).ok()?;
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter(|line| !line.starts_with("cpus="));
    Some(
        lines
            .map(|line| line.find('[').filter(|_| !line.starts_with("CPU:")).map_or(line, |at| &line[at..]))
            .map(|line| line.replace(']', "] ").split_whitespace().collect::<Vec<_>>().join(" "))
            .collect(),
    )
}

/// What we find in a file: lines as trace-cmd has them; and the numbers of the events, with what was lost
/// before each.
fn ours(file: &Path) -> (Vec<String>, Vec<(u64, Missed)>) {
    let mut recording = Recording::open(File::open(file).unwrap()).unwrap();
    let events = recording.metadata().events(Dialect::Report).unwrap();
    let mut merge = Merge::new(recording.pages(0).unwrap()).unwrap();
    let (mut lines, mut numbers) = (Vec::new(), Vec::new());
    while let Some(record) = merge.next().unwrap() {
        match record.lost {
            Missed::None => {}
            Missed::Unknown => lines.push(format!("CPU:{} [EVENTS DROPPED]", record.cpu)),
            Missed::Count(count) => lines.push(format!("CPU:{} [{count} EVENTS DROPPED]", record.cpu)),
        }
        lines.push(line(&events, &record));
        numbers.push((u64::from_le_bytes(*record.payload[8..].first_chunk().unwrap()), record.lost));
    }
    (lines, numbers)
}

#[test]
fn trace_cmd_reads_the_pages_of_the_ring() {
    let mut ring = Ring::new();
    // Some events, in two halves of one page, with more time between them than an event's word holds.
    ring.write(SMALL, 30);
    ring.take();
    std::thread::sleep(Duration::from_millis(80));
    ring.write(SMALL, 30);
    std::thread::sleep(Duration::from_millis(80));
    ring.write(LONG, 3);
    ring.take();
    // More than there is space for, of each size.
    ring.write(SMALL, 2000);
    ring.take_whole();
    ring.write(LONG, 200);
    ring.take_whole();
    // One that was lost counts as one; a page that is full has no space to say how many.
    ring.write(LARGEST, 10);
    ring.take_whole();
    std::thread::sleep(Duration::from_millis(80));
    ring.write(SMALL, 300);
    while ring.take() {}
    let statistics = ring.buffer.statistics(ring.cpu);
    assert_eq!(statistics.written, ring.written);

    let file = std::env::temp_dir().join(format!("lookback-pages-{}.dat", std::process::id()));
    let cpus = (0..=ring.cpu).map(|cpu| {
        let pages: &[u8] = if cpu == ring.cpu { &ring.pages } else { &[] };
        CpuSource { pages, length: pages.len() as u64 }
    });
    let mut buffers = [BufferSource { name: String::new(), cpus: cpus.collect() }];
    write(File::create(&file).unwrap(), Version::Six, &metadata(), &mut buffers).unwrap();
    let (lines, numbers) = ours(&file);
    let theirs = theirs(&file);
    std::fs::remove_file(&file).unwrap();

    assert_eq!(numbers.len() as u64, statistics.read);
    let mut next = 0;
    for (number, lost) in &numbers {
        let gap = number - next;
        match lost {
            Missed::None => assert_eq!(gap, 0, "before {number}"),
            Missed::Count(count) => assert_eq!(*count, gap, "before {number}"),
            Missed::Unknown => assert!(gap > 0),
        }
        next = number + 1;
    }
    assert_eq!(next, ring.written);
    let losses = |wanted: fn(&Missed) -> bool| numbers.iter().filter(|(_, lost)| wanted(lost)).count();
    assert_eq!(losses(|lost| matches!(lost, Missed::Count(_))), 2);
    assert_eq!(losses(|lost| *lost == Missed::Unknown), 1, "the largest fill their pages");
    let Some(theirs) = theirs else { return };
    assert_eq!(lines.len(), theirs.len());
    for (ours, theirs) in lines.iter().zip(&theirs) {
        assert_eq!(ours, theirs, "ours, trace-cmd's");
    }
}
