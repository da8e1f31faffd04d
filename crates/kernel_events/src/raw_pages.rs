//! The pages of one CPU of an instance.

use crate::Error;
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use trace_data::page::Missed;

/// `trace_pipe_raw` of a CPU.
#[derive(Debug)]
pub(crate) struct RawPages {
    pub(crate) cpu: u32,
    /// Whether events were lost since the last one that was handed on.
    pub(crate) lost: Missed,
    file: File,
}

impl RawPages {
    /// Those of all CPUs of an instance, in the order of the CPUs.
    pub(crate) fn all(instance: &Path) -> Result<Vec<RawPages>, Error> {
        let directory = instance.join("per_cpu");
        let entries = std::fs::read_dir(&directory).map_err(Error::file(&directory))?;
        let number = |name: &str| name.strip_prefix("cpu")?.parse().ok();
        let mut cpus: Vec<u32> =
            entries.flatten().filter_map(|entry| number(&entry.file_name().to_string_lossy())).collect();
        cpus.sort_unstable();
        cpus.into_iter().map(|cpu| RawPages::open(&directory, cpu)).collect()
    }

    fn open(directory: &Path, cpu: u32) -> Result<RawPages, Error> {
        let path = directory.join(format!("cpu{cpu}/trace_pipe_raw"));
        let flags = OFlags::NONBLOCK.bits() as i32;
        let file = File::options().read(true).custom_flags(flags).open(&path).map_err(Error::file(&path))?;
        Ok(RawPages { cpu, lost: Missed::None, file })
    }

    /// Consumes the next page, full or not. None where there is none.
    pub(crate) fn next<'p>(&mut self, page: &'p mut [u8]) -> std::io::Result<Option<&'p [u8]>> {
        loop {
            match self.file.read(page) {
                Ok(0) => return Ok(None),
                Ok(length) => return Ok(page.get(..length)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
