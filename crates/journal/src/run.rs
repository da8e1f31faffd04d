//! Runs: what the directory has of each session, in segments.
//!
//! ```text
//! DIR/2026-11-26T023411Z-default-9f3a12bc/00000001.journal
//!                                         00000002.journal
//! ```
//!
//! The name is for people: when the session was made, its name and instance, and the end of its number.

use crate::Error;
use rustix::fs::{FlockOperation, flock};
use session::Instance;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use trace_data::text::date_to_the_second;

/// What the names of segments end with.
const EXTENSION: &str = "journal";

/// A file of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SegmentFile {
    pub(crate) number: u64,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    /// When it was written last.
    pub(crate) time: SystemTime,
}

impl SegmentFile {
    /// Where that of a number is.
    pub(crate) fn path(run: &Path, number: u64) -> PathBuf {
        run.join(format!("{number:08}.{EXTENSION}"))
    }

    fn of(path: PathBuf) -> Option<SegmentFile> {
        let is_its = path.extension() == Some(OsStr::new(EXTENSION));
        let number = path.file_stem().and_then(OsStr::to_str)?.parse().ok().filter(|_| is_its)?;
        // One that is being removed is none.
        let found = path.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(SegmentFile { number, bytes: found.len(), time: found.modified().ok()?, path })
    }
}

/// What the run of a session's instance is called.
pub(crate) fn name_of(session: &Instance) -> String {
    let identity = session.control().identity();
    let created = identity.created.tai.saturating_sub(control::Clocks::tai_ahead());
    let date = date_to_the_second(created).replace(':', "");
    let name = session.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let instance = session.name().map_or_else(String::new, |name| format!(".{name}"));
    let printable = |char: char| if char.is_ascii_graphic() && char != '/' { char } else { '_' };
    let name: String = (name + &instance).chars().map(printable).collect();
    format!("{date}-{name}-{:08x}", identity.number as u32)
}

/// The segments of a run, in order.
pub(crate) fn segments(run: &Path) -> Result<Vec<SegmentFile>, Error> {
    let mut segments: Vec<_> = entries(run)?.into_iter().filter_map(SegmentFile::of).collect();
    segments.sort_by_key(|segment| segment.number);
    Ok(segments)
}

/// The runs in a directory that have segments, the one that was written last at the end.
pub(crate) fn runs(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut runs = Vec::new();
    for run in entries(directory)?.into_iter().filter(|path| path.is_dir()) {
        if let Some(last) = segments(&run)?.into_iter().map(|segment| segment.time).max() {
            runs.push((last, run));
        }
    }
    runs.sort();
    Ok(runs.into_iter().map(|(_, run)| run).collect())
}

/// The segments of all runs in a directory that nobody writes, the oldest first; and the bytes of all.
pub(crate) fn written_segments(directory: &Path) -> Result<(Vec<SegmentFile>, u64), Error> {
    let (mut written, mut bytes) = (Vec::new(), 0);
    for run in runs(directory)? {
        let mut segments = segments(&run)?;
        bytes += segments.iter().map(|segment| segment.bytes).sum::<u64>();
        if is_written(&run) {
            segments.pop();
        }
        written.extend(segments);
    }
    written.sort_by_key(|segment| (segment.time, segment.number));
    Ok((written, bytes))
}

/// Has a run as the only one who writes it, until what is returned is dropped. None where somebody else has
/// it.
pub(crate) fn lock(run: &Path) -> Result<Option<File>, Error> {
    let file = File::open(run).map_err(Error::at(run))?;
    Ok(flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok().then_some(file))
}

/// Whether somebody writes a run.
fn is_written(run: &Path) -> bool {
    File::open(run).is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockShared).is_err())
}

/// Removes a segment; and its run, when that was the last.
pub(crate) fn remove(segment: &SegmentFile) -> Result<(), Error> {
    match fs::remove_file(&segment.path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(Error::at(&segment.path)(error)),
        _ => {}
    }
    if let Some(run) = segment.path.parent() {
        // It stays as long as it has others.
        let _ = fs::remove_dir(run);
    }
    Ok(())
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let listed = fs::read_dir(directory).map_err(Error::at(directory))?;
    Ok(listed.filter_map(|entry| Some(entry.ok()?.path())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_in_order_and_other_files_are_none() {
        let directory = tempfile::tempdir().unwrap();
        let run = directory.path().join("run");
        fs::create_dir(&run).unwrap();
        assert_eq!(runs(directory.path()).unwrap(), Vec::<PathBuf>::new());
        for number in [2, 11, 1] {
            fs::write(SegmentFile::path(&run, number), b"12345").unwrap();
        }
        for other in ["x.journal", "3.txt", "4"] {
            fs::write(run.join(other), b"").unwrap();
        }
        let found = segments(&run).unwrap();
        assert_eq!(found.iter().map(|segment| segment.number).collect::<Vec<_>>(), [1, 2, 11]);
        assert!(found.iter().all(|segment| segment.bytes == 5));
        assert_eq!(runs(directory.path()).unwrap(), std::slice::from_ref(&run));
        found.iter().for_each(|segment| remove(segment).unwrap());
        assert!(run.exists(), "it has other files");
        assert!(matches!(segments(&directory.path().join("none")), Err(Error::File { .. })));
    }
}
