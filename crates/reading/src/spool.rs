//! Pages that wait: in memory, or in files without a name.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Bytes that are collected before they are written.
const BUFFER: usize = 128 * 1024;

/// The pages of one block, in their order. Each is kept with its length, as it is seldom full.
#[derive(Debug)]
pub struct Spool {
    /// Where its file is to be made, for the first page: a session has many blocks that nothing is read from.
    directory: Option<PathBuf>,
    pages: Medium<Vec<Vec<u8>>, BufWriter<File>>,
}

/// Reads pages back.
#[derive(Debug)]
pub(crate) struct SpoolReader {
    pages: Medium<std::vec::IntoIter<Vec<u8>>, BufReader<File>>,
}

/// Where pages are.
#[derive(Debug)]
enum Medium<M, F> {
    Memory(M),
    File(F),
}

impl Spool {
    /// An empty one. Its pages are kept in a file of `directory` that nobody else sees and that goes with
    /// this process, or in memory.
    pub fn new(directory: Option<&Path>) -> Spool {
        Spool { directory: directory.map(Path::to_path_buf), pages: Medium::Memory(Vec::new()) }
    }

    /// Appends a page.
    ///
    /// # Errors
    ///
    /// When its file can't be made or written.
    pub fn push(&mut self, page: &[u8]) -> io::Result<()> {
        if let Some(directory) = self.directory.take() {
            let file = tempfile::tempfile_in(&directory)?;
            self.pages = Medium::File(BufWriter::with_capacity(BUFFER, file));
        }
        match &mut self.pages {
            Medium::Memory(pages) => pages.push(page.to_vec()),
            Medium::File(file) => {
                file.write_all(&(page.len() as u32).to_le_bytes())?;
                file.write_all(page)?;
            }
        }
        Ok(())
    }

    /// Goes back to the first page, to read.
    pub(crate) fn into_reader(self) -> io::Result<SpoolReader> {
        let pages = match self.pages {
            Medium::Memory(pages) => Medium::Memory(pages.into_iter()),
            Medium::File(file) => {
                let mut file = file.into_inner().map_err(|error| error.into_error())?;
                file.rewind()?;
                Medium::File(BufReader::with_capacity(BUFFER, file))
            }
        };
        Ok(SpoolReader { pages })
    }
}

impl SpoolReader {
    /// Puts the next page into `page`. False at the end.
    pub(crate) fn next_page(&mut self, page: &mut Vec<u8>) -> io::Result<bool> {
        let file = match &mut self.pages {
            Medium::Memory(pages) => return Ok(pages.next().map(|next| *page = next).is_some()),
            Medium::File(file) => file,
        };
        let mut len = [0; 4];
        match file.read_exact(&mut len) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            other => other?,
        }
        page.resize(u32::from_le_bytes(len) as usize, 0);
        file.read_exact(page)?;
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
        for directory in [Some(directory.path()), None] {
            let mut spool = Spool::new(directory);
            let mut builder = PageBuilder::new(4096);
            for (time, lost) in [(5, None), (9, Some(7))] {
                assert!(builder.push(time, b"some event.."));
                spool.push(&builder.finish(lost)[..64]).unwrap();
            }
            let mut reader = spool.into_reader().unwrap();
            let mut bytes = Vec::new();
            for (time, missed) in [(5, Missed::None), (9, Missed::Count(7))] {
                assert!(reader.next_page(&mut bytes).unwrap());
                let page = Page::new(&bytes).unwrap();
                assert_eq!((page.time_stamp, page.missed, page.events().count()), (time, missed, 1));
            }
            assert!(!reader.next_page(&mut bytes).unwrap());
        }
    }

    #[test]
    fn without_a_page_there_is_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing");
        let mut reader = Spool::new(Some(&missing)).into_reader().unwrap();
        assert!(!reader.next_page(&mut Vec::new()).unwrap());
        let refused = Spool::new(Some(&missing)).push(&[0; 64]).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::NotFound);
    }
}
