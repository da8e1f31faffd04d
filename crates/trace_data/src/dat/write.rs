//! Writing a trace.dat file.

use super::source::{BufferSource, CpuSource};
use super::{Error, Metadata, write6, write7};
use std::io::{Read, Write};

/// What kind of file is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Version {
    /// Version 6, which every reader knows.
    #[default]
    Six,
    /// Version 7.
    Seven,
    /// Version 7 with everything compressed by zstd: the pages come as [`super::compress()`] has made them.
    SevenCompressed,
}

/// Writes a trace.dat file, which needs no seeking. Returns its length.
///
/// Memory is needed for the metadata; the pages pass through. `trace-cmd report`, `dump` and
/// KernelShark open the result without a warning.
///
/// # Errors
///
/// When writing fails, when a CPU's data is shorter than announced or not of whole pages, and when
/// there is no buffer or the buffers differ in their number of CPUs.
pub fn write<W: Write, R: Read>(
    mut out: W,
    version: Version,
    metadata: &Metadata,
    buffers: &mut [BufferSource<R>],
) -> Result<u64, Error> {
    check(metadata, buffers, version)?;
    let length = match version {
        Version::Six => write6::write(&mut out, metadata, buffers)?,
        Version::Seven => write7::write(&mut out, metadata, buffers, false)?,
        Version::SevenCompressed => write7::write(&mut out, metadata, buffers, true)?,
    };
    let io = |source| Error::Io { what: "writing the file", source };
    let supplement = metadata.supplement.to_bytes(length);
    out.write_all(&supplement).map_err(io)?;
    out.flush().map_err(io)?;
    Ok(length + supplement.len() as u64)
}

/// Errors that would make a file that nobody can read.
fn check<R>(metadata: &Metadata, buffers: &[BufferSource<R>], version: Version) -> Result<(), Error> {
    let invalid = |reason| Error::invalid("the recording to be written", 0, reason);
    let sizes = abi::page::DEFAULT_SIZE..=abi::page::MAX_SIZE;
    if !sizes.contains(&(metadata.page_size as usize)) || !metadata.page_size.is_power_of_two() {
        return Err(invalid("no page has its page size"));
    }
    if [&metadata.kallsyms, &metadata.printk_formats].iter().any(|text| u32::try_from(text.len()).is_err()) {
        return Err(invalid("its symbols have more than 4 GiB"));
    }
    let Some(top) = buffers.first() else {
        return Err(invalid("it has no buffer"));
    };
    if buffers.iter().any(|buffer| buffer.cpus.len() != top.cpus.len()) {
        return Err(invalid("its buffers differ in their number of CPUs"));
    }
    for source in buffers.iter().flat_map(|buffer| buffer.cpus.iter().enumerate()) {
        let (cpu, CpuSource { length, .. }) = source;
        if version != Version::SevenCompressed && !length.is_multiple_of(u64::from(metadata.page_size)) {
            return Err(Error::Data { cpu, reason: format!("{length} bytes, no whole pages") });
        }
    }
    Ok(())
}
