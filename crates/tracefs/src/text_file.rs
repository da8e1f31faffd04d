//! A control file that is a text: made when it is read, and words that are taken when they are written.

use crate::control_file::{Change, ControlFile, Opened, is_truncating};
use crate::text_part::text_part;
use crate::trace_array::TraceArray;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::Author;

/// A control file that is a text.
pub(crate) trait TextFile: Clone + Send + Sync + 'static {
    /// [`ControlFile::mode`].
    const MODE: u32 = 0o640;

    /// Whether the text is made when it is read from its start, and kept for what follows, as the kernel's
    /// `seq_file` does; if not, it is short and made again for each read(2), whatever its offset.
    const IS_KEPT: bool = false;

    /// [`ControlFile::keeps_instance`].
    fn keeps_instance(&self) -> bool {
        true
    }

    /// Its text.
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let _ = array;
        Err(Errno::INVAL)
    }

    /// Takes all that is written.
    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let _ = (array, bytes);
        Err(Errno::INVAL)
    }

    /// Takes the first bytes of what is written, and says how many: all that [`TextFile::store`] takes.
    fn store_some(&self, array: &TraceArray, bytes: &[u8]) -> Result<usize, Errno> {
        self.store(array, bytes).map(|()| bytes.len())
    }

    /// [`ControlFile::takes_away`].
    fn takes_away(&self, change: Change<'_>) -> bool {
        let _ = change;
        false
    }

    /// What opening it for writing with `O_TRUNC` does.
    fn truncate(&self, array: &TraceArray) -> Result<(), Errno> {
        let _ = array;
        Ok(())
    }
}

impl<F: TextFile> ControlFile for F {
    fn mode(&self) -> u32 {
        F::MODE
    }

    fn takes_away(&self, change: Change<'_>) -> bool {
        TextFile::takes_away(self, change)
    }

    fn keeps_instance(&self) -> bool {
        TextFile::keeps_instance(self)
    }

    fn cached_size(&self) -> u64 {
        if !F::IS_KEPT && F::MODE & 0o444 != 0 { PAGE } else { 0 }
    }

    fn open(&self, array: &TraceArray, flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        if is_truncating(flags) {
            self.truncate(array)?;
        }
        Ok(Box::new(OpenText { file: self.clone(), array: array.clone(), kept: None }))
    }
}

/// Bytes of a page of memory.
const PAGE: u64 = 4096;

/// An open [`TextFile`].
struct OpenText<F> {
    file: F,
    array: TraceArray,
    kept: Option<String>,
}

impl<F: TextFile> Opened for OpenText<F> {
    fn read(&mut self, offset: u64, len: usize) -> Result<Option<Vec<u8>>, Errno> {
        let keep = F::IS_KEPT && offset > 0;
        let text = match self.kept.take().filter(|_| keep) {
            Some(text) => text,
            None => self.file.show(&self.array)?,
        };
        let part = text_part(text.as_bytes(), offset, len);
        self.kept = Some(text);
        Ok(Some(part))
    }

    fn write(&mut self, _author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        self.file.store_some(&self.array, bytes)
    }
}
