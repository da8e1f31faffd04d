//! Writing version 7: sections, and at the end the options that say where they are.

use super::blocks::{blocks, head};
use super::compress::block;
use super::output::{option, string};
use super::source::BufferSource;
use super::{Error, Metadata, id};
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
    let mut head = head(b"7\0", metadata);
    head.extend(if compressed { ZSTD } else { b"none\0\0" });
    let place_of_options = head.len();
    head.extend([0; 8]);
    let mut options = Vec::new();
    for (number, body) in blocks(metadata) {
        options.extend(option(number, &(head.len() as u64).to_le_bytes()));
        put_section(&mut head, number, &body, compressed);
    }
    options.extend(metadata.options.give().iter().flat_map(|(number, data)| option(*number, data)));
    // KernelShark finds as many CPUs as it is told of here, and events of no others.
    let cpus = buffers.iter().map(|buffer| buffer.cpus.len()).max().unwrap_or(0) as u32;
    options.extend(option(id::CPUCOUNT, &cpus.to_le_bytes()));
    let alignment = if compressed { 1 } else { u64::from(metadata.page_size) };
    let mut end = head.len() as u64;
    let mut all = Vec::new();
    for buffer in buffers.iter() {
        let start = end;
        let (places, after) = buffer.places(start + HEADER as u64, alignment);
        end = after;
        options.extend(option(id::BUFFER, &buffer_option(metadata, buffer, start, &places)));
        all.push((start, end, places));
    }
    options.extend(option(id::DONE, &0u64.to_le_bytes()));
    head[place_of_options..place_of_options + 8].copy_from_slice(&end.to_le_bytes());
    out.write_all(&head).map_err(io)?;
    let mut position = head.len() as u64;
    for (buffer, (start, end, places)) in buffers.iter_mut().zip(&all) {
        let size = end - start - HEADER as u64;
        out.write_all(&header(id::BUFFER, compressed, size)).map_err(io)?;
        position = buffer.copy(out, places, position + HEADER as u64)?;
    }
    out.write_all(&header(id::DONE, false, options.len() as u64)).map_err(io)?;
    out.write_all(&options).map_err(io)?;
    Ok(position + (HEADER + options.len()) as u64)
}

fn header(number: u16, compressed: bool, size: u64) -> Vec<u8> {
    // Bytes 4 to 8 would name a description.
    [&number.to_le_bytes()[..], &u16::from(compressed).to_le_bytes(), &[0; 4], &size.to_le_bytes()].concat()
}

fn put_section(head: &mut Vec<u8>, number: u16, body: &[u8], compressed: bool) {
    let block = if compressed { block(body) } else { body.to_vec() };
    head.extend(header(number, compressed, block.len() as u64));
    head.extend(block);
}

/// Where a buffer's section is, its name and clock, and where the data of each CPU is.
fn buffer_option<R>(metadata: &Metadata, buffer: &BufferSource<R>, start: u64, places: &[u64]) -> Vec<u8> {
    let [name, clock] = [&buffer.name, &metadata.options.clock].map(|text| string(text));
    let count = (buffer.cpus.len() as u32).to_le_bytes();
    let mut data =
        [&start.to_le_bytes()[..], &name, &clock, &metadata.page_size.to_le_bytes(), &count].concat();
    for (cpu, (source, place)) in buffer.cpus.iter().zip(places).enumerate() {
        data.extend((cpu as u32).to_le_bytes());
        data.extend(place.to_le_bytes());
        data.extend(source.length.to_le_bytes());
    }
    data
}
