//! The segment that is being written.

use crate::Error;
use crate::entry::{EntryKind, JournalEntry};
use crate::run::SegmentFile;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A segment that is being written: what has been appended is collected, and written by
/// [`flush`](JournalSegment::flush), whole or not at all.
#[derive(Debug)]
pub(crate) struct JournalSegment {
    pub(crate) path: PathBuf,
    file: File,
    /// Bytes that the file has.
    pub(crate) len: u64,
    collected: Vec<u8>,
    /// The number of the next entry, and what it is when nothing of what is collected is written.
    next_entry: u64,
    flushed_entry: u64,
}

impl JournalSegment {
    /// A new one of a run.
    pub(crate) fn create(run: &Path, number: u64, next_entry: u64) -> Result<JournalSegment, Error> {
        let path = SegmentFile::path(run, number);
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path);
        let file = file.map_err(Error::at(&path))?;
        // So that its name is there, too, after a crash of the machine.
        File::open(run).and_then(|run| run.sync_all()).map_err(Error::at(run))?;
        let flushed_entry = next_entry;
        Ok(JournalSegment { path, file, len: 0, collected: Vec::new(), next_entry, flushed_entry })
    }

    /// The number that the next entry has.
    pub(crate) fn next_entry(&self) -> u64 {
        self.next_entry
    }

    /// Appends an entry.
    pub(crate) fn append(&mut self, kind: EntryKind, place: u64, payload: &[u8]) {
        JournalEntry { kind, number: self.next_entry, place, payload }.append_to(&mut self.collected);
        self.next_entry += 1;
    }

    /// Drops what is collected.
    pub(crate) fn forget(&mut self) {
        self.collected.clear();
        self.next_entry = self.flushed_entry;
    }

    /// Bytes that are collected.
    pub(crate) fn collected(&self) -> usize {
        self.collected.len()
    }

    /// Writes what is collected. After an error the file is as before, and it is still collected.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        if let Err(error) = self.file.write_all(&self.collected) {
            // What stays of it is not whole, and found out by who reads it.
            let _ = self.file.set_len(self.len);
            return Err(Error::at(&self.path)(error));
        }
        self.len += self.collected.len() as u64;
        self.collected.clear();
        self.flushed_entry = self.next_entry;
        Ok(())
    }

    /// Has the disk keep what was written.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        self.file.sync_data().map_err(Error::at(&self.path))
    }
}
