//! A CPU's records on their way into a trace.dat file.

use crate::Error;
use abi::page::DEFAULT_SIZE;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;
use trace_data::dat::{CpuSource, Version, compress};
use trace_data::record::{PagePacker, Record};

/// What a CPU has in a trace.dat file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTotals {
    /// Records.
    pub events: u64,
    /// Events that were lost before them.
    pub lost: u64,
    /// Bytes of full pages.
    pub bytes: u64,
}

/// A CPU's pages on their way into the file.
#[derive(Debug)]
pub(crate) struct CpuPages<'a> {
    directory: &'a Path,
    /// Created when there is something to be written.
    file: Option<BufWriter<File>>,
    packer: PagePacker,
    pub(crate) totals: CpuTotals,
}

impl<'a> CpuPages<'a> {
    pub(crate) fn new(directory: &'a Path) -> CpuPages<'a> {
        let packer = PagePacker::new(DEFAULT_SIZE);
        CpuPages { directory, file: None, packer, totals: CpuTotals::default() }
    }

    /// Appends a record.
    pub(crate) fn push(&mut self, record: &Record<'_>) -> Result<(), io::Error> {
        if !self.packer.push(record) {
            self.finish_page()?;
            // One that fits no page can't have been in one.
            self.packer.push(record);
        }
        self.totals.events += 1;
        self.totals.lost = self.totals.lost.saturating_add(record.lost.count());
        Ok(())
    }

    fn finish_page(&mut self) -> Result<(), io::Error> {
        let Some(page) = self.packer.finish() else { return Ok(()) };
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(BufWriter::new(tempfile::tempfile_in(self.directory)?)),
        };
        file.write_all(page)?;
        self.totals.bytes += page.len() as u64;
        Ok(())
    }

    pub(crate) fn into_source(mut self, version: Version) -> Result<CpuSource<Box<dyn io::Read>>, Error> {
        self.finish_page()?;
        let Some(file) = self.file else {
            return Ok(CpuSource { pages: Box::new(io::empty()), length: 0 });
        };
        let (file, bytes) = (rewound(file)?, self.totals.bytes);
        if version != Version::SevenCompressed {
            return Ok(CpuSource { pages: Box::new(file), length: bytes });
        }
        let mut compressed = BufWriter::new(tempfile::tempfile_in(self.directory)?);
        let length = compress(file, bytes, DEFAULT_SIZE as u32, &mut compressed)?;
        Ok(CpuSource { pages: Box::new(rewound(compressed)?), length })
    }
}

/// What was written to a file, to be read.
fn rewound(file: BufWriter<File>) -> io::Result<File> {
    let mut file = file.into_inner().map_err(|error| error.into_error())?;
    file.rewind()?;
    Ok(file)
}
