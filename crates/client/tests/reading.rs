//! Reading: what a session's buffers have, one by one and in columns, and what of it is chosen.

use client::{ColumnKind, Error, EventBatch, EventReader, EventValue, ReadItem, SessionControl};
use session::{Instance, Session, SessionOptions};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

struct Recorded {
    _directory: TempDir,
    path: PathBuf,
    control: SessionControl,
}

impl Recorded {
    fn new(markers: &[&str]) -> Recorded {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("session");
        Session::create(&path, &SessionOptions { buffer_kb: 64, snapshots: 1, ..SessionOptions::default() })
            .unwrap();
        let control = SessionControl::open(Some(path.as_os_str()), None).unwrap();
        let recorded = Recorded { _directory: directory, path, control };
        markers.iter().for_each(|marker| recorded.mark(marker));
        recorded
    }

    fn mark(&self, marker: &str) {
        self.control.write_marker(marker.as_bytes()).unwrap();
    }

    fn reader(&self) -> EventReader {
        EventReader::of_session(self.control.instance()).unwrap()
    }
}

/// The texts of the markers that a reader gives, and how many events were lost.
fn markers(reader: &mut EventReader) -> (Vec<String>, u64) {
    let (mut texts, mut lost) = (Vec::new(), 0);
    while let Some(item) = reader.next_item().unwrap() {
        match item {
            ReadItem::Event(event) => match event.field("buf") {
                Some(EventValue::Text(text)) => {
                    texts.push(String::from_utf8_lossy(text).trim_end().to_owned());
                }
                other => panic!("{other:?}"),
            },
            ReadItem::Lost(events) => lost += events.count.unwrap(),
        }
    }
    (texts, lost)
}

#[test]
fn an_event_stays_until_the_next_one() {
    let recorded = Recorded::new(&["one", "two"]);
    let mut reader = recorded.reader();
    assert!(reader.current().is_none());
    let texts = ["one\n", "two\n"].map(|expected| {
        assert!(matches!(reader.next_item(), Ok(Some(ReadItem::Event(_)))));
        let event = reader.current().unwrap();
        assert_eq!(event.field("buf"), Some(EventValue::Text(expected.as_bytes())));
        let process = std::process::id() as i32;
        assert_eq!((event.system(), event.name(), event.pid()), ("ftrace", "print", Some(process)));
        assert_eq!(event.field("common_pid"), Some(EventValue::Signed(event.tid().into())));
        assert_eq!(event.fields().map(|(name, _)| name).collect::<Vec<_>>(), ["ip", "buf"]);
        let mut text = Vec::new();
        reader.text(&mut text);
        String::from_utf8(text).unwrap()
    });
    assert_eq!(texts, ["tracing_mark_write: one\n", "tracing_mark_write: two\n"]);
    assert!(matches!(reader.next_item(), Ok(None)) && reader.current().is_none());
}

#[test]
fn events_are_chosen_before_the_first_is_read() {
    let recorded = Recorded::new(&["one", "two", "three"]);
    let mut reader = recorded.reader();
    assert!(matches!(reader.choose_events("nothing:*"), Err(Error::Query(_))));
    assert!(matches!(reader.choose_matching("no rule"), Err(Error::Invalid(_))));
    reader.choose_matching("print: buf ~ \"t*\"").unwrap();
    assert_eq!(markers(&mut reader), (vec!["two".to_owned(), "three".to_owned()], 0));
    let late = reader.choose_events("print").unwrap_err();
    assert_eq!(late.errno(), rustix::io::Errno::BUSY);
    // Filters add to each other.
    let mut reader = recorded.reader();
    reader.choose_matching("print: buf == \"one\n\"").unwrap();
    reader.choose_matching("print: buf == \"two\n\"").unwrap();
    assert_eq!(markers(&mut reader).0, ["one", "two"]);
}

#[test]
fn batches_have_what_events_have() {
    let recorded = Recorded::new(&["one", "", "three"]);
    let mut reader = recorded.reader();
    let mut batch = EventBatch::default();
    assert_eq!(reader.read_batch(2, &mut batch).unwrap(), 2);
    assert_eq!((batch.len(), batch.offsets.len(), batch.lost.clone()), (2, 3, vec![0, 0]));
    assert_eq!(batch.payload(1).unwrap()[..2], batch.ids[1].to_le_bytes());
    assert!(batch.payload(2).is_none());
    let texts = reader.column(&batch, "buf");
    assert_eq!(
        (texts.kind, texts.offsets, texts.bytes),
        (ColumnKind::Text, vec![0, 4, 5], b"one\n\n".into())
    );
    assert_eq!(texts.valid, [0b11]);
    let threads = reader.column(&batch, "common_pid");
    assert_eq!(threads.kind, ColumnKind::Signed);
    assert_eq!(threads.numbers, batch.tids.iter().map(|tid| *tid as u64).collect::<Vec<_>>());
    let none = reader.column(&batch, "nothing");
    assert_eq!((none.kind, none.offsets, none.valid), (ColumnKind::Missing, vec![0, 0, 0], vec![0]));
    assert_eq!(reader.read_batch(0, &mut batch).unwrap(), 0);
    assert_eq!(reader.read_batch(100, &mut batch).unwrap(), 1);
    assert_eq!(reader.read_batch(100, &mut batch).unwrap(), 0);
    assert!(batch.is_empty() && reader.column(&batch, "buf").kind == ColumnKind::Missing);
}

#[test]
fn what_was_overwritten_is_counted() {
    let recorded = Recorded::new(&[]);
    let mut reader = EventReader::follow(recorded.control.instance()).unwrap();
    assert!(!reader.wait(Some(Duration::ZERO)).unwrap());
    (0..20_000).for_each(|number| recorded.mark(&number.to_string()));
    assert!(reader.wait(None).unwrap());
    let (texts, lost) = markers(&mut reader);
    assert!(lost > 0 && texts.len() as u64 + lost == 20_000, "{} {lost}", texts.len());
    assert_eq!(texts.last().unwrap(), "19999");
}

#[test]
fn who_follows_is_alone() {
    let recorded = Recorded::new(&["one"]);
    let again = Arc::new(Instance::open(&recorded.path).unwrap());
    let mut reader = EventReader::follow(&again).unwrap();
    let refused = EventReader::follow(recorded.control.instance()).err().unwrap();
    assert_eq!(refused.errno(), rustix::io::Errno::BUSY);
    assert_eq!(markers(&mut reader).0, ["one"]);
    recorded.mark("two");
    assert_eq!(markers(&mut reader).0, ["two"]);
    drop(reader);
    EventReader::follow(recorded.control.instance()).unwrap();
    assert_eq!(markers(&mut recorded.reader()), (vec![], 0));
}

#[test]
fn errors_have_the_kernels_numbers() {
    use rustix::io::Errno;
    let recorded = Recorded::new(&["one"]);
    let control = &recorded.control;
    let errno = |error: Error| error.errno();
    assert_eq!(control.enable("libc:opem").map_err(errno), Err(Errno::INVAL));
    assert_eq!(control.enable("libc:open if nothing == 1").map_err(errno), Err(Errno::INVAL));
    assert_eq!(control.enable("open if").map_err(errno), Err(Errno::INVAL));
    assert_eq!(control.disable("").map_err(errno), Err(Errno::INVAL));
    assert_eq!(control.read_file("nothing").map_err(errno), Err(Errno::NOENT));
    assert_eq!(control.write_file("tracing_on", b"x").map_err(errno), Err(Errno::INVAL));
    assert_eq!(control.read_file("tracing_on").unwrap(), b"1\n");
    assert_eq!(control.read_file("ktrace/info").unwrap(), b"version 1.0.0\n");
    control.write_file("tracing_on", b"0").unwrap();
    assert_eq!(control.write_marker(b"x").map_err(errno), Err(Errno::BADF));
    let missing = EventReader::of_snapshot(control.instance(), None).err().unwrap();
    assert_eq!((missing.errno(), control.snapshots().len()), (Errno::NOENT, 0));
    let nowhere = recorded.path.with_file_name("nowhere");
    assert_eq!(SessionControl::open(Some(nowhere.as_os_str()), None).err().map(errno), Some(Errno::NOENT));
    assert_eq!(EventReader::open(&nowhere, None).err().map(errno), Some(Errno::NOENT));
    let other = SessionControl::open(Some(recorded.path.as_os_str()), Some("other"));
    assert_eq!(other.err().map(errno), Some(Errno::NOENT));
}
