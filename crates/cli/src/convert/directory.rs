//! A directory that a trace is written into.

use crate::failure::{Done, Failure};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where a trace of several files goes. It gets its name when it is complete: after a failure nothing
/// half-written is left.
#[derive(Debug)]
pub(super) struct OutputDirectory {
    path: PathBuf,
    temporary: TempDir,
}

impl OutputDirectory {
    /// Makes a directory that is to be called `path`, next to it. Nothing may be there yet, or an empty
    /// directory.
    pub(super) fn prepare(path: &Path) -> Done<OutputDirectory> {
        let failed =
            |reason: &dyn std::fmt::Display| Failure::failed(format_args!("{}: {reason}", path.display()));
        let is_empty = fs::read_dir(path).map(|mut entries| entries.next().is_none());
        if is_empty.is_ok_and(|is_empty| !is_empty) || path.exists() && !path.is_dir() {
            return Err(failed(&"exists and is not an empty directory: choose another, or remove it"));
        }
        let parent = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
        let temporary = TempDir::new_in(parent).map_err(|error| failed(&error))?;
        // In it, so that others may read what they may read of other files.
        let directory = OutputDirectory { path: path.to_owned(), temporary };
        fs::create_dir(directory.place()).map_err(|error| failed(&error))?;
        Ok(directory)
    }

    /// Where files are written to.
    pub(super) fn place(&self) -> PathBuf {
        self.temporary.path().join("trace")
    }

    /// Gives it its name.
    pub(super) fn keep(self) -> Done<()> {
        fs::rename(self.place(), &self.path)
            .map_err(|error| Failure::failed(format_args!("{}: {error}", self.path.display())))
    }
}
