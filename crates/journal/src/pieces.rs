//! The pieces of a journal, as streams of pages: one for each block.

use abi::page;
use ring_buffer::drop_front;
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use trace_data::merge::Pages;

/// Where a piece is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PieceAt {
    /// Which of the segments.
    pub(crate) segment: usize,
    /// Where its page starts.
    pub(crate) offset: u64,
    /// Bytes of its page.
    pub(crate) len: usize,
    /// The number of its first event.
    pub(crate) first_event: u64,
    /// How many it has.
    pub(crate) events: u64,
}

/// The pieces of all blocks. Each event is given once, and what is missing before a piece is counted, by the
/// events' numbers: whatever was lost on the way, or is there twice.
#[derive(Debug)]
pub(crate) struct Pieces {
    segments: Vec<Option<File>>,
    blocks: Vec<BlockPieces>,
}

#[derive(Debug)]
struct BlockPieces {
    pieces: VecDeque<PieceAt>,
    /// The number of the next event.
    position: u64,
}

impl Pieces {
    /// In these segments, as far as they are there.
    pub(crate) fn new(segments: Vec<Option<File>>, pieces: Vec<VecDeque<PieceAt>>) -> Pieces {
        let blocks = pieces.into_iter().map(|pieces| BlockPieces { pieces, position: 0 }).collect();
        Pieces { segments, blocks }
    }
}

impl Pages for Pieces {
    type Error = io::Error;

    fn streams(&self) -> usize {
        self.blocks.len()
    }

    fn cpu(&self, stream: usize) -> u32 {
        stream as u32
    }

    fn next_page(&mut self, stream: usize, page: &mut Vec<u8>) -> io::Result<bool> {
        let Some(block) = self.blocks.get_mut(stream) else { return Ok(false) };
        while let Some(piece) = block.pieces.pop_front() {
            let end = piece.first_event.saturating_add(piece.events);
            let segment = self.segments.get(piece.segment).and_then(Option::as_ref);
            let Some(segment) = segment.filter(|_| end > block.position) else { continue };
            page.resize(piece.len, 0);
            segment.read_exact_at(page, piece.offset)?;
            let lost = piece.first_event.saturating_sub(block.position);
            if state_lost(page, lost, block.position.saturating_sub(piece.first_event)) {
                block.position = end;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Has a page say that so many events are missing before it, and drops its first `given`, which were given
/// already. False where nothing is left.
fn state_lost(bytes: &mut Vec<u8>, lost: u64, given: u64) -> bool {
    // Without what it says itself.
    let end = page::finish(bytes, 0);
    if given > 0 && drop_front(bytes, given).is_none() {
        return false;
    }
    bytes.truncate(end);
    bytes.extend([0; size_of::<u64>()]);
    let end = page::finish(bytes, lost);
    bytes.truncate(end);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use trace_data::page::{Missed, Page, PageBuilder};

    /// A page with the events of these numbers, at times ten times as large.
    fn page_of(numbers: std::ops::Range<u64>) -> Vec<u8> {
        let mut builder = PageBuilder::new(4096);
        numbers.for_each(|number| assert!(builder.push(number * 10, &number.to_le_bytes())));
        builder.finish(Some(99)).to_vec()
    }

    /// What is given of pieces with these events.
    fn given(pieces: &[std::ops::Range<u64>]) -> Vec<(Vec<u64>, Vec<u64>, Missed)> {
        let mut file = tempfile::tempfile().unwrap();
        let mut at = VecDeque::new();
        let mut offset = 0;
        for numbers in pieces {
            let page = page_of(numbers.clone());
            file.write_all(&page).unwrap();
            let (first_event, events) = (numbers.start, numbers.end - numbers.start);
            at.push_back(PieceAt { segment: 0, offset, len: page.len(), first_event, events });
            offset += page.len() as u64;
        }
        let mut pieces = Pieces::new(vec![Some(file)], vec![at]);
        let (mut all, mut page) = (Vec::new(), Vec::new());
        while pieces.next_page(0, &mut page).unwrap() {
            let page = Page::new(&page).unwrap();
            let number = |payload: &[u8]| u64::from_le_bytes(*payload.first_chunk().unwrap());
            let (numbers, times) = page.events().map(|event| (number(event.payload), event.time)).unzip();
            all.push((numbers, times, page.missed));
        }
        all
    }

    #[test]
    fn each_event_is_given_once() {
        let times = |numbers: &[u64]| numbers.iter().map(|number| number * 10).collect::<Vec<_>>();
        let expected = [vec![0, 1, 2], vec![3, 4], vec![5]];
        let expected = expected.map(|numbers| (numbers.clone(), times(&numbers), Missed::None));
        assert_eq!(given(&[0..3, 1..3, 0..5, 2..4, 5..6]), expected);
    }

    #[test]
    fn what_is_missing_is_counted() {
        let found = given(&[4..6, 6..7, 10..11]);
        let missed: Vec<_> = found.iter().map(|(_, _, missed)| *missed).collect();
        assert_eq!(missed, [Missed::Count(4), Missed::None, Missed::Count(3)]);
    }
}
