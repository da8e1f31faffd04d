//! Copying what a session's buffers hold, and leaving it there.

use crate::translate::Translator;
use abi::page::DEFAULT_SIZE;
use ring_buffer::{Buffer, Held, PageCopy};
use std::convert::Infallible;
use std::ops::RangeInclusive;
use trace_data::merge::{Merge, Pages};
use trace_data::record::{PagePacker, Record, Records};
use trace_data::symbols::SymbolTable;

/// Events that were copied: pages of each CPU that has some, in the order of time.
#[derive(Debug)]
pub struct Copied {
    /// The CPUs, each with its pages.
    pub cpus: Vec<(u32, Vec<Vec<u8>>)>,
    /// Names of the addresses in them.
    pub symbols: SymbolTable,
    /// How many were there, of all CPUs.
    pub entries: u64,
    /// How many had been overwritten.
    pub overrun: u64,
}

/// Events that are being copied.
pub(crate) struct Copying<'a> {
    translator: Translator<'a>,
    streams: Vec<Stream>,
    /// The CPU whose events are wanted; None for all.
    cpu: Option<u32>,
    entries: u64,
}

impl<'a> Copying<'a> {
    pub(crate) fn new(translator: Translator<'a>, cpus: u32, cpu: Option<u32>) -> Copying<'a> {
        Copying { translator, streams: (0..cpus).map(|_| Stream::new()).collect(), cpu, entries: 0 }
    }

    /// Adds those of a buffer that are of these times, none of which is before what was added already. How
    /// many they are, of all CPUs.
    pub(crate) fn add(
        &mut self,
        blocks: Blocks<impl FnMut(u32, &mut [u8]) -> Option<PageCopy>>,
        times: RangeInclusive<u64>,
    ) -> u64 {
        let before = self.entries;
        let Ok(mut merge) = Merge::new(blocks);
        while let Ok(Some(record)) = merge.next() {
            if !times.contains(&record.time) {
                continue;
            }
            let Some(record) = self.translator.translate(&record) else { continue };
            self.entries += 1;
            let wanted = self.cpu.is_none_or(|cpu| cpu == record.cpu);
            if let Some(stream) = self.streams.get_mut(record.cpu as usize).filter(|_| wanted) {
                stream.push(&record);
            }
        }
        self.entries - before
    }

    /// All of them, of which the names of the addresses and the number of those overwritten are still to be
    /// told.
    pub(crate) fn finish(self) -> Copied {
        let pages = (0..).zip(self.streams).map(|(cpu, stream)| (cpu, stream.finish()));
        let cpus = pages.filter(|(_, pages)| !pages.is_empty()).collect();
        Copied { cpus, symbols: SymbolTable::default(), entries: self.entries, overrun: 0 }
    }
}

/// A CPU's events on their way into pages.
struct Stream {
    packer: PagePacker,
    pages: Vec<Vec<u8>>,
}

impl Stream {
    fn new() -> Stream {
        Stream { packer: PagePacker::new(DEFAULT_SIZE), pages: Vec::new() }
    }

    fn push(&mut self, record: &Record<'_>) {
        if !self.packer.push(record) {
            self.pages.extend(self.packer.finish().map(<[u8]>::to_vec));
            // One that fits no page can't have been in one.
            self.packer.push(record);
        }
    }

    fn finish(mut self) -> Vec<Vec<u8>> {
        self.pages.extend(self.packer.finish().map(<[u8]>::to_vec));
        self.pages
    }
}

/// Puts the next events of a block into a page each time, as long as there are some, and leaves them there.
pub(crate) fn pages_of(buffer: &Buffer) -> impl FnMut(u32, &mut [u8]) -> Option<PageCopy> {
    let mut cursors: Vec<_> = (0..buffer.geometry().blocks()).map(|block| buffer.cursor(block)).collect();
    move |block, page| cursors.get_mut(block as usize)?.advance(page)
}

/// All blocks of a buffer, read like that.
pub(crate) fn live_blocks(buffer: &Buffer) -> Blocks<impl FnMut(u32, &mut [u8]) -> Option<PageCopy>> {
    Blocks::new(buffer, |block| buffer.capacity(block), pages_of(buffer))
}

/// Pages of blocks, as by [`pages_of`], of a snapshot with so many blocks.
pub(crate) fn pages_of_snapshot(
    snapshot: &Held<'_>,
    blocks: u32,
) -> impl FnMut(u32, &mut [u8]) -> Option<PageCopy> {
    let mut positions = vec![0; blocks as usize];
    move |block, page| {
        let position = positions.get_mut(block as usize)?;
        let taken = snapshot.read(block, *position, page)?;
        *position = taken.next_event();
        Some(taken)
    }
}

/// All blocks of a buffer, or of a snapshot, page by page as a function gives them.
pub(crate) struct Blocks<F> {
    next: F,
    /// What each block may still give: writers go on meanwhile, so at most a lap.
    bytes: Vec<u64>,
    page_size: u64,
}

impl<F: FnMut(u32, &mut [u8]) -> Option<PageCopy>> Blocks<F> {
    /// `next` puts the next events of a block into a page; `limit` says how many bytes there are at most.
    pub(crate) fn new(buffer: &Buffer, limit: impl Fn(u32) -> u64, next: F) -> Blocks<F> {
        let bytes = (0..buffer.geometry().blocks()).map(limit).collect();
        Blocks { next, bytes, page_size: buffer.geometry().page_size }
    }
}

impl<F: FnMut(u32, &mut [u8]) -> Option<PageCopy>> Pages for Blocks<F> {
    type Error = Infallible;

    fn streams(&self) -> usize {
        self.bytes.len()
    }

    fn cpu(&self, stream: usize) -> u32 {
        stream as u32
    }

    fn next_page(&mut self, stream: usize, page: &mut Vec<u8>) -> Result<bool, Infallible> {
        let Some(left) = self.bytes.get_mut(stream).filter(|left| **left > 0) else { return Ok(false) };
        page.resize(self.page_size as usize + size_of::<u64>(), 0);
        let Some(taken) = (self.next)(stream as u32, page) else { return Ok(false) };
        page.truncate(taken.len);
        *left = left.saturating_sub(self.page_size);
        Ok(true)
    }
}
