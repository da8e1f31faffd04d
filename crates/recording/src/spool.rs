//! Pages on their way from a buffer to a file: in files without a name, one for each block.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

/// Bytes that are collected before they are written.
const BUFFER: usize = 128 * 1024;

/// The pages of one block, in their order. Each is written with its length, as it is seldom full.
#[derive(Debug)]
pub(crate) struct Spool {
    file: BufWriter<File>,
    /// Bytes written.
    pub(crate) bytes: u64,
}

impl Spool {
    /// An empty one, in a file of `directory` that nobody else sees and that goes with this process.
    pub(crate) fn new(directory: &Path) -> io::Result<Spool> {
        Ok(Spool { file: BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(directory)?), bytes: 0 })
    }

    /// Appends a page.
    pub(crate) fn push(&mut self, page: &[u8]) -> io::Result<()> {
        self.file.write_all(&(page.len() as u32).to_le_bytes())?;
        self.file.write_all(page)?;
        self.bytes += page.len() as u64;
        Ok(())
    }

    /// Goes back to the first page, to read.
    pub(crate) fn rewind(&mut self) -> io::Result<SpoolReader> {
        self.file.flush()?;
        let mut file = self.file.get_ref().try_clone()?;
        file.rewind()?;
        Ok(SpoolReader { file: BufReader::with_capacity(BUFFER, file) })
    }
}

/// Reads pages back.
#[derive(Debug)]
pub(crate) struct SpoolReader {
    file: BufReader<File>,
}

impl SpoolReader {
    /// Puts the next page into `page`. False at the end.
    pub(crate) fn next_page(&mut self, page: &mut Vec<u8>) -> io::Result<bool> {
        let mut len = [0; 4];
        match self.file.read_exact(&mut len) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            other => other?,
        }
        page.resize(u32::from_le_bytes(len) as usize, 0);
        self.file.read_exact(page)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_data::page::{Missed, Page, PageBuilder};

    #[test]
    fn pages_come_back_as_they_were() {
        let directory = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(directory.path()).unwrap();
        let mut builder = PageBuilder::new(4096);
        for (time, lost) in [(5, None), (9, Some(7))] {
            assert!(builder.push(time, b"some event.."));
            spool.push(&builder.finish(lost)[..64]).unwrap();
        }
        let mut reader = spool.rewind().unwrap();
        let mut bytes = Vec::new();
        for (time, missed) in [(5, Missed::None), (9, Missed::Count(7))] {
            assert!(reader.next_page(&mut bytes).unwrap());
            let page = Page::new(&bytes).unwrap();
            assert_eq!((page.time_stamp(), page.missed(), page.events().count()), (time, missed, 1));
        }
        assert!(!reader.next_page(&mut bytes).unwrap());
    }
}
