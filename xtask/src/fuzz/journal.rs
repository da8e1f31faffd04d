//! Damaged journals: what `lookback persist` has written, read as `extract --from` does.

use super::damage::damage;
use super::events::write_events;
use super::random::Random;
use super::session::Damaged;
use core::ops::Range;
use journal::{JournalWriter, LEAST_BYTES, Restored};
use recording::{Version, write_dat};
use ring_buffer::Writer;
use session::Instance;
use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_data::bytes::u32_at;

/// Bytes before the payload of an entry; its checksum, its payload's length and its kind are in there.
const HEADER: usize = 32;
const CHECKSUM: usize = 4;
const LENGTH: usize = 8;
const KIND: usize = 12;

/// A journal whose files are damaged again and again.
#[derive(Debug)]
pub struct Journal {
    /// Of all runs, and of this one.
    directory: PathBuf,
    run: PathBuf,
    segments: Vec<JournalFile>,
}

/// A file of it.
#[derive(Debug)]
struct JournalFile {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Where its entries are, by their kinds.
    entries: BTreeMap<u32, Vec<Range<usize>>>,
}

impl Journal {
    /// A new one of a session, in `directory`, with some segments that have entries of each kind.
    pub fn new(directory: &Path, of: &Damaged) -> Result<Journal, String> {
        let directory = directory.join(format!("journal-{}", std::process::id()));
        let copied = |session: &Arc<Instance>| -> Result<PathBuf, journal::Error> {
            let mut writer = JournalWriter::open(session.clone(), &directory, LEAST_BYTES)?;
            for _ in 0..3 {
                write_events(&Writer::new(session.again()?.into_buffer()), 500);
                writer.look()?;
                writer.commit(true)?;
            }
            Ok(writer.path().to_path_buf())
        };
        let session = Arc::new(of.whole()?);
        let mut run = PathBuf::new();
        for _ in 0..3 {
            run = copied(&session).map_err(|error| error.to_string())?;
        }
        let paths = fs::read_dir(&run).map_err(|error| error.to_string())?;
        let mut paths: Vec<PathBuf> = paths.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        let segments = paths.into_iter().map(JournalFile::read).collect::<io::Result<_>>();
        Ok(Journal { directory, run, segments: segments.map_err(|error| error.to_string())? })
    }

    /// Damages some of its files, and reads it. Now and then somebody goes on with it, too.
    pub fn run(&self, of: &Damaged, random: &mut Random) {
        if let Ok(paths) = fs::read_dir(&self.run) {
            // What the last case has added.
            paths.flatten().for_each(|entry| drop(fs::remove_file(entry.path())));
        }
        let mut files: Vec<Vec<u8>> = self.segments.iter().map(|segment| segment.bytes.clone()).collect();
        for _ in 0..1 + random.below(6) {
            let segment = random.below(files.len());
            let (whole, file) = (&self.segments[segment], &mut files[segment]);
            match random.below(16) {
                0 => damage(file, 0..whole.bytes.len(), random),
                1 => file.truncate(random.below(file.len() + 1)),
                2 => {
                    // What another file has, once more, or in another place.
                    let other = &self.segments[random.below(self.segments.len())];
                    let entry = &other.bytes[other.entry(random)];
                    let at = whole.entry(random).start.min(file.len());
                    file.splice(at..at, entry.iter().copied());
                }
                3 => {
                    let entry = whole.entry(random);
                    let end = entry.end.min(file.len());
                    drop(file.drain(entry.start.min(end)..end));
                }
                _ => damage_sealed(file, &whole.entry(random), random),
            }
        }
        for (segment, file) in self.segments.iter().zip(&files) {
            if fs::write(&segment.path, file).is_err() {
                return;
            }
        }
        // Whatever comes of it: an error is as good as an event.
        black_box(read(&self.run).is_ok());
        if random.one_in(16) {
            black_box(self.go_on(of).is_ok());
            black_box(read(&self.run).is_ok());
        }
    }

    /// Copies what its session has, after what is there.
    fn go_on(&self, of: &Damaged) -> Result<(), String> {
        let session = Arc::new(of.whole()?);
        let writer = JournalWriter::open(session, &self.directory, LEAST_BYTES);
        let mut writer = writer.map_err(|error| error.to_string())?;
        writer.look().and_then(|_| writer.commit(true)).map_err(|error| error.to_string())
    }
}

impl JournalFile {
    fn read(path: PathBuf) -> io::Result<JournalFile> {
        let bytes = fs::read(&path)?;
        let mut entries: BTreeMap<u32, Vec<Range<usize>>> = BTreeMap::new();
        let mut at = 0;
        while let Some(len) = u32_at(&bytes, at + LENGTH) {
            let end = at + HEADER + (len as usize).next_multiple_of(8);
            entries.entry(u32_at(&bytes, at + KIND).unwrap_or(0)).or_default().push(at..end);
            at = end;
        }
        Ok(JournalFile { path, bytes, entries })
    }

    /// One of its entries: of each kind as often.
    fn entry(&self, random: &mut Random) -> Range<usize> {
        let kinds: Vec<&[Range<usize>]> = self.entries.values().map(Vec::as_slice).collect();
        let of_kind = kinds[random.below(kinds.len())];
        random.choose(of_kind).clone()
    }
}

/// Damages an entry, and gives it the checksum of what it has now: as somebody would who means harm.
fn damage_sealed(file: &mut [u8], entry: &Range<usize>, random: &mut Random) {
    let part = match random.below(3) {
        0 => entry.start + LENGTH..entry.start + HEADER,
        1 => entry.start + HEADER..entry.end.min(entry.start + HEADER + 64),
        _ => entry.start + HEADER..entry.end,
    };
    for _ in 0..1 + random.below(3) {
        damage(file, part.clone(), random);
    }
    let Some(len) = u32_at(file, entry.start + LENGTH) else { return };
    let end = (len as usize).checked_next_multiple_of(8).map(|len| entry.start + HEADER + len);
    let Some(checked) = end.and_then(|end| file.get(entry.start + LENGTH..end)) else { return };
    let checksum = crc32fast::hash(checked).to_le_bytes();
    file[entry.start + CHECKSUM..entry.start + LENGTH].copy_from_slice(&checksum);
}

/// Reads all of it, and writes it as a trace.dat file. How many events it has.
fn read(run: &Path) -> Result<u64, String> {
    let directory = tempfile::tempdir_in(run).map_err(|error| error.to_string())?;
    let mut restored = Restored::read(run, directory.path()).map_err(|error| error.to_string())?;
    let records = &mut restored.records;
    let written = write_dat(records, directory.path(), io::sink(), Version::Six, |_| ());
    Ok(written.map_err(|error| error.to_string())?.events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_undamaged_files_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let session = Damaged::new(directory.path()).unwrap();
        let journal = Journal::new(directory.path(), &session).unwrap();
        assert!(journal.segments.len() >= 3, "{journal:?}");
        assert!(journal.segments.iter().all(|segment| segment.entries.len() == 4), "entries of each kind");
        assert!(read(&journal.run).unwrap() >= 4500);
    }

    #[test]
    fn most_damage_leaves_something_to_read() {
        let directory = tempfile::tempdir().unwrap();
        let session = Damaged::new(directory.path()).unwrap();
        let journal = Journal::new(directory.path(), &session).unwrap();
        let mut random = Random::new(3);
        let is_read = |_: &usize| {
            journal.run(&session, &mut random);
            read(&journal.run).is_ok_and(|events| events > 0)
        };
        assert!((0..20).filter(is_read).count() > 10);
    }
}
