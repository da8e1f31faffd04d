//! The directory that snapshots are saved in.

use super::file_name::SnapshotFileName;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use session::Saving;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// What a file begins with that isn't whole yet.
const UNFINISHED: &str = ".unfinished-";

/// The file whose lock those have that save there.
const LOCK: &str = ".lock";

/// The snapshots in a directory, for the only one who saves some there just now.
#[derive(Debug)]
pub(super) struct SavedSnapshots {
    path: PathBuf,
    most_bytes: u64,
    /// Locked as long as it is open.
    _lock: File,
}

impl SavedSnapshots {
    /// The directory, which is made if need be; all files there may take so many bytes. None where somebody
    /// else saves there. What one has left who was killed is removed.
    pub(super) fn lock(path: &Path, most_bytes: u64) -> io::Result<Option<SavedSnapshots>> {
        Saving::make_directory(path)?;
        let no_link = OFlags::NOFOLLOW.bits().cast_signed();
        let mut options = File::options();
        options.write(true).create(true).truncate(false).mode(0o600).custom_flags(no_link);
        let lock = options.open(path.join(LOCK))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => return Ok(None),
            done => done?,
        }
        let saved = SavedSnapshots { path: path.to_path_buf(), most_bytes, _lock: lock };
        for name in saved.names()?.iter().filter(|name| name.starts_with(UNFINISHED)) {
            remove(&path.join(name))?;
        }
        Ok(Some(saved))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A file that is not whole yet, and looks so.
    pub(super) fn new_file(&self) -> io::Result<NamedTempFile> {
        Builder::new().prefix(UNFINISHED).tempfile_in(&self.path)
    }

    /// Has the disk keep a whole file, and gives it its name, after the oldest have made space for it. None,
    /// and nothing changed, where there can't be enough.
    pub(super) fn add(
        &mut self,
        file: NamedTempFile,
        name: &SnapshotFileName,
        bytes: u64,
    ) -> io::Result<Option<PathBuf>> {
        let Some(space) = self.most_bytes.checked_sub(bytes) else { return Ok(None) };
        file.as_file().sync_data()?;
        self.make_space(space)?;
        let path = self.path.join(&name.0);
        file.persist(&path)?;
        File::open(&self.path)?.sync_all()?;
        Ok(Some(path))
    }

    /// Removes the oldest until all take at most `most` bytes.
    fn make_space(&self, most: u64) -> io::Result<()> {
        let files = self.files()?;
        let mut total: u64 = files.iter().map(|(_, bytes)| bytes).sum();
        for (path, bytes) in files {
            if total <= most {
                break;
            }
            remove(&path)?;
            total -= bytes;
        }
        Ok(())
    }

    /// Removes the oldest. Whether there was one.
    pub(super) fn remove_oldest(&self) -> io::Result<bool> {
        self.files()?.first().map_or(Ok(false), |(path, _)| remove(path).map(|()| true))
    }

    /// Those that were saved and the bytes of each, the oldest first.
    fn files(&self) -> io::Result<Vec<(PathBuf, u64)>> {
        let mut names = self.names()?;
        names.retain(|name| SnapshotFileName::time(name).is_some());
        names.sort_by(|one, other| {
            (SnapshotFileName::time(one), one).cmp(&(SnapshotFileName::time(other), other))
        });
        let paths = names.into_iter().map(|name| self.path.join(name));
        Ok(paths.filter_map(|path| path.symlink_metadata().ok().map(|found| (path, found.len()))).collect())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let names = fs::read_dir(&self.path)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.filter_map(Result::transpose).collect()
    }
}

/// Removes a file that somebody else may have removed.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn name(hour: u32) -> SnapshotFileName {
        SnapshotFileName(format!("snapshot-s-0-panic-20261126T{hour:02}0000Z.dat"))
    }

    fn add(saved: &mut SavedSnapshots, hour: u32, bytes: usize) -> Option<PathBuf> {
        let mut file = saved.new_file().unwrap();
        file.write_all(&vec![7; bytes]).unwrap();
        saved.add(file, &name(hour), bytes as u64).unwrap()
    }

    fn names(saved: &SavedSnapshots) -> Vec<String> {
        saved
            .files()
            .unwrap()
            .iter()
            .map(|(path, _)| path.file_name().unwrap().to_str().unwrap().into())
            .collect()
    }

    #[test]
    fn the_oldest_make_space_and_nothing_else_does() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("of the user"), [7; 500]).unwrap();
        let mut saved = SavedSnapshots::lock(directory.path(), 300).unwrap().unwrap();
        // In the order of their times, whatever that of their making.
        [3, 1, 2].into_iter().for_each(|hour| assert!(add(&mut saved, hour, 100).is_some()));
        assert_eq!(names(&saved), [1, 2, 3].map(|hour| name(hour).0));
        add(&mut saved, 4, 150).unwrap();
        assert_eq!(names(&saved), [3, 4].map(|hour| name(hour).0));
        assert_eq!(add(&mut saved, 5, 301), None);
        assert_eq!(names(&saved), [3, 4].map(|hour| name(hour).0), "it would not fit alone");
        assert!(saved.remove_oldest().unwrap() && saved.remove_oldest().unwrap());
        assert!(!saved.remove_oldest().unwrap());
        assert!(directory.path().join("of the user").exists());
    }

    #[test]
    fn one_saves_at_a_time_and_half_written_files_go() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("made");
        let saved = SavedSnapshots::lock(&path, 300).unwrap().unwrap();
        assert!(SavedSnapshots::lock(&path, 300).unwrap().is_none());
        // As of one who is killed.
        std::mem::forget(saved.new_file().unwrap());
        assert_eq!(saved.names().unwrap().len(), 2);
        drop(saved);
        let saved = SavedSnapshots::lock(&path, 300).unwrap().unwrap();
        assert_eq!(saved.names().unwrap(), [LOCK]);
    }
}
