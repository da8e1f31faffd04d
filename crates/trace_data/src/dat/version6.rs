//! Version 6: one block after the other, the CPUs' pages at the end.

use super::buffer::{CpuData, MAX_CPUS, RecordedBuffer};
use super::input::Input;
use super::metadata::Metadata;
use super::section::{BLOCKS, metadata, sized64};
use super::{Error, FLYRECORD_MARK, OPTIONS_MARK, id, options};
use std::io::{Read, Seek};

/// Reads everything but the pages; `input` is after the file's first bytes.
pub(super) fn read<R: Read + Seek>(
    input: &mut Input<R>,
    page_size: u32,
) -> Result<(Metadata, Vec<RecordedBuffer>), Error> {
    let mut data = Metadata::new(page_size);
    for block in BLOCKS {
        metadata(block, input, &mut data)?;
    }
    let mut found = BufferOptions { cpus: input.u32("the number of CPUs")?, ..BufferOptions::default() };
    let mut mark = input.array("the mark of the options")?;
    if mark == OPTIONS_MARK {
        found.options(input, &mut data)?;
        mark = input.array("the mark of the CPUs")?;
    }
    let mut buffers = vec![found.buffer(input, String::new(), mark)?];
    if found.has_clock {
        let text = sized64(input, "the clock")?;
        data.options.take_clock(&text);
    }
    for (offset, name) in core::mem::take(&mut found.instances) {
        input.seek(offset, "an instance")?;
        let mark = input.array("the mark of an instance's CPUs")?;
        buffers.push(found.buffer(input, name, mark)?);
    }
    for buffer in &mut buffers {
        buffer.clock.clone_from(&data.options.clock);
    }
    Ok((data, buffers))
}

/// What the options say about the rest of the file.
#[derive(Default)]
struct BufferOptions {
    cpus: u32,
    has_clock: bool,
    instances: Vec<(u64, String)>,
}

impl BufferOptions {
    fn options<R: Read + Seek>(&mut self, input: &mut Input<R>, data: &mut Metadata) -> Result<(), Error> {
        loop {
            let number = input.u16("the number of an option")?;
            if number == id::DONE {
                return Ok(());
            }
            let (offset, bytes) = options::data(input)?;
            match number {
                id::TRACECLOCK => self.has_clock = true,
                id::CPUCOUNT => {
                    let count = crate::bytes::u32_at(&bytes, 0);
                    self.cpus = count.ok_or_else(|| short("the CPU count", offset))?;
                }
                id::BUFFER => {
                    let place = crate::bytes::u64_at(&bytes, 0);
                    let place = place.ok_or_else(|| short("an instance", offset))?;
                    let name = crate::bytes::until_nul(&bytes[8..]);
                    self.instances.push((place, String::from_utf8_lossy(name).into_owned()));
                }
                _ => data.options.take(number, bytes),
            }
        }
    }

    /// Where the pages of each CPU are.
    fn buffer<R: Read + Seek>(
        &self,
        input: &mut Input<R>,
        name: String,
        mark: [u8; 10],
    ) -> Result<RecordedBuffer, Error> {
        const WHAT: &str = "the data of a CPU";
        if mark != FLYRECORD_MARK {
            let found = String::from_utf8_lossy(&mark).into_owned();
            return Err(Error::Unsupported { what: "the kind", found });
        }
        if self.cpus > MAX_CPUS {
            let size = u64::from(self.cpus) * 16;
            return Err(Error::TooLarge { what: "the CPUs", offset: input.position(), size });
        }
        let mut cpus = Vec::new();
        for cpu in 0..self.cpus {
            let (offset, size) = (input.u64(WHAT)?, input.u64(WHAT)?);
            let size = input.available(offset, size, WHAT)?;
            cpus.push(CpuData { cpu, offset, size });
        }
        Ok(RecordedBuffer { name, clock: String::new(), cpus, compressed: false })
    }
}

fn short(what: &'static str, offset: u64) -> Error {
    Error::invalid(what, offset, "the option is too short")
}
