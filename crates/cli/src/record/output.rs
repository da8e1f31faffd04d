//! The file that a recording is written to.

use crate::failure::{Done, Failure};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, tempfile_in};

/// Where a recording goes. A regular file gets its name when it is complete: what was there before stays
/// until then, and after a failure nothing half-written is left.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    directory: PathBuf,
    target: OutputTarget,
}

#[derive(Debug)]
enum OutputTarget {
    File,
    /// A device or a pipe.
    Stream(File),
}

impl Output {
    /// Finds out whether `path` can be written, before anything is recorded.
    pub(crate) fn prepare(path: &Path) -> Done<Output> {
        let failed = |error: std::io::Error| Failure::failed(format_args!("{}: {error}", path.display()));
        if path.is_dir() {
            return Err(Failure::failed(format_args!(
                "{}: is a directory, expected a file to write",
                path.display()
            )));
        }
        if path.exists() && !path.is_file() {
            let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
            let directory = std::env::temp_dir();
            return Ok(Output { path: path.into(), directory, target: OutputTarget::Stream(file) });
        }
        // What a link names is written, not the link.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let directory = match path.parent() {
            Some(parent) if parent != Path::new("") => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        // Only a try: whoever is killed while the program runs leaves no file.
        tempfile_in(&directory).map_err(|error| {
            let (path, place) = (path.display(), directory.display());
            Failure::failed(match error.kind() {
                ErrorKind::NotFound if directory.is_dir() => {
                    format!("{path}: no file can be made in {place}: choose another directory by -o FILE")
                }
                ErrorKind::NotFound => format!(
                    "{path}: the directory {place} doesn't exist: make it, or choose another by -o FILE"
                ),
                reason => {
                    format!("{path}: {reason}: no file can be written in {place}; choose another by -o FILE")
                }
            })
        })?;
        Ok(Output { path, directory, target: OutputTarget::File })
    }

    /// The directory for what is on its way to the file.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Has something written, and keeps it where `write` says so, which may fail half-way.
    pub(crate) fn write_if<T>(self, write: impl FnOnce(&mut dyn Write) -> (T, bool)) -> Done<T> {
        let shown = self.path.display();
        let failed = |error: &dyn std::fmt::Display| Failure::failed(format_args!("{shown}: {error}"));
        match self.target {
            OutputTarget::Stream(mut file) => Ok(write(&mut file).0),
            OutputTarget::File => {
                let mut file = NamedTempFile::new_in(&self.directory).map_err(|error| failed(&error))?;
                let (written, is_kept) = write(file.as_file_mut());
                if is_kept {
                    file.persist(&self.path).map_err(|error| failed(&error.error))?;
                }
                Ok(written)
            }
        }
    }

    /// Has the recording written.
    pub(crate) fn write<T>(
        self,
        write: impl FnOnce(&mut dyn Write) -> Result<T, recording::Error>,
    ) -> Done<T> {
        let shown = self.path.display();
        let failed = |error: &dyn std::fmt::Display| Failure::failed(format_args!("{shown}: {error}"));
        match self.target {
            OutputTarget::Stream(file) => {
                Ok(write(&mut BufWriter::new(file)).map_err(|error| failed(&error))?)
            }
            OutputTarget::File => {
                let mut file = NamedTempFile::new_in(&self.directory).map_err(|error| failed(&error))?;
                let written =
                    write(&mut BufWriter::new(file.as_file_mut())).map_err(|error| failed(&error))?;
                file.persist(&self.path).map_err(|error| failed(&error.error))?;
                Ok(written)
            }
        }
    }
}
