//! Copying what a session's buffers hold, and leaving it there.

use crate::convert::count;
use abi::page::DEFAULT_SIZE;
use ring_buffer::{Buffer, Held, Taken};
use std::convert::Infallible;
use trace_data::merge::{Record, Source};
use trace_data::page::PageBuilder;
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

/// A CPU's events on their way into pages.
pub(crate) struct Stream {
    builder: PageBuilder,
    pages: Vec<Vec<u8>>,
    missed: u64,
}

impl Stream {
    pub(crate) fn new() -> Stream {
        Stream { builder: PageBuilder::new(DEFAULT_SIZE), pages: Vec::new(), missed: 0 }
    }

    pub(crate) fn push(&mut self, record: &Record<'_>) {
        let lost = count(record.lost);
        if lost > 0 {
            self.turn();
            self.missed = lost;
        }
        if !self.builder.push(record.time, record.payload) {
            self.turn();
            // An event that fits no page can't have been in one.
            self.builder.push(record.time, record.payload);
        }
    }

    fn turn(&mut self) {
        if !self.builder.is_empty() {
            let missed = Some(std::mem::take(&mut self.missed));
            self.pages.push(self.builder.finish(missed).to_vec());
        }
    }

    pub(crate) fn finish(mut self) -> Vec<Vec<u8>> {
        self.turn();
        self.pages
    }
}

/// Puts the next events of a block into a page each time, as long as there are some, and leaves them there.
pub(crate) fn pages_of(buffer: &Buffer) -> impl FnMut(u32, &mut [u8]) -> Option<Taken> {
    let mut cursors: Vec<_> = (0..buffer.geometry().blocks()).map(|block| buffer.cursor(block)).collect();
    move |block, page| cursors.get_mut(block as usize)?.advance(page)
}

/// The same of a snapshot with so many blocks.
pub(crate) fn pages_of_snapshot(
    snapshot: &Held<'_>,
    blocks: u32,
) -> impl FnMut(u32, &mut [u8]) -> Option<Taken> {
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

impl<F: FnMut(u32, &mut [u8]) -> Option<Taken>> Blocks<F> {
    /// `next` puts the next events of a block into a page; `limit` says how many bytes there are at most.
    pub(crate) fn new(buffer: &Buffer, limit: impl Fn(u32) -> u64, next: F) -> Blocks<F> {
        let bytes = (0..buffer.geometry().blocks()).map(limit).collect();
        Blocks { next, bytes, page_size: buffer.geometry().page_size }
    }
}

impl<F: FnMut(u32, &mut [u8]) -> Option<Taken>> Source for Blocks<F> {
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
