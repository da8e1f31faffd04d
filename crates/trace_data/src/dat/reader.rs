//! A trace.dat file, opened.

use super::buffer::CpuData;
use super::input::Input;
use super::metadata::Metadata;
use super::section::decompress;
use super::{Error, MAGIC, RecordedBuffer, Supplement, version6, version7};
use crate::merge::Pages;
use std::io::{Read, Seek};

/// A trace.dat file: its metadata, and access to its pages.
///
/// ```no_run
/// use trace_data::{dat::Recording, merge::Merge, print::Dialect, record::Records};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut recording = Recording::open(std::fs::File::open("trace.dat")?)?;
/// let events = recording.metadata().events(Dialect::Report)?;
/// let mut records = Merge::new(recording.pages(0).ok_or("no buffer")?)?;
/// while let Some(record) = records.next()? {
///     let name = events.of(record.payload).map(|event| event.format().name.as_str());
///     println!("[{:03}] {} {}", record.cpu, record.time, name.unwrap_or("?"));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Recording<R> {
    input: Input<R>,
    metadata: Metadata,
    buffers: Vec<RecordedBuffer>,
}

impl<R: Read + Seek> Recording<R> {
    /// Reads everything but the pages.
    ///
    /// # Errors
    ///
    /// When the file is no trace.dat file of a little-endian 64-bit machine, of a version or
    /// compression other than those named in the [module](super), or damaged.
    pub fn open(file: R) -> Result<Recording<R>, Error> {
        let mut input = Input::new(file)?;
        let magic = input.array("the mark of the file").map_err(|_| Error::NotADatFile)?;
        if magic != MAGIC {
            return Err(Error::NotADatFile);
        }
        let version = input.string("the version")?;
        let endian = input.u8("the byte order")?;
        let long_size = input.u8("the size of long")?;
        let offset = input.position();
        let page_size = input.u32("the page size")?;
        if endian != 0 {
            return Err(Error::Unsupported { what: "the byte order", found: "big-endian".into() });
        }
        if long_size != 8 {
            return Err(Error::Unsupported { what: "the size of long", found: long_size.to_string() });
        }
        if !(abi::page::HEADER_SIZE..=abi::page::MAX_SIZE).contains(&(page_size as usize)) {
            let reason = format!("no page has {page_size} bytes");
            return Err(Error::invalid("the page size", offset, reason));
        }
        let (mut metadata, buffers) = match version.as_str() {
            "6" => version6::read(&mut input, page_size)?,
            "7" => version7::read(&mut input, page_size)?,
            _ => return Err(Error::Unsupported { what: "the version", found: version }),
        };
        metadata.supplement = Supplement::read(&mut input)?;
        Ok(Recording { input, metadata, buffers })
    }

    /// What is needed to understand the recording.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The buffers; the top one is the first.
    pub fn buffers(&self) -> &[RecordedBuffer] {
        &self.buffers
    }

    /// The pages of all CPUs of the buffer at `index`. `None` when there is no such buffer.
    pub fn pages(&mut self, index: usize) -> Option<BufferPages<'_, R>> {
        let buffer = self.buffers.get(index)?;
        let place =
            |data: &CpuData| Place { next: data.offset, end: data.offset + data.size, ..Place::default() };
        let places = buffer.cpus.iter().map(place).collect();
        let page_size = self.metadata.page_size as usize;
        Some(BufferPages { input: &mut self.input, buffer, places, page_size })
    }
}

/// The pages of one buffer, read one at a time as they are asked for.
///
/// A stream is the position of a CPU in [`RecordedBuffer::cpus`].
#[derive(Debug)]
pub struct BufferPages<'a, R> {
    input: &'a mut Input<R>,
    buffer: &'a RecordedBuffer,
    places: Vec<Place>,
    page_size: usize,
}

/// How far the pages of a CPU have been read.
#[derive(Debug, Default)]
struct Place {
    /// Where the next page, or compressed chunk, is.
    next: u64,
    /// Where the data of the CPU ends.
    end: u64,
    /// Chunks to come; unknown before the first one.
    chunks: Option<u32>,
    /// Pages of the current chunk.
    chunk: Vec<u8>,
    /// Bytes of it that have been handed out.
    used: usize,
}

impl<R: Read + Seek> BufferPages<'_, R> {
    fn plain(&mut self, stream: usize, page: &mut Vec<u8>) -> Result<bool, Error> {
        const WHAT: &str = "a page";
        let place = &mut self.places[stream];
        let size = (place.end - place.next).min(self.page_size as u64);
        if size == 0 {
            return Ok(false);
        }
        self.input.seek(place.next, WHAT)?;
        page.resize(size as usize, 0);
        self.input.fill(page, WHAT)?;
        place.next += size;
        Ok(true)
    }

    fn compressed(&mut self, stream: usize, page: &mut Vec<u8>) -> Result<bool, Error> {
        let place = &mut self.places[stream];
        while place.used == place.chunk.len() {
            if !place.next_chunk(self.input)? {
                return Ok(false);
            }
        }
        let rest = &place.chunk[place.used..];
        let size = rest.len().min(self.page_size);
        page.clear();
        page.extend_from_slice(&rest[..size]);
        place.used += size;
        Ok(true)
    }
}

impl Place {
    /// Decompresses the next chunk. A CPU's data is their number and then, for each, its size, the
    /// size of its pages, and itself. The size that trace-cmd records for all of it leaves the
    /// number out, so the chunks are bounded by the file alone.
    fn next_chunk<R: Read + Seek>(&mut self, input: &mut Input<R>) -> Result<bool, Error> {
        const WHAT: &str = "compressed pages";
        input.seek(self.next, WHAT)?;
        let chunks = match self.chunks {
            Some(chunks) => chunks,
            None if self.next == self.end => 0,
            None => input.u32(WHAT)?,
        };
        if chunks == 0 {
            return Ok(false);
        }
        let compressed = u64::from(input.u32(WHAT)?);
        let length = u64::from(input.u32(WHAT)?);
        let offset = input.position();
        let block = input.block(compressed, WHAT)?;
        self.chunk = decompress(&block, length, offset)?;
        self.used = 0;
        self.next = input.position();
        self.chunks = Some(chunks - 1);
        Ok(true)
    }
}

impl<R: Read + Seek> Pages for BufferPages<'_, R> {
    type Error = Error;

    fn streams(&self) -> usize {
        self.places.len()
    }

    fn cpu(&self, stream: usize) -> u32 {
        self.buffer.cpus[stream].cpu
    }

    fn next_page(&mut self, stream: usize, page: &mut Vec<u8>) -> Result<bool, Error> {
        if self.buffer.compressed { self.compressed(stream, page) } else { self.plain(stream, page) }
    }
}
