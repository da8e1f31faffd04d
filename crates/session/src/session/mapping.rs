//! The file of a session while it is open, to be mapped.

use super::paths::c_path;
use crate::Error;
use abi::control::CONTROL_SIZE;
use control::{ControlArea, FileLayout};
use shm::Segment;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What is said of a file that is not in one piece.
pub(crate) const DAMAGED: &str = "damaged session file";

/// A session's file that is open, to be mapped.
pub(crate) struct SessionFile {
    path: PathBuf,
    pub(crate) file: shm::File,
}

impl SessionFile {
    pub(crate) fn open(path: &Path) -> Result<SessionFile, Error> {
        let file = shm::File::open(&c_path(path)?).map_err(|error| Error::errno(path, error))?;
        Ok(SessionFile { path: path.to_path_buf(), file })
    }

    pub(crate) fn map(&self, part: Option<Range<u64>>) -> Result<Segment, Error> {
        let part = part.ok_or_else(|| Error::unusable(&self.path, DAMAGED))?;
        self.file.map(part).map_err(|error| Error::errno(&self.path, error))
    }

    /// The buffer of an instance: all of it, or where addresses are short, what is in use as long as it has
    /// not grown.
    pub(crate) fn buffer(&self, layout: &FileLayout, instance: usize) -> Result<Segment, Error> {
        let all = self.map(layout.buffer(instance));
        all.or_else(|error| self.map(layout.mapped_buffer(instance)).map_err(|_| error))
    }

    pub(crate) fn control(&self) -> Result<Segment, Error> {
        self.map(Some(0..CONTROL_SIZE as u64))
    }

    /// Lets a control area use the lists of functions, and what belongs to the instances after the first, if
    /// there can be any.
    pub(crate) fn extend(&self, control: &ControlArea, layout: &FileLayout) -> Result<(), Error> {
        control.use_functions(self.map(Some(layout.functions()))?);
        if let Some(extension) = layout.extension() {
            control.extend(self.map(Some(extension))?);
        }
        Ok(())
    }
}
