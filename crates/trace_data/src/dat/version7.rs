//! Version 7: sections, found through chained sections of options.

use super::buffer::{CpuData, MAX_CPUS, RecordedBuffer};
use super::input::Input;
use super::metadata::Metadata;
use super::section::{self, BLOCKS, metadata};
use super::{Error, id, options};
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Seek};

/// The most sections of options that are followed. trace-cmd makes a handful.
const MAX_SECTIONS: usize = 100;

/// Reads everything but the pages; `input` is after the page size.
pub(super) fn read<R: Read + Seek>(
    input: &mut Input<R>,
    page_size: u32,
) -> Result<(Metadata, Vec<RecordedBuffer>), Error> {
    let compression = input.string("the name of the compression")?;
    input.string("the version of the compression")?;
    if !matches!(compression.as_str(), "none" | "zstd" | "") {
        return Err(Error::Unsupported { what: "the compression", found: compression });
    }
    let mut data = Metadata::new(page_size);
    let mut found = SectionOptions::default();
    let mut next = input.u64("the offset of the options")?;
    while next != 0 {
        if found.sections.contains(&next) || found.sections.len() == MAX_SECTIONS {
            return Err(Error::invalid("the options", next, "they go in a circle"));
        }
        found.sections.push(next);
        next = found.options(input, next, &mut data)?;
    }
    for (block, place) in found.blocks {
        let mut section = section::read(input, place, block)?;
        metadata(block, &mut section, &mut data)?;
    }
    // Instances may come first; the top buffer has no name.
    let mut buffers = found.buffers;
    buffers.sort_by_key(|buffer| !buffer.name.is_empty());
    if let Some(top) = buffers.first() {
        data.options.take_clock(&top.clock);
    }
    Ok((data, buffers))
}

/// What the options say about the rest of the file.
#[derive(Default)]
struct SectionOptions {
    /// The sections of options read so far.
    sections: Vec<u64>,
    /// Where each block of metadata is. Of several, the last one counts.
    blocks: BTreeMap<u16, u64>,
    buffers: Vec<RecordedBuffer>,
}

impl SectionOptions {
    /// Reads the section of options at `offset`. Returns the offset of the next one, 0 after the
    /// last.
    fn options<R: Read + Seek>(
        &mut self,
        input: &mut Input<R>,
        offset: u64,
        data: &mut Metadata,
    ) -> Result<u64, Error> {
        let mut section = section::read(input, offset, id::DONE)?;
        while section.remaining() > 0 {
            let number = section.u16("the number of an option")?;
            let (_, bytes) = options::data(&mut section)?;
            match (number, crate::bytes::u64_at(&bytes, 0)) {
                (id::DONE, Some(next)) => return Ok(next),
                (id::BUFFER, _) => self.buffers.push(buffer(input, bytes)?),
                (id::CPUCOUNT, _) => {}
                (id::TRACECLOCK, _) => data.options.take_clock(&String::from_utf8_lossy(&bytes)),
                (_, Some(place)) if BLOCKS.contains(&number) => {
                    self.blocks.insert(number, place);
                }
                _ => data.options.take(number, bytes),
            }
        }
        Ok(0)
    }
}

/// A buffer's option: offset of its section, name, clock, page size, and where each CPU's data is.
fn buffer<R: Read + Seek>(input: &mut Input<R>, option: Vec<u8>) -> Result<RecordedBuffer, Error> {
    const WHAT: &str = "the option of a buffer";
    let mut option = Input::new(Cursor::new(option))?;
    let place = option.u64(WHAT)?;
    let name = option.string(WHAT)?;
    let clock = option.string(WHAT)?;
    option.u32(WHAT)?;
    let count = option.u32(WHAT)?;
    if count > MAX_CPUS {
        return Err(Error::invalid(WHAT, place, format!("it has {count} CPUs")));
    }
    let mut cpus = Vec::new();
    for _ in 0..count {
        let cpu = option.u32(WHAT)?;
        let (offset, size) = (option.u64(WHAT)?, option.u64(WHAT)?);
        let size = input.available(offset, size, "the data of a CPU")?;
        cpus.push(CpuData { cpu, offset, size });
    }
    let compressed = section::header(input, place)?.compressed;
    Ok(RecordedBuffer { name, clock, cpus, compressed })
}
