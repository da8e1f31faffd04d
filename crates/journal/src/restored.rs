//! Reading a journal.

use crate::Error;
use crate::entry::{EntryKind, FoundEntry, HEADER, JournalEntries, JournalEntry};
use crate::piece::{self, JournalPiece};
use crate::pieces::{PieceAt, Pieces};
use crate::run::{self, SegmentFile};
use crate::start::SegmentStart;
use crate::sync_point::SyncPoint;
use control::Clocks;
use reading::{ClockSync, SessionRecords, Tables};
use session::Instance;
use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// What of a journal could not be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Damage {
    /// Places at which there was something else than an entry.
    pub places: u64,
    /// Bytes there.
    pub bytes: u64,
    /// JournalEntries that are missing, there and where whole segments are.
    pub entries: u64,
}

/// What a journal has.
#[derive(Debug)]
pub struct Restored {
    /// Its records. What was lost between them is counted.
    pub records: SessionRecords,
    /// What could not be read.
    pub damage: Damage,
    /// When all that had come until then was copied, in ns since 1970.
    pub until: Option<u64>,
    /// Its run.
    pub run: PathBuf,
    /// Other runs in the same directory.
    pub others: Vec<PathBuf>,
    /// Where the session's file was made again; it goes with this.
    _directory: TempDir,
}

impl Restored {
    /// Reads the journal at `path`: a run, or of a directory with several the one that was written last. What
    /// is on its way is kept in `directory`.
    ///
    /// # Errors
    ///
    /// When there is no journal, or nothing that describes its events can be read.
    pub fn read(path: &Path, directory: &Path) -> Result<Restored, Error> {
        let (run, others) = choose(path)?;
        let segments = run::segments(&run)?;
        let mut replay = Replay::new(&run, directory)?;
        for (index, segment) in segments.iter().enumerate() {
            // One that has just been dropped was the oldest: what it had is counted as lost.
            if let Ok(bytes) = fs::read(&segment.path) {
                replay.segment(index, &bytes)?;
            }
        }
        let ends_complete = !replay.is_after_damage;
        let (session, until) = (replay.session()?, replay.until);
        let missing = replay.missing_after();
        let Replay { damage, pieces, tables, clocks, directory: made, .. } = replay;
        let clocks =
            ClockSync::of(clocks).unwrap_or_else(|| ClockSync::since(session.control().identity().created));
        let mut pieces = Pieces::new(open_all(&segments), pieces);
        let records = SessionRecords::of_pages(
            session,
            tables,
            clocks,
            (&mut pieces, ends_complete, &missing),
            directory,
        )
        .map_err(Error::at(directory))?;
        Ok(Restored { records, damage, until, run, others, _directory: made })
    }
}

/// The run that is meant, and the others in its directory.
fn choose(path: &Path) -> Result<(PathBuf, Vec<PathBuf>), Error> {
    if !run::segments(path)?.is_empty() {
        return Ok((path.to_path_buf(), Vec::new()));
    }
    let mut runs = run::runs(path)?;
    let newest = runs.pop().ok_or_else(|| Error::NoJournal { path: path.to_path_buf() })?;
    Ok((newest, runs))
}

fn open_all(segments: &[SegmentFile]) -> Vec<Option<File>> {
    segments.iter().map(|segment| File::open(&segment.path).ok()).collect()
}

/// Makes the file of a session again, as the journal's entries say, one after the other.
struct Replay {
    run: PathBuf,
    directory: TempDir,
    file: File,
    start: Option<SegmentStart>,
    session: Option<Arc<Instance>>,
    tables: Tables,
    /// Whether the tables say something else than when they were looked at.
    is_described: bool,
    clocks: Vec<Clocks>,
    until: Option<u64>,
    /// Of each block, in order.
    pieces: Vec<VecDeque<PieceAt>>,
    /// The number of each block's next event, as the segments' starts have it.
    positions: Vec<u64>,
    next_entry: Option<u64>,
    damage: Damage,
    /// Whether something is damaged after the last entry.
    is_after_damage: bool,
}

impl Replay {
    fn new(run: &Path, directory: &Path) -> Result<Replay, Error> {
        let made = tempfile::tempdir_in(directory).map_err(Error::at(directory))?;
        let path = made.path().join("session");
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
        Ok(Replay {
            run: run.to_path_buf(),
            file: file.map_err(Error::at(&path))?,
            directory: made,
            start: None,
            session: None,
            tables: Tables::default(),
            is_described: false,
            clocks: Vec::new(),
            until: None,
            pieces: Vec::new(),
            positions: Vec::new(),
            next_entry: None,
            damage: Damage::default(),
            is_after_damage: false,
        })
    }

    fn segment(&mut self, index: usize, bytes: &[u8]) -> Result<(), Error> {
        for found in JournalEntries::of(bytes) {
            match found {
                FoundEntry::Damage(bytes) => {
                    self.damage.places += 1;
                    self.damage.bytes += bytes as u64;
                    self.is_after_damage = true;
                }
                FoundEntry::Entry(at, entry) => {
                    let missing = self.next_entry.map_or(0, |next| entry.number.saturating_sub(next));
                    self.damage.entries = self.damage.entries.saturating_add(missing);
                    self.next_entry = Some(entry.number.saturating_add(1));
                    self.is_after_damage = false;
                    self.entry((index, at), &entry)?;
                }
            }
        }
        self.look();
        Ok(())
    }

    fn entry(&mut self, (segment, at): (usize, usize), entry: &JournalEntry<'_>) -> Result<(), Error> {
        match entry.kind {
            EntryKind::Start => self.begin(entry)?,
            EntryKind::Description if self.start.is_some() => {
                self.is_described = true;
                let path = self.directory.path();
                self.file.write_all_at(entry.payload, entry.place).map_err(Error::at(path))?;
            }
            EntryKind::Pages => {
                if let Some(piece) = JournalPiece::of(entry.payload)
                    && let Some(pieces) = self.pieces.get_mut(piece.block as usize)
                {
                    pieces.push_back(PieceAt {
                        segment,
                        offset: (at + HEADER + piece::HEAD) as u64,
                        len: piece.page.len(),
                        first_event: entry.place,
                        events: piece.events,
                    });
                }
            }
            EntryKind::SyncPoint => {
                self.look();
                if let Some(point) = SyncPoint::of(entry.payload) {
                    self.clocks.push(point.clocks);
                    self.until = Some(point.date);
                }
            }
            EntryKind::Description => {}
        }
        Ok(())
    }

    fn begin(&mut self, entry: &JournalEntry<'_>) -> Result<(), Error> {
        let unreadable =
            |reason: &str| Error::Unreadable { path: self.run.clone(), reason: reason.to_owned() };
        let start = SegmentStart::of(entry.payload)
            .ok_or_else(|| unreadable("it was written by another version of lookback"))?;
        if self.start.as_ref().is_some_and(|known| known.identity != start.identity) {
            return Err(unreadable("it has segments of two sessions"));
        }
        if self.start.is_none() {
            self.file.set_len(start.file_size).map_err(Error::at(self.directory.path()))?;
        }
        let blocks = start.positions.len().max(self.positions.len());
        self.pieces.resize_with(blocks, VecDeque::new);
        self.positions.resize(blocks, 0);
        for (known, position) in self.positions.iter_mut().zip(&start.positions) {
            *known = (*known).max(*position);
        }
        self.start = Some(start);
        Ok(())
    }

    /// How many events of each block are missing after the last one that is there: what others had to make
    /// space for, where none has come on that CPU since.
    fn missing_after(&self) -> Vec<u64> {
        let end = |piece: &PieceAt| piece.first_event.saturating_add(piece.events);
        let ends = self.pieces.iter().map(|pieces| pieces.iter().map(end).max().unwrap_or(0));
        self.positions.iter().zip(ends).map(|(position, end)| position.saturating_sub(end)).collect()
    }

    /// Looks at the tables, if they can have changed.
    fn look(&mut self) {
        if std::mem::take(&mut self.is_described)
            && let Ok(session) = self.session()
        {
            self.tables.collect(session.control());
        }
    }

    /// The session, once enough is there that describes it.
    fn session(&mut self) -> Result<Arc<Instance>, Error> {
        if let Some(session) = &self.session {
            return Ok(session.clone());
        }
        let unreadable = |reason: String| Error::Unreadable { path: self.run.clone(), reason };
        let Some(start) = &self.start else {
            return Err(unreadable("no segment has its first entry".to_owned()));
        };
        let path = self.directory.path();
        let opened = Instance::open(path).and_then(|session| match start.instance.as_str() {
            "" => Ok(session),
            name => session.session().open_named(name),
        });
        let session = Arc::new(opened.map_err(|error| unreadable(error.to_string()))?);
        self.session = Some(session.clone());
        Ok(session)
    }
}
