//! Writing a trace.dat file: version 6, and what it has in common with version 7.

use super::{Error, FLYRECORD_MARK, MAGIC, Metadata, OPTIONS_MARK, id, write7};
use std::io::{self, Read, Write};

/// A buffer to be written: the top one, or an instance.
#[derive(Debug)]
pub struct BufferSource<R> {
    /// The name of the instance; the top buffer, which comes first, has none.
    pub name: String,
    /// The pages of each CPU, by its number.
    pub cpus: Vec<CpuSource<R>>,
}

/// The pages of a CPU to be written.
#[derive(Debug)]
pub struct CpuSource<R> {
    /// Where they come from.
    pub pages: R,
    /// How many bytes will come: a multiple of the page size, or what [`super::compress()`] has returned. 0
    /// for a CPU without events.
    pub length: u64,
}

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
        Version::Six => write6(&mut out, metadata, buffers)?,
        Version::Seven => write7::write(&mut out, metadata, buffers, false)?,
        Version::SevenCompressed => write7::write(&mut out, metadata, buffers, true)?,
    };
    let io = |source| Error::Io { what: "writing the file", source };
    let supplement = metadata.supplement.to_bytes(length);
    out.write_all(&supplement).map_err(io)?;
    out.flush().map_err(io)?;
    Ok(length + supplement.len() as u64)
}

fn write6<W: Write, R: Read>(
    out: &mut W,
    metadata: &Metadata,
    buffers: &mut [BufferSource<R>],
) -> Result<u64, Error> {
    let layout = Layout::new(metadata, buffers);
    out.write_all(&layout.head).map_err(|source| Error::Io { what: "writing the file", source })?;
    let mut position = layout.head.len() as u64;
    for (buffer, places) in buffers.iter_mut().zip(&layout.places) {
        position = copy(out, buffer, places, position)?;
    }
    Ok(position)
}

/// Copies a buffer's pages to their places, from `position` on. Gives the position after them.
pub(super) fn copy<W: Write, R: Read>(
    out: &mut W,
    buffer: &mut BufferSource<R>,
    places: &[u64],
    mut position: u64,
) -> Result<u64, Error> {
    let io = |source| Error::Io { what: "writing the file", source };
    for (cpu, (source, place)) in buffer.cpus.iter_mut().zip(places).enumerate() {
        if source.length == 0 {
            continue;
        }
        io::copy(&mut io::repeat(0).take(place - position), out).map_err(io)?;
        let copied = io::copy(&mut (&mut source.pages).take(source.length), out).map_err(io)?;
        if copied != source.length {
            let reason = format!("{copied} bytes, {} were announced", source.length);
            return Err(Error::Data { cpu, reason });
        }
        position = place + copied;
    }
    Ok(position)
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

/// Everything before the pages, and where those go.
struct Layout {
    head: Vec<u8>,
    /// The offset of each CPU's pages, for each buffer.
    places: Vec<Vec<u64>>,
}

impl Layout {
    fn new<R>(metadata: &Metadata, buffers: &[BufferSource<R>]) -> Layout {
        let mut head = Vec::new();
        head.extend(MAGIC);
        head.extend(b"6\0");
        // Little-endian, and 8 bytes for `long`.
        head.extend([0, 8]);
        head.extend(metadata.page_size.to_le_bytes());
        put_metadata(&mut head, metadata);
        let cpus = buffers.first().map_or(0, |top| top.cpus.len());
        head.extend((cpus as u32).to_le_bytes());
        let clock = format!("[{}]\n", metadata.options.clock);
        let instances = put_options(&mut head, metadata, &clock, buffers);
        let lengths: Vec<Vec<u64>> =
            buffers.iter().map(|buffer| buffer.cpus.iter().map(|source| source.length).collect()).collect();
        // Every table has its size, so the pages' places are known before the tables are written.
        let tables = buffers.len() * (FLYRECORD_MARK.len() + 16 * cpus) + 8 + clock.len();
        let end = (head.len() + tables) as u64;
        let mut end = end;
        let mut place = |lengths: &Vec<u64>| {
            let (places, after) = places(end, u64::from(metadata.page_size), lengths);
            end = after;
            places
        };
        let places: Vec<Vec<u64>> = lengths.iter().map(&mut place).collect();
        for (number, (places, lengths)) in places.iter().zip(&lengths).enumerate() {
            if let Some(patch) = number.checked_sub(1).map(|instance| instances[instance]) {
                let place = (head.len() as u64).to_le_bytes();
                head[patch..patch + 8].copy_from_slice(&place);
            }
            head.extend(FLYRECORD_MARK);
            for (place, length) in places.iter().zip(lengths) {
                head.extend(place.to_le_bytes());
                head.extend(length.to_le_bytes());
            }
            if number == 0 {
                put_sized64(&mut head, &clock);
            }
        }
        Layout { head, places }
    }
}

/// Puts each CPU's pages at a multiple of `alignment` after what is in front. Gives their places, and the
/// end of all of them.
pub(super) fn places(end: u64, alignment: u64, lengths: &[u64]) -> (Vec<u64>, u64) {
    let start = end.next_multiple_of(alignment);
    let mut next = start;
    let mut place = |length: &u64| {
        let place = next;
        next += length;
        place
    };
    let places = lengths.iter().map(&mut place).collect();
    (places, if next > start { next } else { end })
}

fn put_metadata(head: &mut Vec<u8>, metadata: &Metadata) {
    put_headers(head, metadata);
    put_formats(head, &metadata.ftrace_formats);
    put_systems(head, metadata);
    put_sized32(head, &metadata.kallsyms);
    put_sized32(head, &metadata.printk_formats);
    put_sized64(head, &metadata.cmdlines_text());
}

pub(super) fn put_headers(head: &mut Vec<u8>, metadata: &Metadata) {
    head.extend(b"header_page\0");
    put_sized64(head, &metadata.header_page);
    head.extend(b"header_event\0");
    put_sized64(head, &metadata.header_event);
}

pub(super) fn put_systems(head: &mut Vec<u8>, metadata: &Metadata) {
    head.extend((metadata.systems.len() as u32).to_le_bytes());
    for system in &metadata.systems {
        put_string(head, &system.name);
        put_formats(head, &system.formats);
    }
}

pub(super) fn put_sized32(head: &mut Vec<u8>, text: &str) {
    head.extend((text.len() as u32).to_le_bytes());
    head.extend(text.as_bytes());
}

/// Returns where in `head` the places of the instances have to be put, once they are known.
fn put_options<R>(
    head: &mut Vec<u8>,
    metadata: &Metadata,
    clock: &str,
    buffers: &[BufferSource<R>],
) -> Vec<usize> {
    head.extend(OPTIONS_MARK);
    for (number, data) in metadata.options.give() {
        put_option(head, number, &data);
    }
    // Says that the clock's name follows the table of the CPUs. trace-cmd 3.1 looks for it here, too, to the
    // next zero byte: of an empty option that is whatever lies after it in its memory.
    put_option(head, id::TRACECLOCK, &[clock.as_bytes(), &[0]].concat());
    let mut instances = Vec::new();
    for buffer in buffers.iter().skip(1) {
        let mut data = vec![0; 8];
        put_string(&mut data, &buffer.name);
        put_option(head, id::BUFFER, &data);
        instances.push(head.len() - data.len());
    }
    head.extend(id::DONE.to_le_bytes());
    instances
}

pub(super) fn put_option(head: &mut Vec<u8>, number: u16, data: &[u8]) {
    head.extend(number.to_le_bytes());
    head.extend((data.len() as u32).to_le_bytes());
    head.extend(data);
}

pub(super) fn put_formats(head: &mut Vec<u8>, formats: &[String]) {
    head.extend((formats.len() as u32).to_le_bytes());
    formats.iter().for_each(|format| put_sized64(head, format));
}

pub(super) fn put_sized64(head: &mut Vec<u8>, text: &str) {
    head.extend((text.len() as u64).to_le_bytes());
    head.extend(text.as_bytes());
}

/// A name, up to its NUL: what follows one would be taken for the next thing.
pub(super) fn put_string(head: &mut Vec<u8>, text: &str) {
    head.extend(crate::bytes::until_nul(text.as_bytes()));
    head.push(0);
}
