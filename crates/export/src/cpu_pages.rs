//! A CPU's records on their way into a trace.dat file.

use crate::Error;
use abi::page::DEFAULT_SIZE;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;
use trace_data::dat::{CpuSource, Version, compress};
use trace_data::record::{PagePacker, Record};

/// A CPU's pages on their way into the file.
#[derive(Debug)]
pub(crate) struct CpuPages<'a> {
    directory: &'a Path,
    /// Created when there is something to be written.
    file: Option<BufWriter<File>>,
    packer: PagePacker,
    pub(crate) events: u64,
    pub(crate) lost: u64,
    pub(crate) bytes: u64,
}

impl<'a> CpuPages<'a> {
    pub(crate) fn new(directory: &'a Path) -> CpuPages<'a> {
        CpuPages {
            directory,
            file: None,
            packer: PagePacker::new(DEFAULT_SIZE),
            events: 0,
            lost: 0,
            bytes: 0,
        }
    }

    /// Appends a record.
    pub(crate) fn push(&mut self, record: &Record<'_>) -> Result<(), io::Error> {
        if !self.packer.push(record) {
            self.finish_page()?;
            // One that fits no page can't have been in one.
            self.packer.push(record);
        }
        self.events += 1;
        self.lost += record.lost.count();
        Ok(())
    }

    fn finish_page(&mut self) -> Result<(), io::Error> {
        let Some(page) = self.packer.finish() else { return Ok(()) };
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(BufWriter::new(tempfile::tempfile_in(self.directory)?)),
        };
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
