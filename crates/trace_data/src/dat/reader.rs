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
        Recording::read(Input::new(file)?)
    }

    /// Reads everything but the pages of a file that may have been truncated, and why pages are missing at
    /// its end, if they are.
    ///
    /// # Errors
    ///
    /// Those of [`Recording::open`], for what comes before the pages.
    pub fn open_truncated(file: R) -> Result<(Recording<R>, Option<Error>), Error> {
        let mut input = Input::new(file)?;
        input.allow_truncation();
        let mut recording = Recording::read(input)?;
        let truncation = recording.input.take_truncation();
        Ok((recording, truncation))
    }

    fn read(mut input: Input<R>) -> Result<Recording<R>, Error> {
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
        self.pages_of(&[index])
    }

    /// The pages of all CPUs of these buffers, one buffer after the other. `None` when one isn't there.
    pub fn pages_of(&mut self, indices: &[usize]) -> Option<BufferPages<'_, R>> {
        let places = BufferPlaces::new(&self.buffers, indices, self.metadata.page_size)?;
        Some(BufferPages { input: HeldInput::Borrowed(&mut self.input), places })
    }

    /// Those pages for one who keeps them, with the file. `None` when there is no such buffer.
    pub fn into_pages_of(self, indices: &[usize]) -> Option<BufferPages<'static, R>> {
        let places = BufferPlaces::new(&self.buffers, indices, self.metadata.page_size)?;
        Some(BufferPages { input: HeldInput::Owned(self.input), places })
    }
}

/// The pages of some buffers, read one at a time as they are asked for.
///
/// A stream is a CPU of a buffer: those of the first in the order of [`RecordedBuffer::cpus`], then those of
/// the next.
#[derive(Debug)]
pub struct BufferPages<'a, R> {
    input: HeldInput<'a, R>,
    places: BufferPlaces,
}

/// The file, or that of who reads its pages for a time.
#[derive(Debug)]
enum HeldInput<'a, R> {
    Borrowed(&'a mut Input<R>),
    Owned(Input<R>),
}

/// Where the pages of some buffers are in the file.
#[derive(Debug)]
struct BufferPlaces {
    cpus: Vec<(u32, Place)>,
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
    is_compressed: bool,
    /// Where the page that was read last is, or the chunk that has it.
    read: u64,
}

impl BufferPlaces {
    /// None when one of the buffers isn't there.
    fn new(buffers: &[RecordedBuffer], indices: &[usize], page_size: u32) -> Option<BufferPlaces> {
        let mut cpus = Vec::new();
        for index in indices {
            let buffer = buffers.get(*index)?;
            cpus.extend(buffer.cpus.iter().map(|data| (data.cpu, Place::of(data, buffer.compressed))));
        }
        Some(BufferPlaces { cpus, page_size: page_size as usize })
    }

    fn next_page<R: Read + Seek>(
        &mut self,
        input: &mut Input<R>,
        stream: usize,
        page: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let place = &mut self.cpus[stream].1;
        match place.is_compressed {
            true => place.compressed_page(input, self.page_size, page),
            false => place.plain_page(input, self.page_size, page),
        }
    }
}

impl Place {
    fn of(data: &CpuData, is_compressed: bool) -> Place {
        Place { next: data.offset, end: data.offset + data.size, is_compressed, ..Place::default() }
    }

    fn plain_page<R: Read + Seek>(
        &mut self,
        input: &mut Input<R>,
        page_size: usize,
        page: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        const WHAT: &str = "a page";
        let size = (self.end - self.next).min(page_size as u64);
        if size == 0 {
            return Ok(false);
        }
        let at = self.next;
        // What can't be read isn't asked for again.
        self.next = self.end;
        input.seek(at, WHAT)?;
        page.resize(size as usize, 0);
        input.fill(page, WHAT)?;
        (self.read, self.next) = (at, at + size);
        Ok(true)
    }

    fn compressed_page<R: Read + Seek>(
        &mut self,
        input: &mut Input<R>,
        page_size: usize,
        page: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        while self.used == self.chunk.len() {
            let left = self.chunks;
            // What comes after a chunk that can't be found isn't found, either.
            self.chunks = Some(0);
            if !self.next_chunk(input, left)? {
                return Ok(false);
            }
        }
        let rest = &self.chunk[self.used..];
        let size = rest.len().min(page_size);
        page.clear();
        page.extend_from_slice(&rest[..size]);
        self.used += size;
        Ok(true)
    }

    /// Decompresses the next chunk. A CPU's data is their number and then, for each, its size, the
    /// size of its pages, and itself. The size that trace-cmd records for all of it leaves the
    /// number out, so the chunks are bounded by the file alone.
    fn next_chunk<R: Read + Seek>(&mut self, input: &mut Input<R>, left: Option<u32>) -> Result<bool, Error> {
        const WHAT: &str = "compressed pages";
        input.seek(self.next, WHAT)?;
        let chunks = match left {
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
        (self.read, self.next, self.chunks) = (offset, input.position(), Some(chunks - 1));
        self.chunk = decompress(&block, length, offset)?;
        self.used = 0;
        Ok(true)
    }
}

impl<R> BufferPages<'_, R> {
    /// Where the page of `stream` that was read last is in the file, or the compressed chunk that has it.
    pub(super) fn offset(&self, stream: usize) -> u64 {
        self.places.cpus[stream].1.read
    }

    pub(super) fn page_size(&self) -> usize {
        self.places.page_size
    }
}

impl<R: Read + Seek> Pages for BufferPages<'_, R> {
    type Error = Error;

    fn streams(&self) -> usize {
        self.places.cpus.len()
    }

    fn cpu(&self, stream: usize) -> u32 {
        self.places.cpus[stream].0
    }

    fn next_page(&mut self, stream: usize, page: &mut Vec<u8>) -> Result<bool, Error> {
        let input = match &mut self.input {
            HeldInput::Borrowed(input) => input,
            HeldInput::Owned(input) => input,
        };
        self.places.next_page(input, stream, page)
    }
}
