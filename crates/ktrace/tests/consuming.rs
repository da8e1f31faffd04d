//! Records of a session, consumed as a stream and where they lie.

use control::NewProcess;
use ktrace::{BadPosition, Consumer, LOST_ID, RecordStream};
use ring_buffer::{RecordBuffer, Writer, WriterThread};
use session::{Error, Instance, Session, SessionOptions};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A session with a tracepoint `%lu`, and a writer whose events go to the first lane: of CPU 0, whatever CPU
/// the test is on.
struct Traced {
    _directory: tempfile::TempDir,
    instance: Arc<Instance>,
    writer: Writer,
    id: u16,
}

/// Bytes of one of its records.
const RECORD: u32 = 10;

impl Traced {
    fn new() -> Traced {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, snapshots: 1, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        let control = session.control();
        let new = NewProcess { pid: std::process::id(), time: 1, ..NewProcess::default() };
        let entry = control.add_process(&new).unwrap();
        let format = "\tfield:unsigned long arg1;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n";
        let id = control.add_declared_event("ktrace", "number", format, "number %lu").unwrap();
        control.use_tracepoint(id, entry);
        let writer = Writer::new(session.again().unwrap().into_buffer());
        Traced { _directory: directory, instance: Arc::new(session), writer, id }
    }

    fn lane(&self) -> u32 {
        self.instance.buffer().geometry().cpus
    }

    fn write_as(&self, id: u16, numbers: Range<u64>) {
        for number in numbers {
            let mut record = RecordBuffer::<4>::new();
            record.push(abi::common::word(id, 0, 0, 77));
            record.push(number);
            let identity = u64::from(std::process::id());
            self.writer.write(WriterThread { area: None, identity }, record.event()).unwrap();
        }
    }

    fn write(&self, numbers: Range<u64>) {
        self.write_as(self.id, numbers);
    }

    fn stream(&self) -> RecordStream {
        RecordStream::open(self.instance.clone(), self.lane()).unwrap()
    }

    fn consumer(&self) -> Consumer {
        Consumer::open(self.instance.clone(), self.lane()).unwrap()
    }

    /// The ids and arguments of whole records.
    fn parsed(&self, bytes: &[u8]) -> Vec<(u16, u64)> {
        assert!(bytes.len().is_multiple_of(RECORD as usize));
        let parse = |record: &[u8; RECORD as usize]| {
            let (id, number) = record.split_first_chunk().unwrap();
            (u16::from_le_bytes(*id), u64::from_le_bytes(number.try_into().unwrap()))
        };
        bytes.as_chunks().0.iter().map(parse).collect()
    }

    fn numbered(&self, numbers: Range<u64>) -> Vec<(u16, u64)> {
        numbers.map(|number| (self.id, number)).collect()
    }
}

#[test]
fn a_stream_has_the_records_and_nothing_else() {
    let traced = Traced::new();
    traced.write(0..3);
    traced.write_as(4000, 0..5);
    traced.write(3..4);
    let mut stream = traced.stream();
    assert!(stream.has_unread());
    assert_eq!(traced.parsed(&stream.read(1000).unwrap()), traced.numbered(0..4));
    assert!(!stream.has_unread() && stream.read(1000).is_none());
    traced.write(4..5);
    let (first, rest) = (stream.read(3).unwrap(), stream.read(1000).unwrap());
    assert_eq!(traced.parsed(&[first, rest].concat()), traced.numbered(4..5));
    assert_eq!((stream.produced(), stream.consumed()), (50, 0));
    // Looking takes nothing away.
    drop(stream);
    assert_eq!(traced.parsed(&traced.stream().read(1000).unwrap()), traced.numbered(0..5));
}

#[test]
fn what_was_consumed_is_not_there_for_the_next_one() {
    let traced = Traced::new();
    traced.write(0..10);
    let mut stream = traced.stream();
    assert_eq!(stream.put_consumed(0), Ok(()));
    for (position, error) in [
        (101, BadPosition::Beyond),
        (u32::MAX, BadPosition::Beyond),
        (7, BadPosition::InRecord),
        (99, BadPosition::InRecord),
    ] {
        assert_eq!(stream.put_consumed(position), Err(error));
    }
    assert_eq!((stream.consumed(), stream.produced()), (0, 100));
    assert_eq!(stream.put_consumed(30), Ok(()));
    assert_eq!(stream.put_consumed(20), Err(BadPosition::Beyond), "before what was consumed");
    assert_eq!((stream.consumed(), stream.produced()), (30, 100));
    assert_eq!(traced.parsed(&stream.read(1000).unwrap()), traced.numbered(3..10));
    drop(stream);
    let mut next = traced.stream();
    assert_eq!((next.consumed(), next.produced()), (0, 70));
    assert_eq!(traced.parsed(&next.read(1000).unwrap()), traced.numbered(3..10));
    assert_eq!(traced.instance.buffer().statistics(traced.lane()).read, 3);
}

#[test]
fn a_stream_says_where_records_were_overwritten_and_all_are_counted() {
    let traced = Traced::new();
    traced.write(0..5);
    let mut stream = traced.stream();
    let mut had = traced.parsed(&stream.read(1000).unwrap());
    traced.write(5..10_000);
    while let Some(bytes) = stream.read(1 << 20) {
        had.extend(traced.parsed(&bytes));
    }
    let (id, lost) = had.remove(5);
    assert_eq!((id, had.len() as u64 + lost), (LOST_ID, 10_000));
    assert_eq!(had[..5], traced.numbered(0..5));
    assert_eq!(had[5..], traced.numbered(5 + lost..10_000));
    let end = stream.produced() as u32;
    stream.put_consumed(end).unwrap();
    let counted = traced.instance.buffer().statistics(traced.lane());
    assert_eq!((counted.read, counted.overrun, counted.entries), (had.len() as u64, lost, 0));
}

#[test]
fn no_more_than_the_buffers_size_is_ahead() {
    let traced = Traced::new();
    let mut stream = traced.stream();
    let size = stream.size();
    let mut read = 0;
    for number in 0..10_000 {
        traced.write(number..number + 1);
        read += stream.read(1000).map_or(0, |bytes| bytes.len() as u64);
    }
    // Records that are packed already stay, and a page of them comes at a time.
    assert!((size..size + 4096).contains(&read) && read == stream.produced() && !stream.has_unread());
    stream.put_consumed(read as u32).unwrap();
    assert_eq!(traced.parsed(&stream.read(10).unwrap())[0].0, LOST_ID);
}

#[test]
fn what_is_cleared_or_consumed_elsewhere_is_passed_over() {
    let traced = Traced::new();
    traced.write(0..10);
    let mut stream = traced.stream();
    assert_eq!(stream.read(20).unwrap().len(), 20);
    traced.instance.buffer().clear();
    assert_eq!((stream.consumed(), stream.produced(), stream.read(9)), (100, 100, None));
    traced.write(10..12);
    assert_eq!(traced.parsed(&stream.read(100).unwrap()), traced.numbered(10..12));
    let mut page = vec![0; 4096];
    assert_eq!(traced.instance.buffer().consume(traced.lane(), &mut page).unwrap().events, 2);
    traced.write(12..13);
    assert_eq!((stream.consumed(), stream.produced()), (120, 130));
    traced.instance.take_snapshot().unwrap();
    assert_eq!(stream.put_consumed(130), Ok(()), "the snapshot has it");
    assert_eq!((stream.consumed(), stream.produced(), stream.read(9)), (130, 130, None));
}

#[test]
fn records_are_consumed_where_they_lie() {
    let traced = Traced::new();
    traced.write(0..10);
    traced.write_as(4000, 0..5);
    let mut consumer = traced.consumer();
    let mut packed = Vec::new();
    for number in 0..10 {
        let record = consumer.next_record().unwrap();
        assert_eq!((record.number, record.lost, record.tid(), record.id()), (number, 0, 77, traced.id));
        record.pack(&mut packed);
    }
    assert_eq!(traced.parsed(&packed), traced.numbered(0..10));
    let position = consumer.position();
    assert!(!consumer.has_record() && consumer.next_record().is_none());
    assert_eq!((position, consumer.position(), consumer.consumed(), consumer.produced()), (10, 15, 0, 15));
    assert_eq!(consumer.put_consumed(16), Err(BadPosition::Beyond));
    assert_eq!(consumer.put_consumed(4), Ok(0));
    drop(consumer);
    let mut next = traced.consumer();
    assert_eq!(next.next_record().unwrap().number, 4);
    traced.instance.buffer().clear();
    assert_eq!(next.put_consumed(5), Ok(0));
    traced.write(10..5000);
    let mut last = 0;
    while let Some(record) = next.next_record() {
        last = record.number;
    }
    assert_eq!((last, next.put_consumed(last + 1).map(|oldest| oldest > 15)), (5004, Ok(true)));
    let counted = traced.instance.buffer().statistics(traced.lane());
    assert_eq!((counted.read + counted.overrun, counted.entries), (4990, 0));
}

#[test]
fn a_consumer_waits_and_finds_what_comes() {
    let traced = Traced::new();
    let mut consumer = traced.consumer();
    let start = Instant::now();
    assert!(!consumer.wait(Some(Duration::from_millis(30))).unwrap());
    assert!(start.elapsed() >= Duration::from_millis(30));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            traced.write_as(4000, 0..1);
            traced.write(0..1);
        });
        assert!(consumer.wait(None).unwrap());
    });
    assert_eq!(consumer.next_record().unwrap().number, 1);
}

#[test]
fn a_block_has_one_consumer() {
    let traced = Traced::new();
    let consumer = traced.consumer();
    let open = |block| RecordStream::open(traced.instance.clone(), block).map(drop);
    assert!(matches!(open(traced.lane()), Err(Error::Busy { .. })));
    open(0).unwrap();
    assert!(matches!(traced.instance.lock_reader(), Err(Error::Busy { .. })));
    drop(consumer);
    open(traced.lane()).unwrap();
}
