//! Writing version 6: one block after the other, the CPUs' pages at the end.

use super::blocks::{blocks, head};
use super::output::{option, sized64, string};
use super::source::BufferSource;
use super::{Error, FLYRECORD_MARK, Metadata, OPTIONS_MARK, id};
use std::io::{Read, Write};

/// Writes everything but the supplement. Gives the length.
pub(super) fn write<W: Write, R: Read>(
    out: &mut W,
    metadata: &Metadata,
    buffers: &mut [BufferSource<R>],
) -> Result<u64, Error> {
    let mut head = head(b"6\0", metadata);
    head.extend(blocks(metadata).into_iter().flat_map(|(_, block)| block));
    let cpus = buffers.first().map_or(0, |top| top.cpus.len());
    head.extend((cpus as u32).to_le_bytes());
    head.extend(OPTIONS_MARK);
    head.extend(metadata.options.give().iter().flat_map(|(number, data)| option(*number, data)));
    let clock = format!("[{}]\n", metadata.options.clock);
    // Says that the clock's name follows the table of the CPUs. trace-cmd 3.1 looks for it here, too, to the
    // next zero byte: of an empty option that is whatever lies after it in its memory.
    head.extend(option(id::TRACECLOCK, &string(&clock)));
    let mut instances = Vec::new();
    for buffer in buffers.iter().skip(1) {
        let data = [&[0; 8][..], &string(&buffer.name)].concat();
        head.extend(option(id::BUFFER, &data));
        instances.push(head.len() - data.len());
    }
    head.extend(id::DONE.to_le_bytes());
    // Every table has its size, so the pages' places are known before the tables are written.
    let tables = buffers.len() * (FLYRECORD_MARK.len() + 16 * cpus) + 8 + clock.len();
    let mut end = (head.len() + tables) as u64;
    let mut all = Vec::new();
    for (number, buffer) in buffers.iter().enumerate() {
        if let Some(place) = number.checked_sub(1).map(|instance| instances[instance]) {
            let table = (head.len() as u64).to_le_bytes();
            head[place..place + 8].copy_from_slice(&table);
        }
        let (places, after) = buffer.places(end, u64::from(metadata.page_size));
        end = after;
        head.extend(FLYRECORD_MARK);
        for (place, source) in places.iter().zip(&buffer.cpus) {
            head.extend(place.to_le_bytes());
            head.extend(source.length.to_le_bytes());
        }
        if number == 0 {
            head.extend(sized64(&clock));
        }
        all.push(places);
    }
    out.write_all(&head).map_err(|source| Error::Io { what: "writing the file", source })?;
    let mut position = head.len() as u64;
    for (buffer, places) in buffers.iter_mut().zip(&all) {
        position = buffer.copy(out, places, position)?;
    }
    Ok(position)
}
