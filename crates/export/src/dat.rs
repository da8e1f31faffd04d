//! trace.dat, the file of trace-cmd. Its layout is [`trace_data::dat`]'s matter.

use crate::cpu_pages::CpuPages;
pub use crate::cpu_pages::CpuTotals;
use crate::{Error, Sink};
use std::io::Write;
use std::path::Path;
use trace_data::dat::{BufferSource, Metadata, Version};
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Writes a trace.dat file with one buffer. Seeks nowhere.
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
    cpus: Vec<CpuPages<'a>>,
}

impl<'a, W: Write> DatFile<'a, W> {
    /// Writes to `out`, for so many CPUs. Pages wait in `directory`.
    pub fn new(out: W, version: Version, cpus: u32, directory: &'a Path) -> DatFile<'a, W> {
        DatFile { out, version, cpus: (0..cpus).map(|_| CpuPages::new(directory)).collect() }
    }

    /// Adds a record. Those of a CPU have to come in the order of time.
    ///
    /// # Errors
    ///
    /// When there is no such CPU, or pages can't be kept.
    pub fn push(&mut self, record: &Record<'_>) -> Result<(), Error> {
        let cpu = self.cpus.get_mut(record.cpu as usize).ok_or(Error::UnknownCpu(record.cpu))?;
        Ok(cpu.push(record)?)
    }

    /// What each CPU has so far.
    pub fn totals(&self) -> impl Iterator<Item = CpuTotals> {
        self.cpus.iter().map(|pages| pages.totals)
    }

    /// Writes the file, and gives its length. No record may come afterwards.
    ///
    /// # Errors
    ///
    /// When pages can't be read back, or the file can't be written.
    pub fn write(&mut self, metadata: &Metadata) -> Result<u64, Error> {
        let pages = std::mem::take(&mut self.cpus).into_iter();
        let cpus: Result<Vec<_>, Error> = pages.map(|pages| pages.into_source(self.version)).collect();
        let mut top = [BufferSource { name: String::new(), cpus: cpus? }];
        Ok(trace_data::dat::write(&mut self.out, self.version, metadata, &mut top)?)
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
