//! Writing version 7: sections, and at the end the options that say where they are.

use super::compress::block;
use super::write::{BufferSource, copy, places, put_formats, put_option, put_sized64, put_string};
use super::{Error, MAGIC, Metadata, id};
use std::io::{Read, Write};

/// Bytes of a section's header.
const HEADER: usize = 16;

/// What files compressed here say about how: the format is that of zstd's first version and all later ones.
const ZSTD: &[u8] = b"zstd\x001.0.0\0";

/// Writes everything but the supplement. The pages are compressed already, if they are to be.
pub(super) fn write<W: Write, R: Read>(
    out: &mut W,
    metadata: &Metadata,
    buffers: &mut [BufferSource<R>],
    compressed: bool,
) -> Result<u64, Error> {
    let io = |source| Error::Io { what: "writing the file", source };
    let mut head = Vec::new();
    head.extend(MAGIC);
    head.extend(b"7\0");
    // Little-endian, and 8 bytes for `long`.
    head.extend([0, 8]);
    head.extend(metadata.page_size.to_le_bytes());
    head.extend(if compressed { ZSTD } else { b"none\0\0" });
    let place_of_options = head.len();
    head.extend([0; 8]);
    let mut options = Vec::new();
    for (number, body) in blocks(metadata) {
        put_option(&mut options, number, &(head.len() as u64).to_le_bytes());
        put_section(&mut head, number, &body, compressed);
    }
    for (number, data) in metadata.options.give() {
        put_option(&mut options, number, &data);
    }
    // KernelShark finds as many CPUs as it is told of here, and events of no others.
    let cpus = buffers.iter().map(|buffer| buffer.cpus.len()).max().unwrap_or(0) as u32;
    put_option(&mut options, id::CPUCOUNT, &cpus.to_le_bytes());
    let alignment = if compressed { 1 } else { u64::from(metadata.page_size) };
    let mut end = head.len() as u64;
    let mut all = Vec::new();
    for buffer in buffers.iter() {
        let lengths: Vec<u64> = buffer.cpus.iter().map(|source| source.length).collect();
        let start = end;
        let (places, after) = places(start + HEADER as u64, alignment, &lengths);
        end = after;
        put_option(&mut options, id::BUFFER, &buffer_option(metadata, buffer, start, &places));
        all.push((start, end, places));
    }
    put_option(&mut options, id::DONE, &0u64.to_le_bytes());
    head[place_of_options..place_of_options + 8].copy_from_slice(&end.to_le_bytes());
    out.write_all(&head).map_err(io)?;
    let mut position = head.len() as u64;
    for (buffer, (start, end, places)) in buffers.iter_mut().zip(&all) {
        let size = end - start - HEADER as u64;
        out.write_all(&header(id::BUFFER, compressed, size)).map_err(io)?;
        position = copy(out, buffer, places, position + HEADER as u64)?;
    }
    out.write_all(&header(id::DONE, false, options.len() as u64)).map_err(io)?;
    out.write_all(&options).map_err(io)?;
    Ok(position + (HEADER + options.len()) as u64)
}

fn header(number: u16, compressed: bool, size: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..2].copy_from_slice(&number.to_le_bytes());
    header[2..4].copy_from_slice(&u16::from(compressed).to_le_bytes());
    // Bytes 4 to 8 would name a description.
    header[8..].copy_from_slice(&size.to_le_bytes());
    header
}

fn put_section(head: &mut Vec<u8>, number: u16, body: &[u8], compressed: bool) {
    let block = if compressed { block(body) } else { body.to_vec() };
    head.extend(header(number, compressed, block.len() as u64));
    head.extend(block);
}

/// The blocks of metadata, as in version 6, each for a section of its own.
fn blocks(metadata: &Metadata) -> [(u16, Vec<u8>); 6] {
    let block = |put: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        put(&mut bytes);
        bytes
    };
    [
        (id::HEADER_INFO, block(&|bytes| super::write::put_headers(bytes, metadata))),
        (id::FTRACE_EVENTS, block(&|bytes| put_formats(bytes, &metadata.ftrace_formats))),
        (id::EVENT_FORMATS, block(&|bytes| super::write::put_systems(bytes, metadata))),
        (id::KALLSYMS, block(&|bytes| super::write::put_sized32(bytes, &metadata.kallsyms))),
        (id::PRINTK, block(&|bytes| super::write::put_sized32(bytes, &metadata.printk_formats))),
        (id::CMDLINES, block(&|bytes| put_sized64(bytes, &metadata.cmdlines_text()))),
    ]
}

/// Where a buffer's section is, its name and clock, and where the data of each CPU is.
fn buffer_option<R>(metadata: &Metadata, buffer: &BufferSource<R>, start: u64, places: &[u64]) -> Vec<u8> {
    let mut data = start.to_le_bytes().to_vec();
    put_string(&mut data, &buffer.name);
    put_string(&mut data, &metadata.options.clock);
    data.extend(metadata.page_size.to_le_bytes());
    data.extend((buffer.cpus.len() as u32).to_le_bytes());
    for (cpu, (source, place)) in buffer.cpus.iter().zip(places).enumerate() {
        data.extend((cpu as u32).to_le_bytes());
        data.extend(place.to_le_bytes());
        data.extend(source.length.to_le_bytes());
    }
    data
}
