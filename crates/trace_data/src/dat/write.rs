//! Writing a trace.dat file, version 6.

use super::{Error, FLYRECORD_MARK, MAGIC, Metadata, OPTIONS_MARK, id};
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
    /// How many bytes will come: a multiple of the page size, 0 for a CPU without events.
    pub length: u64,
}

/// Writes a trace.dat file of version 6, which needs no seeking. Returns its length.
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
    metadata: &Metadata,
    buffers: &mut [BufferSource<R>],
) -> Result<u64, Error> {
    check(metadata, buffers)?;
    let layout = Layout::new(metadata, buffers);
    let io = |source| Error::Io { what: "writing the file", source };
    out.write_all(&layout.head).map_err(io)?;
    let mut position = layout.head.len() as u64;
    for (buffer, places) in buffers.iter_mut().zip(&layout.places) {
        for (cpu, (source, place)) in buffer.cpus.iter_mut().zip(places).enumerate() {
            if source.length == 0 {
                continue;
            }
            let gap = place - position;
            io::copy(&mut io::repeat(0).take(gap), &mut out).map_err(io)?;
            let mut pages = (&mut source.pages).take(source.length);
            let copied = io::copy(&mut pages, &mut out).map_err(io)?;
            if copied != source.length {
                let reason = format!("{copied} bytes, {} were announced", source.length);
                return Err(Error::Data { cpu, reason });
            }
            position = place + copied;
        }
    }
    out.flush().map_err(io)?;
    Ok(position)
}

/// Errors that would make a file that nobody can read.
fn check<R>(metadata: &Metadata, buffers: &[BufferSource<R>]) -> Result<(), Error> {
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
        if !length.is_multiple_of(u64::from(metadata.page_size)) {
            return Err(Error::Data { cpu, reason: format!("{length} bytes, no whole pages") });
        }
    }
    Ok(())
}

/// Everything in front of the pages, and where those go.
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
        let instances = put_options(&mut head, metadata, buffers);
        let clock = format!("[{}]\n", metadata.options.clock);
        let lengths: Vec<Vec<u64>> =
            buffers.iter().map(|buffer| buffer.cpus.iter().map(|source| source.length).collect()).collect();
        // Every table has its size, so the pages' places are known before the tables are written.
        let tables = buffers.len() * (FLYRECORD_MARK.len() + 16 * cpus) + 8 + clock.len();
        let end = (head.len() + tables) as u64;
        let places = places(end, u64::from(metadata.page_size), &lengths);
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

/// Puts each CPU's pages at a multiple of the page size behind what is in front.
fn places(end: u64, page_size: u64, lengths: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let mut next = end.next_multiple_of(page_size);
    let mut place = |length: &u64| {
        let place = next;
        next += length;
        place
    };
    lengths.iter().map(|lengths| lengths.iter().map(&mut place).collect()).collect()
}

fn put_metadata(head: &mut Vec<u8>, metadata: &Metadata) {
    head.extend(b"header_page\0");
    put_sized64(head, &metadata.header_page);
    head.extend(b"header_event\0");
    put_sized64(head, &metadata.header_event);
    put_formats(head, &metadata.ftrace_formats);
    head.extend((metadata.systems.len() as u32).to_le_bytes());
    for system in &metadata.systems {
        put_string(head, &system.name);
        put_formats(head, &system.formats);
    }
    for text in [&metadata.kallsyms, &metadata.printk_formats] {
        head.extend((text.len() as u32).to_le_bytes());
        head.extend(text.as_bytes());
    }
    put_sized64(head, &metadata.cmdlines_text());
}

/// Returns where in `head` the places of the instances have to be put, once they are known.
fn put_options<R>(head: &mut Vec<u8>, metadata: &Metadata, buffers: &[BufferSource<R>]) -> Vec<usize> {
    head.extend(OPTIONS_MARK);
    for (number, data) in metadata.options.give() {
        put_option(head, number, &data);
    }
    // Says that the clock's name follows the table of the CPUs.
    put_option(head, id::TRACECLOCK, &[]);
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

fn put_option(head: &mut Vec<u8>, number: u16, data: &[u8]) {
    head.extend(number.to_le_bytes());
    head.extend((data.len() as u32).to_le_bytes());
    head.extend(data);
}

fn put_formats(head: &mut Vec<u8>, formats: &[String]) {
    head.extend((formats.len() as u32).to_le_bytes());
    formats.iter().for_each(|format| put_sized64(head, format));
}

fn put_sized64(head: &mut Vec<u8>, text: &str) {
    head.extend((text.len() as u64).to_le_bytes());
    head.extend(text.as_bytes());
}

/// A name, up to its NUL: what stands behind one would be taken for the next thing.
fn put_string(head: &mut Vec<u8>, text: &str) {
    head.extend(crate::bytes::until_nul(text.as_bytes()));
    head.push(0);
}
