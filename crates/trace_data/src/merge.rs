//! Events of several CPUs, merged by time.

use crate::page::{Missed, PageEvents};
use crate::record::{Record, Records};
use core::cmp::Reverse;
use core::ops::Range;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Somewhere that pages come from: for each of several streams, usually CPUs, one page after the
/// other, in the order of time.
pub trait Pages {
    /// Why a page can't be had.
    type Error;

    /// How many streams there are. They are numbered from 0.
    fn streams(&self) -> usize;

    /// The CPU that a stream is of.
    fn cpu(&self, stream: usize) -> u32;

    /// Puts the next page of `stream` into `page`, replacing what is there. False at the end.
    ///
    /// # Errors
    ///
    /// As the source says; a merge that meets an error passes it on.
    fn next_page(&mut self, stream: usize, page: &mut Vec<u8>) -> Result<bool, Self::Error>;
}

/// Merges the streams of a [`Pages`] by time.
///
/// At equal times the stream of the lower CPU comes first, and within a stream the order is always
/// that of the recording. Holds one page for each stream. An event costs a step in its page and,
/// where several streams are left, a logarithmic number of comparisons.
#[derive(Debug)]
pub struct Merge<S> {
    source: S,
    streams: Vec<Stream>,
    /// Time, CPU and number of each stream that has an event, the earliest on top.
    order: BinaryHeap<Reverse<(u64, u32, usize)>>,
    /// The stream whose event was handed out last; it moves on with the next call.
    current: Option<usize>,
}

/// A stream's page, at the event that is next, and what was lost before that.
#[derive(Debug, Default)]
struct Stream {
    events: PageEvents,
    lost: Missed,
}

impl<S: Pages> Merge<S> {
    /// Reads the first page of every stream.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn new(source: S) -> Result<Merge<S>, S::Error> {
        let streams = 0..source.streams();
        Merge::of(source, streams)
    }

    /// Reads the first page of one stream, and leaves the others out.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn of_stream(source: S, stream: usize) -> Result<Merge<S>, S::Error> {
        let end = stream.saturating_add(1).min(source.streams());
        Merge::of(source, stream.min(end)..end)
    }

    fn of(source: S, chosen: Range<usize>) -> Result<Merge<S>, S::Error> {
        let mut streams = Vec::new();
        streams.resize_with(source.streams(), Stream::default);
        let mut merge = Merge { source, streams, order: BinaryHeap::new(), current: None };
        for (number, stream) in
            merge.streams.iter_mut().enumerate().filter(|(number, _)| chosen.contains(number))
        {
            if stream.advance(&mut merge.source, number)? {
                merge.order.push(Reverse((stream.time(), merge.source.cpu(number), number)));
            }
        }
        Ok(merge)
    }

    /// Where the pages come from.
    pub fn source(&mut self) -> &mut S {
        &mut self.source
    }

    /// Goes on to the next event. False at the end of all streams.
    ///
    /// # Errors
    ///
    /// Those of the source. A stream that failed has ended; the others go on.
    pub fn advance(&mut self) -> Result<bool, S::Error> {
        if let Some(number) = self.current.take() {
            self.advance_stream(number)?;
        }
        self.current = self.order.peek().map(|Reverse((_, _, number))| *number);
        Ok(self.current.is_some())
    }

    /// The event that it is at: none before the first one, and after the last.
    pub fn current(&self) -> Option<Record<'_>> {
        let stream = &self.streams[self.current?];
        let Reverse((time, cpu, _)) = *self.order.peek()?;
        let payload = stream.events.event().map_or(&[][..], |event| event.payload);
        Some(Record { cpu, time, payload, lost: stream.lost })
    }

    /// Moves the stream on top to its next event and sinks it to its place.
    fn advance_stream(&mut self, number: usize) -> Result<(), S::Error> {
        let Some(mut top) = self.order.peek_mut() else {
            return Ok(());
        };
        let advanced = self.streams[number].advance(&mut self.source, number);
        match advanced {
            Ok(true) => top.0.0 = self.streams[number].time(),
            _ => drop(PeekMut::pop(top)),
        }
        advanced.map(drop)
    }
}

impl<S: Pages> Records for Merge<S> {
    type Error = S::Error;

    /// The next event. `None` at the end of all streams. A stream that failed has ended; the others go on.
    fn next(&mut self) -> Result<Option<Record<'_>>, S::Error> {
        self.advance()?;
        Ok(self.current())
    }
}

impl Stream {
    fn time(&self) -> u64 {
        self.events.time().unwrap_or(0)
    }

    /// Steps to the next event, in this page or a later one. False at the end of the stream.
    #[inline]
    fn advance<S: Pages>(&mut self, source: &mut S, number: usize) -> Result<bool, S::Error> {
        self.lost = Missed::None;
        if self.events.advance() {
            return Ok(true);
        }
        self.advance_to_page(source, number)
    }

    /// Steps to the first event of the next page that has one. False at the end of the stream.
    fn advance_to_page<S: Pages>(&mut self, source: &mut S, number: usize) -> Result<bool, S::Error> {
        loop {
            let mut page = std::mem::take(&mut self.events).into_page();
            if !source.next_page(number, &mut page)? {
                return Ok(false);
            }
            self.events = PageEvents::new(page);
            // Losses before an empty page and of the one after it are those of one place.
            self.lost = self.lost.and(self.events.missed());
            if self.events.advance() {
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageBuilder;

    /// Streams of pages; a page without bytes fails.
    struct Kept(Vec<(u32, Vec<Vec<u8>>)>);

    impl Pages for Kept {
        type Error = &'static str;

        fn streams(&self) -> usize {
            self.0.len()
        }

        fn cpu(&self, stream: usize) -> u32 {
            self.0[stream].0
        }

        fn next_page(&mut self, stream: usize, page: &mut Vec<u8>) -> Result<bool, Self::Error> {
            let pages = &mut self.0[stream].1;
            if pages.is_empty() {
                return Ok(false);
            }
            *page = pages.remove(0);
            if page.is_empty() { Err("no page") } else { Ok(true) }
        }
    }

    fn page(times: &[u64], missed: Option<u64>) -> Vec<u8> {
        let mut builder = PageBuilder::new(4096);
        for time in times {
            assert!(builder.push(*time, &time.to_le_bytes()[..4]));
        }
        builder.finish(missed).to_vec()
    }

    fn merged(pages: Vec<(u32, Vec<Vec<u8>>)>) -> Vec<(u32, u64, Missed)> {
        let mut merge = Merge::new(Kept(pages)).unwrap();
        let mut found = Vec::new();
        while let Some(record) = merge.next().unwrap() {
            assert_eq!(record.payload, &record.time.to_le_bytes()[..4]);
            found.push((record.cpu, record.time, record.lost));
        }
        found
    }

    #[test]
    fn the_earliest_comes_first_and_the_lower_cpu_at_equal_times() {
        let one = vec![page(&[10, 20, 30], None), page(&[40], None)];
        let two = vec![page(&[10, 25], None), page(&[30, 50], None)];
        let found = merged(vec![(1, two), (0, one), (2, Vec::new())]);
        let found: Vec<_> = found.iter().map(|(cpu, time, _)| (*cpu, *time)).collect();
        let expected = [(0, 10), (1, 10), (0, 20), (1, 25), (0, 30), (1, 30), (0, 40), (1, 50)];
        assert_eq!(found, expected);
    }

    #[test]
    fn losses_stand_at_the_first_event_after_them() {
        // The second page has no events: its loss and the next one's are those of one place.
        let pages = vec![page(&[1, 2], Some(7)), page(&[], Some(3)), page(&[5], Some(4)), page(&[6], None)];
        let lost: Vec<_> = merged(vec![(0, pages)]).iter().map(|(_, _, lost)| *lost).collect();
        assert_eq!(lost, [Missed::Count(7), Missed::None, Missed::Count(7), Missed::None]);
    }

    #[test]
    fn a_stream_that_fails_ends_and_the_others_go_on() {
        let failing = vec![page(&[1], None), Vec::new(), page(&[3], None)];
        let mut merge = Merge::new(Kept(vec![(0, failing), (1, vec![page(&[2, 4], None)])])).unwrap();
        let mut times = Vec::new();
        let mut errors = 0;
        loop {
            match merge.next() {
                Ok(Some(record)) => times.push(record.time),
                Ok(None) => break,
                Err(_) => errors += 1,
            }
        }
        assert_eq!((times, errors), (vec![1, 2, 4], 1));
    }

    #[test]
    fn times_of_one_stream_keep_their_order_even_where_they_go_back() {
        let pages = vec![page(&[30], None), page(&[10], None)];
        let found = merged(vec![(0, pages), (1, vec![page(&[20], None)])]);
        let times: Vec<_> = found.iter().map(|(_, time, _)| *time).collect();
        assert_eq!(times, [20, 30, 10]);
    }
}
