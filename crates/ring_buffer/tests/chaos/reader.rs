//! Consumes everything and checks it.

use crate::event;
use crate::writers::{HANDLER, Written};
use ring_buffer::{Buffer, PageCopy, Walk};
use std::collections::HashMap;

/// What a reader has seen.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Events read.
    pub events: u64,
    /// Those of signal handlers.
    pub handler_events: u64,
    /// Events that the buffer said were overwritten.
    pub lost: u64,
    /// Events whose words don't belong together, and pages with less in them than they said.
    pub torn: u64,
    /// Times that went backwards in a block, and writers' numbers that did.
    pub disordered: u64,
    /// Events read twice.
    pub duplicates: u64,
    /// What the writers say.
    pub written: Written,
}

impl Verdict {
    pub fn assert_clean(&self) {
        assert!(self.events > 0, "nothing was read");
        assert_eq!((self.torn, self.disordered), (0, 0), "of {} events: {self:?}", self.events);
    }

    /// Everything that was written is read, still there, or overrun; and the writers agree, but for one
    /// event of each writer that was killed between its commit and its own count.
    pub fn assert_accounted(&self, buffer: &Buffer) {
        let mut total = 0;
        for block in 0..buffer.geometry().blocks() {
            let statistics = buffer.statistics(block);
            let sum = statistics.read + statistics.entries + statistics.overrun;
            assert_eq!(statistics.written, sum, "block {block}: {statistics:?}");
            total += statistics.written;
        }
        assert_eq!(total, self.events + self.lost, "{self:?}");
        let (least, most) = (self.written.committed, self.written.attempted);
        assert!((least..=most).contains(&total), "{total} written, {least} to {most} counted");
    }
}

/// Consumes all blocks of a buffer.
pub struct Reader<'a> {
    buffer: &'a Buffer,
    page: Vec<u8>,
    /// For each block: the last time, and each writer's last number.
    last: Vec<(u64, HashMap<i32, u64>)>,
    /// How often each writer's events were seen, and the largest number.
    seen: HashMap<i32, (u64, u64)>,
    verdict: Verdict,
}

impl<'a> Reader<'a> {
    pub fn new(buffer: &'a Buffer) -> Reader<'a> {
        let blocks = buffer.geometry().blocks() as usize;
        Reader {
            buffer,
            page: vec![0; buffer.geometry().page_size as usize],
            last: vec![Default::default(); blocks],
            seen: HashMap::new(),
            verdict: Verdict::default(),
        }
    }

    /// Takes a page of each block, as long as there is one. False when nothing was there.
    pub fn drain(&mut self) -> bool {
        let buffer = self.buffer;
        self.drain_from(|block, page| buffer.consume(block, page))
    }

    /// Drains what `consume` gives.
    pub fn drain_from(&mut self, consume: impl Fn(u32, &mut [u8]) -> Option<PageCopy>) -> bool {
        let before = self.verdict.events;
        for block in 0..self.buffer.geometry().blocks() {
            if let Some(taken) = consume(block, &mut self.page) {
                self.verdict.lost += taken.lost;
                self.check_page(block, taken.events, taken.len);
            }
        }
        self.verdict.events > before
    }

    fn check_page(&mut self, block: u32, events: u64, len: usize) {
        let lane = block >= self.buffer.geometry().cpus;
        let (last_time, numbers) = &mut self.last[block as usize];
        let mut found = 0;
        for entry in Walk::new(&self.page[..len]) {
            found += 1;
            self.verdict.disordered += u64::from(entry.time < *last_time);
            *last_time = entry.time;
            let payload = &self.page[entry.payload..][..entry.len];
            let Some(stamp) = event::check(payload, lane) else {
                self.verdict.torn += 1;
                continue;
            };
            self.verdict.handler_events += u64::from(stamp.writer & HANDLER != 0);
            let last_number = numbers.entry(stamp.writer).or_default();
            // A thread's numbers grow on each CPU. Lanes are changed in any order.
            self.verdict.disordered += u64::from(!lane && stamp.number <= *last_number);
            *last_number = stamp.number;
            let (count, largest) = self.seen.entry(stamp.writer).or_default();
            *count += 1;
            *largest = stamp.number.max(*largest);
        }
        self.verdict.torn += u64::from(found != events);
        self.verdict.events += found;
    }

    /// Ends the reading.
    pub fn verdict(mut self, written: Written) -> Verdict {
        // Numbers start at 1, so more events than the largest number means some came twice.
        self.verdict.duplicates =
            self.seen.values().map(|(count, largest)| count.saturating_sub(*largest)).sum();
        self.verdict.written = written;
        self.verdict
    }
}
