//! Writing a journal.

use crate::Error;
use crate::description::SessionDescription;
use crate::entry::{EntryKind, FoundEntry, JournalEntries};
use crate::piece::JournalPiece;
use crate::run::{self, SegmentFile};
use crate::segment::JournalSegment;
use crate::start::SegmentStart;
use crate::sync_point::SyncPoint;
use reading::Following;
use rustix::fs::statvfs;
use session::Instance;
use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The fewest bytes that journals may take all together.
pub const LEAST_BYTES: u64 = 16 << 20;

/// The fewest bytes from which on a segment is full, and the most. As what is dropped is a segment, there is
/// space for some.
const SEGMENT: (u64, u64) = (1 << 20, 8 << 20);

/// Segments that there is space for, if possible.
const SEGMENTS: u64 = 8;

/// Bytes that are collected before they are written.
const COLLECTED: usize = 1 << 18;

/// How much was copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    /// Events.
    pub events: u64,
    /// Events that were overwritten, or consumed, before they could be copied.
    pub lost: u64,
    /// Bytes that were written.
    pub bytes: u64,
}

/// Copies what an instance of a session records to files on disk.
///
/// [`look`](JournalWriter::look) copies events, as often as the buffers need it, and
/// [`commit`](JournalWriter::commit) has the disk keep them. Nothing is consumed, and no traced process
/// notices. After an error nothing is forgotten: the next look copies the same events again, if they are
/// still there.
#[derive(Debug)]
pub struct JournalWriter {
    session: Arc<Instance>,
    directory: PathBuf,
    run: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
    following: Following,
    /// The number of the next event of each CPU that is in no buffer of the session.
    lanes: Vec<u64>,
    description: SessionDescription,
    segment: Option<JournalSegment>,
    next_segment: u64,
    next_entry: u64,
    most_bytes: u64,
    /// Bytes from which on the segment is full.
    segment_bytes: u64,
    copied: Copied,
    /// Events that were added since the last look.
    added: u64,
    /// When the last look began: what had come until then is copied.
    looked: Option<SyncPoint>,
    /// Whether something was written since the last commit.
    is_dirty: bool,
}

impl JournalWriter {
    /// Goes on with the journal of this session in `directory`, or begins it. All journals there may take
    /// `most_bytes` together, [`LEAST_BYTES`] at least: the oldest segments are dropped.
    ///
    /// # Errors
    ///
    /// When somebody else writes it, or it can't be written.
    pub fn open(session: Arc<Instance>, directory: &Path, most_bytes: u64) -> Result<JournalWriter, Error> {
        let run = directory.join(run::name_of(&session));
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700).create(&run).map_err(Error::at(&run))?;
        let Some(lock) = run::lock(&run)? else { return Err(Error::Busy { path: run }) };
        let segments = run::segments(&run)?;
        let blocks = session.buffer().geometry().blocks() as usize;
        let (next_entry, mut positions) = end_of(&segments)?.unwrap_or_default();
        positions.resize(blocks + session.buffer().geometry().cpus as usize, 0);
        let lanes = positions.split_off(blocks);
        Ok(JournalWriter {
            description: SessionDescription::of(&session)?,
            directory: directory.to_path_buf(),
            run,
            _lock: lock,
            following: Following::from(positions),
            lanes,
            segment: None,
            next_segment: segments.last().map_or(0, |segment| segment.number) + 1,
            next_entry,
            most_bytes: most_bytes.max(LEAST_BYTES),
            segment_bytes: 0,
            copied: Copied::default(),
            added: 0,
            looked: None,
            is_dirty: false,
            session,
        })
    }

    /// The directory with the segments.
    pub fn path(&self) -> &Path {
        &self.run
    }

    /// How much was copied so far.
    pub fn copied(&self) -> Copied {
        self.copied
    }

    /// Copies what has come since the last look. Returns the bytes that the fullest buffer had.
    ///
    /// # Errors
    ///
    /// When it can't be written, and dropping older segments makes no space.
    pub fn look(&mut self) -> Result<u64, Error> {
        self.begin_segment()?;
        let began = SyncPoint::now();
        let (mut following, copied) = (self.following.clone(), self.copied);
        let session = self.session.clone();
        let looked = following.look(&session, |block, taken, page| {
            let piece = JournalPiece { block, events: taken.events, page };
            self.append(EntryKind::Pages, taken.first_event, &piece.to_bytes());
            self.copied.events += taken.events;
            self.copied.lost += taken.lost;
            if self.segment.as_ref().is_some_and(|segment| segment.collected() >= COLLECTED) {
                self.flush()?;
            }
            Ok(())
        });
        let looked = looked.and_then(|fullest| self.flush().map(|()| fullest));
        let added = std::mem::take(&mut self.added);
        if looked.is_ok() {
            self.copied.events += added;
            self.following = following;
            self.looked = Some(began);
        } else {
            // What of it was written is there twice then, and given once: by the events' numbers.
            self.copied = copied;
            self.copied.lost += added;
            self.forget_collected();
        }
        looked
    }

    /// Keeps events of a CPU that are in no buffer of the session, as a lane has them, with how many are
    /// missing before them: they are written by the next [`look`](JournalWriter::look). Where that fails they
    /// are lost.
    ///
    /// # Errors
    ///
    /// When no segment can be begun for it.
    pub fn add(&mut self, cpu: u32, (events, lost): (u64, u64), page: &[u8]) -> Result<(), Error> {
        let begun = self.begin_segment();
        let Some(position) = self.lanes.get_mut(cpu as usize) else { return begun };
        let first_event = position.saturating_add(lost);
        *position = first_event.saturating_add(events);
        self.copied.lost += lost;
        begun.inspect_err(|_| self.copied.lost += events)?;
        let block = (self.following.positions().len() as u32).saturating_add(cpu);
        self.append(EntryKind::Pages, first_event, &JournalPiece { block, events, page }.to_bytes());
        self.added += events;
        Ok(())
    }

    /// Writes what describes the events, as far as it has changed, and when the last look began, and has the
    /// disk keep all that was copied. Without news it writes nothing, unless `in_any_case`.
    ///
    /// # Errors
    ///
    /// When it can't be written.
    pub fn commit(&mut self, in_any_case: bool) -> Result<(), Error> {
        self.begin_segment()?;
        let is_described = self.describe()?;
        if !(self.is_dirty || is_described || in_any_case) {
            return Ok(());
        }
        if let Some(looked) = self.looked {
            self.append(EntryKind::SyncPoint, 0, &looked.to_bytes());
        }
        if let Err(error) = self.flush() {
            self.forget_collected();
            return Err(error);
        }
        let Some(segment) = &self.segment else { return Ok(()) };
        segment.sync()?;
        self.is_dirty = false;
        if segment.len >= self.segment_bytes {
            self.next_entry = segment.next_entry();
            self.segment = None;
        }
        Ok(())
    }

    /// Bytes from which on a new segment is full: as many as all may take, and as the disk has space for.
    fn new_segment_bytes(&self) -> u64 {
        let space =
            statvfs(&self.run).map_or(u64::MAX, |found| found.f_bavail.saturating_mul(found.f_frsize));
        (self.most_bytes.min(space) / SEGMENTS).clamp(SEGMENT.0, SEGMENT.1)
    }

    /// Begins a segment, if none is being written, with all that describes the events.
    fn begin_segment(&mut self) -> Result<(), Error> {
        if self.segment.is_some() {
            return Ok(());
        }
        self.segment_bytes = self.new_segment_bytes();
        self.make_space(self.most_bytes.saturating_sub(self.segment_bytes))?;
        let created = loop {
            match JournalSegment::create(&self.run, self.next_segment, self.next_entry) {
                Err(error) if error.is_full() && self.drop_oldest()? => {}
                other => break other?,
            }
        };
        self.next_segment += 1;
        self.segment = Some(created);
        let start = SegmentStart {
            identity: self.session.control().identity().number,
            file_size: self.session.file().metadata().map_or(0, |found| found.len()),
            instance: self.session.name().unwrap_or_default(),
            positions: [self.following.positions(), &self.lanes].concat(),
        };
        self.append(EntryKind::Start, 0, &start.to_bytes());
        self.description.forget();
        let described = self.describe().and_then(|_| self.flush());
        if described.is_err()
            && let Some(segment) = self.segment.take()
        {
            // Without its start it is worth nothing.
            let _ = fs::remove_file(&segment.path);
        }
        described
    }

    /// Appends what has changed of what describes the events. Whether something has.
    fn describe(&mut self) -> Result<bool, Error> {
        let Some(segment) = &mut self.segment else { return Ok(false) };
        let mut has_changed = false;
        self.description.look(|place, bytes| {
            has_changed = true;
            segment.append(EntryKind::Description, place, bytes);
        });
        if let Err(error) = self.flush() {
            self.forget_collected();
            return Err(error);
        }
        Ok(has_changed)
    }

    fn append(&mut self, kind: EntryKind, place: u64, payload: &[u8]) {
        if let Some(segment) = &mut self.segment {
            segment.append(kind, place, payload);
        }
    }

    /// Drops what is collected; what describes the events is written again.
    fn forget_collected(&mut self) {
        self.description.forget();
        if let Some(segment) = &mut self.segment {
            segment.forget();
        }
    }

    /// Writes what is collected. Where there is no space, the oldest segments make some.
    fn flush(&mut self) -> Result<(), Error> {
        while let Some(segment) = &mut self.segment {
            let before = segment.len;
            match segment.flush() {
                Ok(()) => {
                    self.copied.bytes += segment.len - before;
                    self.is_dirty |= segment.len > before;
                    return Ok(());
                }
                Err(error) if error.is_full() && self.drop_oldest()? => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Drops the oldest segments until all take at most `most` bytes.
    fn make_space(&self, most: u64) -> Result<(), Error> {
        let (segments, mut total) = run::written_segments(&self.directory)?;
        for oldest in segments {
            if total <= most {
                break;
            }
            run::remove(&oldest)?;
            total -= oldest.bytes;
        }
        Ok(())
    }

    /// Drops the oldest segment that nobody writes. Whether there was one.
    fn drop_oldest(&self) -> Result<bool, Error> {
        let (segments, _) = run::written_segments(&self.directory)?;
        segments.first().map_or(Ok(false), |oldest| run::remove(oldest).map(|()| true))
    }
}

/// The numbers that the next entry and the next event of each block have, after these segments.
fn end_of(segments: &[SegmentFile]) -> Result<Option<(u64, Vec<u64>)>, Error> {
    for segment in segments.iter().rev() {
        let bytes = fs::read(&segment.path).map_err(Error::at(&segment.path))?;
        let mut end: Option<(u64, Vec<u64>)> = None;
        for found in JournalEntries::of(&bytes) {
            let FoundEntry::Entry(_, entry) = found else { continue };
            if entry.kind == EntryKind::Start {
                end = SegmentStart::of(entry.payload).map(|start| (0, start.positions));
            }
            let Some((next_entry, positions)) = &mut end else { continue };
            *next_entry = entry.number.saturating_add(1);
            let piece = JournalPiece::of(entry.payload).filter(|_| entry.kind == EntryKind::Pages);
            if let Some(piece) = piece
                && let Some(position) = positions.get_mut(piece.block as usize)
            {
                *position = entry.place.saturating_add(piece.events);
            }
        }
        if end.is_some() {
            return Ok(end);
        }
    }
    Ok(None)
}
