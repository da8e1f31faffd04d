//! `snapshot_save_to`, `snapshot_save_size_mb`: where snapshots are saved as files, and how much these may
//! take.

use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::Saving;
use std::path::Path;

/// Reads and takes the path of a directory, from `/` on, which is made if it doesn't exist; an empty line
/// where snapshots are not saved. EINVAL for other paths.
#[derive(Clone, Default)]
struct SnapshotSaveTo;

pub(super) const DIRECTORY: Listed = Listed::of::<SnapshotSaveTo>(
    "snapshot_save_to",
    "the directory to which commands that look at the session save snapshots",
);

impl TextFile for SnapshotSaveTo {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let directory = array.instance().saving().directory.unwrap_or_default();
        Ok(format!("{}\n", directory.display()))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let text = std::str::from_utf8(bytes).map_err(|_| Errno::INVAL)?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        let directory = Some(Path::new(text)).filter(|_| !text.is_empty());
        if let Some(directory) = directory {
            if !Saving::is_directory(directory) {
                return Err(Errno::INVAL);
            }
            let made = Saving::make_directory(directory);
            made.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        }
        let directory = directory.map(Path::to_path_buf);
        array.instance().set_saving(|saving| saving.directory = directory).map_err(errno)
    }
}

/// Reads and takes MB: at least 1. EINVAL for others.
#[derive(Clone, Default)]
struct SnapshotSaveSize;

pub(super) const SIZE: Listed = Listed::of::<SnapshotSaveSize>(
    "snapshot_save_size_mb",
    "what all files there may take; the oldest are removed",
);

impl TextFile for SnapshotSaveSize {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", array.instance().saving().most_mb))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        match number::parse(bytes)? {
            most_mb @ 1..=Saving::MOST_MB => {
                array.instance().set_saving(|saving| saving.most_mb = most_mb).map_err(errno)
            }
            _ => Err(Errno::INVAL),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn a_directory_is_made_and_a_size_kept() {
        let (directory, tree) = tree();
        let [to, size] = ["snapshot_save_to", "snapshot_save_size_mb"];
        assert_eq!([to, size].map(|file| read(&tree, file)), ["\n", "256\n"]);
        let path = directory.path().join("kept here/too");
        write(&tree, to, &format!("{}\n", path.display())).unwrap();
        write(&tree, size, "16").unwrap();
        assert!(path.is_dir());
        assert_eq!(
            [to, size].map(|file| read(&tree, file)),
            [format!("{}\n", path.display()), "16\n".into()]
        );
        for bad in ["relative", "/a\n/b"] {
            assert_eq!(write(&tree, to, bad), Err(Errno::INVAL), "{bad}");
        }
        assert_eq!(write(&tree, to, "/dev/null/x"), Err(Errno::NOTDIR));
        for bad in ["0", "-1", "16777217", "many"] {
            assert_eq!(write(&tree, size, bad), Err(Errno::INVAL), "{bad}");
        }
        assert_eq!(
            [to, size].map(|file| read(&tree, file)),
            [format!("{}\n", path.display()), "16\n".into()]
        );
        write(&tree, to, "\n").unwrap();
        assert_eq!([to, size].map(|file| read(&tree, file)), ["\n", "16\n"]);
    }
}
