//! Metadata that versions 6 and 7 share: in the first one block after the other, in the second
//! each in a section of its own, which may be compressed.

use super::input::{Input, MAX_BLOCK};
use super::metadata::{Metadata, System, parse_cmdlines};
use super::{Error, id};
use ruzstd::decoding::StreamingDecoder;
use std::io::{Cursor, Read, Seek};

/// Bit in a section's flags: its body is compressed.
const COMPRESSED: u16 = 1;

/// A section of a version 7 file.
pub(super) struct Section {
    pub(super) id: u16,
    pub(super) compressed: bool,
    /// Bytes of the body as it is in the file.
    pub(super) size: u64,
}

/// Reads the header of the section at `offset`.
pub(super) fn header<R: Read + Seek>(input: &mut Input<R>, offset: u64) -> Result<Section, Error> {
    const WHAT: &str = "the header of a section";
    input.seek(offset, WHAT)?;
    let id = input.u16(WHAT)?;
    let flags = input.u16(WHAT)?;
    // A description, as a number into a section of strings.
    input.u32(WHAT)?;
    let size = input.u64(WHAT)?;
    Ok(Section { id, compressed: flags & COMPRESSED != 0, size })
}

/// Reads the section at `offset`, which must be of the kind `expected`.
pub(super) fn read<R: Read + Seek>(
    input: &mut Input<R>,
    offset: u64,
    expected: u16,
) -> Result<Input<Cursor<Vec<u8>>>, Error> {
    const WHAT: &str = "a section";
    let section = header(input, offset)?;
    if section.id != expected {
        let reason = format!("it has the number {}, {expected} is expected", section.id);
        return Err(Error::invalid(WHAT, offset, reason));
    }
    let body = input.position();
    let bytes = if section.compressed {
        let compressed = input.u32(WHAT)?;
        let length = input.u32(WHAT)?;
        let block = input.block(u64::from(compressed), WHAT)?;
        decompress(&block, u64::from(length), body)?
    } else {
        input.block(section.size, WHAT)?
    };
    Input::new(Cursor::new(bytes))
}

/// Decompresses one block of zstd, which must have `length` bytes then.
pub(super) fn decompress(block: &[u8], length: u64, offset: u64) -> Result<Vec<u8>, Error> {
    const WHAT: &str = "a compressed block";
    if length > MAX_BLOCK {
        return Err(Error::TooLarge { what: WHAT, offset, size: length });
    }
    let failed = |reason: String| Error::invalid(WHAT, offset, reason);
    let decoder = StreamingDecoder::new(block).map_err(|error| failed(error.to_string()))?;
    let mut bytes = Vec::new();
    let read = decoder.take(length + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(error.to_string()))?;
    if bytes.len() as u64 != length {
        return Err(failed(format!("it should have {length} bytes, it has {}", bytes.len())));
    }
    Ok(bytes)
}

/// What the blocks of metadata are read by, in their order in a version 6 file.
pub(super) fn metadata<R: Read + Seek>(
    number: u16,
    input: &mut Input<R>,
    metadata: &mut Metadata,
) -> Result<(), Error> {
    match number {
        id::HEADER_INFO => {
            metadata.header_page = marked(input, b"header_page\0", "header_page")?;
            metadata.header_event = marked(input, b"header_event\0", "header_event")?;
        }
        id::FTRACE_EVENTS => {
            metadata.ftrace_formats = formats(input, "the formats of ftrace")?;
        }
        id::EVENT_FORMATS => {
            let count = count(input, 5, "the event systems")?;
            for _ in 0..count {
                let name = input.string("the name of an event system")?;
                let formats = formats(input, "the formats of a system")?;
                metadata.systems.push(System { name, formats });
            }
        }
        id::KALLSYMS => metadata.kallsyms = sized32(input, "kallsyms")?,
        id::PRINTK => metadata.printk_formats = sized32(input, "printk_formats")?,
        id::CMDLINES => {
            metadata.cmdlines = parse_cmdlines(&sized64(input, "saved_cmdlines")?);
        }
        _ => {}
    }
    Ok(())
}

/// Numbers of the blocks of metadata, in their order in a version 6 file.
pub(super) const BLOCKS: [u16; 6] =
    [id::HEADER_INFO, id::FTRACE_EVENTS, id::EVENT_FORMATS, id::KALLSYMS, id::PRINTK, id::CMDLINES];

/// A name that must be there, and the text after it.
fn marked<const N: usize, R: Read + Seek>(
    input: &mut Input<R>,
    mark: &[u8; N],
    what: &'static str,
) -> Result<String, Error> {
    let offset = input.position();
    if input.array::<N>(what)? != *mark {
        return Err(Error::invalid(what, offset, "the mark in front of it is missing"));
    }
    sized64(input, what)
}

fn formats<R: Read + Seek>(input: &mut Input<R>, what: &'static str) -> Result<Vec<String>, Error> {
    let count = count(input, 8, what)?;
    (0..count).map(|_| sized64(input, what)).collect()
}

/// A number of things of which each takes `least` bytes or more.
fn count<R: Read + Seek>(input: &mut Input<R>, least: u64, what: &'static str) -> Result<u32, Error> {
    let count = input.u32(what)?;
    input.check(input.position(), u64::from(count) * least, what)?;
    Ok(count)
}

fn sized32<R: Read + Seek>(input: &mut Input<R>, what: &'static str) -> Result<String, Error> {
    let size = input.u32(what)?;
    input.text(u64::from(size), what)
}

pub(super) fn sized64<R: Read + Seek>(input: &mut Input<R>, what: &'static str) -> Result<String, Error> {
    let size = input.u64(what)?;
    input.text(size, what)
}
