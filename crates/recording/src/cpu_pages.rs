//! A CPU's events on their way into a file.

use crate::Error;
use abi::page::{DEFAULT_SIZE, HEADER_SIZE, TIME_EXTEND_SIZE, event_size};
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;
use trace_data::dat::{CpuSource, Version, compress};
use trace_data::page::PageBuilder;

/// Bytes of a page that are there for events.
const ROOM: usize = DEFAULT_SIZE - HEADER_SIZE;

/// A CPU's pages on their way into the file.
#[derive(Debug)]
pub(crate) struct CpuPages<'a> {
    directory: &'a Path,
    /// Made when there is something to be written.
    file: Option<BufWriter<File>>,
    builder: PageBuilder,
    /// Events lost before the page that is being filled.
    missed: u64,
    /// Bytes of that page that are in use at most.
    used: usize,
    pub(crate) events: u64,
    pub(crate) lost: u64,
    pub(crate) bytes: u64,
}

impl<'a> CpuPages<'a> {
    pub(crate) fn new(directory: &'a Path) -> CpuPages<'a> {
        let builder = PageBuilder::new(DEFAULT_SIZE);
        CpuPages { directory, file: None, builder, missed: 0, used: 0, events: 0, lost: 0, bytes: 0 }
    }

    /// Appends an event; `lost` were lost before it.
    pub(crate) fn push(&mut self, time: u64, payload: &[u8], lost: u64) -> Result<(), io::Error> {
        if lost > 0 {
            // Only a page's header can tell of losses.
            self.finish_page()?;
            self.missed = lost;
        }
        let size = event_size(payload.len()) + TIME_EXTEND_SIZE;
        // How much was lost stands behind the page's events, where there is room.
        let has_room = self.missed == 0 || self.used + size + size_of_val(&self.missed) <= ROOM;
        if !has_room || !self.builder.push(time, payload) {
            self.finish_page()?;
            self.builder.push(time, payload);
        }
        self.used += size;
        self.events += 1;
        self.lost += lost;
        Ok(())
    }

    fn finish_page(&mut self) -> Result<(), io::Error> {
        if self.builder.is_empty() {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(BufWriter::new(tempfile::tempfile_in(self.directory)?)),
        };
        self.used = 0;
        let page = self.builder.finish(Some(std::mem::take(&mut self.missed)));
        file.write_all(page)?;
        self.bytes += page.len() as u64;
        Ok(())
    }

    pub(crate) fn into_source(mut self, version: Version) -> Result<CpuSource<Box<dyn io::Read>>, Error> {
        self.finish_page()?;
        let Some(file) = self.file else {
            return Ok(CpuSource { pages: Box::new(io::empty()), length: 0 });
        };
        let mut file = file.into_inner().map_err(|error| error.into_error())?;
        file.rewind()?;
        if version != Version::SevenCompressed {
            return Ok(CpuSource { pages: Box::new(file), length: self.bytes });
        }
        let mut compressed = BufWriter::new(tempfile::tempfile_in(self.directory)?);
        let length = compress(file, self.bytes, DEFAULT_SIZE as u32, &mut compressed)?;
        let mut file = compressed.into_inner().map_err(|error| error.into_error())?;
        file.rewind()?;
        Ok(CpuSource { pages: Box::new(file), length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use trace_data::page::{Missed, Page};

    #[test]
    fn a_full_page_says_how_much_was_lost_before_it() {
        let directory = tempfile::tempdir().unwrap();
        let mut pages = CpuPages::new(directory.path());
        for time in 0..1000 {
            let lost = if time % 300 == 1 { 7 } else { 0 };
            pages.push(time, &[0; 28], lost).unwrap();
        }
        let mut bytes = Vec::new();
        pages.into_source(Version::Six).unwrap().pages.read_to_end(&mut bytes).unwrap();
        let pages = bytes.chunks_exact(DEFAULT_SIZE).map(|page| Page::new(page).unwrap());
        let missed: Vec<Missed> =
            pages.map(|page| page.missed()).filter(|missed| *missed != Missed::None).collect();
        assert_eq!(missed, [Missed::Count(7); 4]);
    }
}
