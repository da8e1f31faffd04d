//! trace.dat, the file of trace-cmd. Its layout is [`trace_data::dat`]'s matter.

use crate::cpu_pages::CpuPages;
pub use crate::cpu_pages::CpuTotals;
use crate::{Error, Sink};
use std::io::Write;
use std::path::Path;
use trace_data::dat::{BufferSource, Metadata, Version};
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Writes a trace.dat file: with one buffer, and others where they are added. Seeks nowhere.
///
/// The file has the pages of a CPU together, and names for addresses before all pages. So pages wait in files
/// without a name, one for each CPU, and all is written at the end.
///
/// ```
/// use export::{Sink, dat::DatFile};
/// use trace_data::dat::{Metadata, Recording, Version};
/// use trace_data::page::Missed;
/// use trace_data::record::Record;
///
/// let (directory, mut out) = (std::env::temp_dir(), Vec::new());
/// let mut file = DatFile::new(&mut out, Version::Six, 2, &directory);
/// let payload = [42, 0, 0, 0, 7, 0, 0, 0, 17, 0, 0, 0];
/// file.push(&Record { cpu: 1, time: 1000, payload: &payload, lost: Missed::None })?;
/// let length = file.write(&Metadata::new(4096))?;
/// assert_eq!(length, out.len() as u64);
///
/// let read = Recording::open(std::io::Cursor::new(out))?;
/// let sizes: Vec<u64> = read.buffers()[0].cpus.iter().map(|data| data.size).collect();
/// assert_eq!(sizes, [0, 4096]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DatFile<'a, W> {
    out: W,
    version: Version,
    cpu_count: u32,
    directory: &'a Path,
    /// The name of each buffer, and its CPUs. The first is the top one and has no name.
    buffers: Vec<(String, Vec<CpuPages<'a>>)>,
}

/// A buffer of a trace.dat file that was added.
#[derive(Debug, Clone, Copy)]
pub struct AddedBuffer(usize);

impl<'a, W: Write> DatFile<'a, W> {
    /// Writes to `out`, for so many CPUs. Pages wait in `directory`.
    pub fn new(out: W, version: Version, cpus: u32, directory: &'a Path) -> DatFile<'a, W> {
        let mut file = DatFile { out, version, cpu_count: cpus, directory, buffers: Vec::new() };
        file.add_buffer("");
        file
    }

    /// Adds a buffer, as of an instance of this name.
    pub fn add_buffer(&mut self, name: &str) -> AddedBuffer {
        let cpus = (0..self.cpu_count).map(|_| CpuPages::new(self.directory)).collect();
        self.buffers.push((name.to_owned(), cpus));
        AddedBuffer(self.buffers.len() - 1)
    }

    /// Adds a record to the top buffer. Those of a CPU have to come in the order of time.
    ///
    /// # Errors
    ///
    /// When there is no such CPU, or pages can't be kept.
    pub fn push(&mut self, record: &Record<'_>) -> Result<(), Error> {
        self.push_to(AddedBuffer(0), record)
    }

    /// Adds a record to a buffer that was added, as [`DatFile::push`] does.
    ///
    /// # Errors
    ///
    /// Those of [`DatFile::push`].
    pub fn push_to(&mut self, buffer: AddedBuffer, record: &Record<'_>) -> Result<(), Error> {
        let cpu = self.buffers.get_mut(buffer.0).and_then(|(_, cpus)| cpus.get_mut(record.cpu as usize));
        Ok(cpu.ok_or(Error::UnknownCpu(record.cpu))?.push(record)?)
    }

    /// What each CPU has in the top buffer so far.
    pub fn totals(&self) -> impl Iterator<Item = CpuTotals> {
        self.buffers.iter().take(1).flat_map(|(_, cpus)| cpus.iter().map(|pages| pages.totals))
    }

    /// Writes the file, and gives its length. No record may come afterwards.
    ///
    /// # Errors
    ///
    /// When pages can't be read back, or the file can't be written.
    pub fn write(&mut self, metadata: &Metadata) -> Result<u64, Error> {
        let mut sources = Vec::new();
        for (name, cpus) in std::mem::take(&mut self.buffers) {
            let cpus = cpus.into_iter().map(|pages| pages.into_source(self.version));
            sources.push(BufferSource { name, cpus: cpus.collect::<Result<_, _>>()? });
        }
        Ok(trace_data::dat::write(&mut self.out, self.version, metadata, &mut sources)?)
    }
}

impl<W: Write> Sink for DatFile<'_, W> {
    fn record(&mut self, record: &Record<'_>, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.push(record)
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.write(trace.metadata).map(drop)
    }
}
