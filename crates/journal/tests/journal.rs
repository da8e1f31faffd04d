//! Journals of sessions that are written to meanwhile, restarted, cut short and damaged.

use journal::{Error, JournalWriter, LEAST_BYTES, Restored};
use ring_buffer::{RecordBuffer, Writer, WriterThread};
use session::{Instance, Session, SessionOptions};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use trace_data::page::Missed;

/// A session, and a directory for its journal.
struct Place {
    directory: TempDir,
    session: Arc<Instance>,
}

impl Place {
    fn new() -> Place {
        let directory = tempfile::tempdir().unwrap();
        let options =
            SessionOptions { buffer_kb: 64, snapshots: 2, instances: 1, ..SessionOptions::default() };
        let session = Arc::new(Session::create(&directory.path().join("s"), &options).unwrap());
        Place { directory, session }
    }

    fn journal(&self) -> PathBuf {
        self.directory.path().join("journal")
    }

    fn writer(&self) -> JournalWriter {
        JournalWriter::open(self.session.clone(), &self.journal(), LEAST_BYTES).unwrap()
    }

    /// Writes numbered events to a lane.
    fn write(&self, numbers: Range<u64>) {
        self.write_to(None, numbers);
    }

    /// Writes numbered events to a CPU's buffer, or to a lane.
    fn write_to(&self, area: Option<rseq::Area>, numbers: Range<u64>) {
        let writer = Writer::new(self.session.again().unwrap().into_buffer());
        for number in numbers {
            let mut record = RecordBuffer::<4>::new();
            record.push(abi::common::word(4000, 0, 0, 77));
            record.push(number);
            let identity = u64::from(std::process::id());
            writer.write(WriterThread { area, identity }, record.event()).unwrap();
        }
    }

    fn restored(&self) -> Restored {
        Restored::read(&self.journal(), self.directory.path()).unwrap()
    }

    fn segments(&self) -> Vec<PathBuf> {
        let runs = fs::read_dir(self.journal()).unwrap().map(|run| run.unwrap().path());
        let files = |run: PathBuf| fs::read_dir(run).unwrap().map(|file| file.unwrap().path());
        let mut segments: Vec<_> = runs.flat_map(files).collect();
        segments.sort();
        segments
    }
}

fn copy(writer: &mut JournalWriter) {
    writer.look().unwrap();
    writer.commit(false).unwrap();
}

/// The numbers that there are, and how many are missing before which.
fn numbers(restored: &mut Restored) -> (Vec<u64>, Vec<(u64, u64)>) {
    let batch = restored.records.batch(1 << 20).unwrap();
    let number = |payload: &[u8]| u64::from_le_bytes(payload[8..16].try_into().unwrap());
    let all: Vec<_> = batch.records.iter().map(|record| (number(&record.payload), record.lost)).collect();
    let missing = all.iter().filter(|(_, lost)| *lost != Missed::None);
    let missing = missing.map(|(number, lost)| (*number, lost.count())).collect();
    (all.iter().map(|(number, _)| *number).collect(), missing)
}

#[test]
fn what_is_recorded_is_there_once_the_session_is_gone() {
    let place = Place::new();
    let mut writer = place.writer();
    for round in 0..20 {
        place.write(round * 10..(round + 1) * 10);
        if round % 7 == 3 {
            place.session.take_snapshot().unwrap();
        }
        copy(&mut writer);
    }
    let copied = writer.copied();
    assert_eq!((copied.events, copied.lost), (200, 0));
    drop(writer);
    fs::remove_dir_all(place.session.path()).unwrap();
    let mut restored = place.restored();
    assert_eq!(numbers(&mut restored), ((0..200).collect(), vec![]));
    assert_eq!(restored.damage, journal::Damage::default());
    assert_eq!(restored.records.gaps().end(), None);
    assert_eq!(restored.records.entries, 200);
    assert!(restored.until.is_some());
}

#[test]
fn an_instance_has_a_journal_of_its_own() {
    let place = Place::new();
    let rare = Arc::new(place.session.session().create_instance("rare").unwrap());
    let writer = Writer::new(rare.again().unwrap().into_buffer());
    let mut record = RecordBuffer::<4>::new();
    record.push(abi::common::word(4000, 0, 0, 77));
    record.push(5);
    let identity = u64::from(std::process::id());
    writer.write(WriterThread { area: None, identity }, record.event()).unwrap();
    let mut journal = JournalWriter::open(rare, &place.journal(), LEAST_BYTES).unwrap();
    copy(&mut journal);
    let mut restored = place.restored();
    assert_eq!(numbers(&mut restored).0, [5]);
    assert_eq!(restored.records.session().name().as_deref(), Some("rare"));
    assert!(restored.run.to_str().unwrap().contains(".rare-"));
}

#[test]
fn it_goes_on_where_it_was() {
    let place = Place::new();
    for round in 0..5 {
        place.write(round * 10..(round + 1) * 10);
        let mut writer = place.writer();
        copy(&mut writer);
        assert_eq!(writer.copied().events, 10);
        let busy = JournalWriter::open(place.session.clone(), &place.journal(), LEAST_BYTES);
        assert!(matches!(busy, Err(Error::Busy { .. })));
    }
    assert_eq!(place.segments().len(), 5);
    assert_eq!(numbers(&mut place.restored()), ((0..50).collect(), vec![]));
}

#[test]
fn without_news_nothing_is_written() {
    let place = Place::new();
    let mut writer = place.writer();
    place.write(0..3);
    copy(&mut writer);
    copy(&mut writer);
    let bytes = writer.copied().bytes;
    (0..10).for_each(|_| copy(&mut writer));
    assert_eq!(writer.copied().bytes, bytes);
    let before = place.restored().until;
    writer.commit(true).unwrap();
    assert!(place.restored().until > before);
}

#[test]
fn what_is_overwritten_before_it_is_copied_is_counted() {
    let place = Place::new();
    let mut writer = place.writer();
    place.write(0..10);
    copy(&mut writer);
    place.write(10..5000);
    copy(&mut writer);
    let (found, missing) = numbers(&mut place.restored());
    let (first, lost) = missing[0];
    assert_eq!((missing.len(), lost, writer.copied().lost), (1, first - 10, first - 10));
    assert_eq!(found, (0..10).chain(first..5000).collect::<Vec<_>>());
}

#[test]
fn damaged_segments_give_what_can_be_read() {
    let place = Place::new();
    for round in 0..3 {
        let mut writer = place.writer();
        for part in 0..4 {
            let first = round * 40 + part * 10;
            place.write(first..first + 10);
            copy(&mut writer);
        }
    }
    let segments = place.segments();
    let whole: Vec<Vec<u8>> = segments.iter().map(|segment| fs::read(segment).unwrap()).collect();
    let (mut state, mut most_lost) = (7_u64, 0);
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for _ in 0..60 {
        let segment = random(segments.len());
        let mut bytes = whole[segment].clone();
        let at = random(bytes.len());
        match random(3) {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << random(8),
            _ => {
                let end = (at + random(5000)).min(bytes.len());
                bytes[at..end].fill(0x5a);
            }
        }
        fs::write(&segments[segment], &bytes).unwrap();
        let mut restored = place.restored();
        let is_damaged = restored.damage.places + restored.damage.entries > 0;
        let (found, missing) = numbers(&mut restored);
        assert!(found.is_sorted_by(|one, next| one < next));
        let lost: u64 = missing.iter().map(|(_, lost)| lost).sum();
        let last = found.last().map_or(0, |last| last + 1);
        assert_eq!(found.len() as u64 + lost, last, "each is there or counted");
        let is_whole = lost == 0 && last == 120;
        assert!(is_whole || is_damaged || at == bytes.len());
        assert!(found.len() >= 80, "a segment has no more than 40: {}", found.len());
        most_lost = lost.max(most_lost);
        fs::write(&segments[segment], &whole[segment]).unwrap();
    }
    assert!(most_lost > 0);
}

#[test]
fn segments_without_a_start_are_not_enough() {
    let place = Place::new();
    let unreadable = |result: Result<Restored, Error>| match result {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it can't be read"),
    };
    let read = || Restored::read(&place.journal(), place.directory.path());
    fs::create_dir(place.journal()).unwrap();
    assert!(
        unreadable(read()).contains("has no journal: expected a directory that `lookback persist` writes")
    );
    place.write(0..10);
    copy(&mut place.writer());
    let segment = &place.segments()[0];
    let bytes = fs::read(segment).unwrap();
    fs::write(segment, &bytes[100..]).unwrap();
    assert!(unreadable(read()).contains("no segment has its first entry"));
    fs::write(segment, b"").unwrap();
    assert!(unreadable(read()).contains("nothing can be read"));
}

#[test]
fn the_oldest_segments_make_space() {
    let place = Place::new();
    let old = place.journal().join("2020-01-01T000000Z-old-00000000");
    fs::create_dir_all(&old).unwrap();
    let file = fs::File::create(old.join("00000001.journal")).unwrap();
    file.set_len(LEAST_BYTES).unwrap();
    let mut writer = place.writer();
    copy(&mut writer);
    assert!(!old.exists(), "the journals of other sessions are dropped, too");
    let size = || place.segments().iter().map(|file| file.metadata().unwrap().len()).sum::<u64>();
    let mut written = 0;
    // Twice as much as there is space for.
    while writer.copied().bytes < 2 * LEAST_BYTES {
        place.write(written..written + 400);
        written += 400;
        copy(&mut writer);
        assert!(size() <= LEAST_BYTES + LEAST_BYTES / 8);
    }
    let (found, missing) = numbers(&mut place.restored());
    let first = found[0];
    assert!(first > 0);
    assert_eq!(missing, [(first, first)], "what was dropped is counted");
    assert_eq!(found, (first..written).collect::<Vec<_>>());
}

/// Also where nothing has come since on the same CPU, so that no event has others missing before it.
#[test]
fn what_is_missing_at_the_end_of_a_cpu_is_counted() {
    let place = Place::new();
    for numbers in [0..70, 70..100] {
        place.write(numbers);
        copy(&mut place.writer());
    }
    place.write_to(rseq::Area::current(), 100..130);
    copy(&mut place.writer());
    let segments = place.segments();
    fs::remove_file(&segments[1]).unwrap();
    let restored = place.restored();
    assert_eq!(restored.records.missing_after, 30, "after 70 that are there");
    assert!(restored.records.gaps().end().is_some());
    fs::remove_file(&segments[0]).unwrap();
    let mut restored = place.restored();
    assert_eq!(restored.records.missing_after, 100);
    assert_eq!(numbers(&mut restored), ((100..130).collect(), vec![]));
}

/// The journal of a session in which nothing happens stays, although all others are newer.
#[test]
fn what_somebody_else_writes_is_not_dropped() {
    let (idle, busy) = (Place::new(), Place::new());
    idle.write(0..5);
    let open =
        |place: &Place| JournalWriter::open(place.session.clone(), &idle.journal(), LEAST_BYTES).unwrap();
    let mut quiet = open(&idle);
    copy(&mut quiet);
    let run = quiet.path().to_path_buf();
    let mut writer = open(&busy);
    let mut written = 0;
    while writer.copied().bytes < LEAST_BYTES + LEAST_BYTES / 2 {
        busy.write(written..written + 400);
        written += 400;
        copy(&mut writer);
    }
    let mut kept = Restored::read(&run, idle.directory.path()).unwrap();
    assert_eq!(numbers(&mut kept).0, [0, 1, 2, 3, 4]);
    drop(quiet);
    while run.exists() {
        busy.write(written..written + 400);
        written += 400;
        copy(&mut writer);
        assert!(writer.copied().bytes < 4 * LEAST_BYTES, "it is never dropped");
    }
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error() {
    let place = Place::new();
    let file = place.directory.path().join("file");
    fs::write(&file, b"").unwrap();
    let open = |path: &Path| JournalWriter::open(place.session.clone(), path, LEAST_BYTES);
    let error = open(&file).unwrap_err().to_string();
    assert!(error.contains("file"), "{error}");
}
