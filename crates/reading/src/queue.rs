//! Events between a buffer and whoever takes them: CPU by CPU.
//!
//! A block is consumed by the page, and a lane has events of several CPUs. What was consumed and not taken
//! yet waits here.

use ring_buffer::{Buffer, Held, PageCopy};
use std::collections::VecDeque;
use std::ops::Range;
use trace_data::page::{Missed, Page, PageEvents, TimedEvent};
use trace_data::record::{OwnedRecord, Record};

/// Where events come from.
pub(crate) trait Supply {
    /// What is another when what is there was cleared, or is another snapshot.
    fn generation(&self) -> u64;
    /// Whether what was there under a generation was kept, and not cleared.
    fn was_kept(&self, generation: u64) -> bool;
    /// Takes the oldest events of a block, at most a page of them.
    fn consume(&self, block: u32, page: &mut [u8]) -> Option<PageCopy>;
    /// Whether a block has none.
    fn is_empty(&self, block: u32) -> bool;
    /// The time: what comes later has a later one.
    fn now(&self) -> u64;
}

impl Supply for Buffer {
    fn generation(&self) -> u64 {
        self.control().generation()
    }
    fn was_kept(&self, generation: u64) -> bool {
        self.snapshots().any(|snapshot| snapshot.generation() == generation & u64::from(u32::MAX))
    }
    fn consume(&self, block: u32, page: &mut [u8]) -> Option<PageCopy> {
        Buffer::consume(self, block, page)
    }
    fn is_empty(&self, block: u32) -> bool {
        self.is_block_empty(block)
    }
    fn now(&self) -> u64 {
        Buffer::now(self)
    }
}

impl Supply for Held<'_> {
    /// The time: snapshots of single CPUs can be of the same generation.
    fn generation(&self) -> u64 {
        self.snapshot().time()
    }
    fn was_kept(&self, _generation: u64) -> bool {
        false
    }
    fn consume(&self, block: u32, page: &mut [u8]) -> Option<PageCopy> {
        Held::consume(self, block, page)
    }
    fn is_empty(&self, block: u32) -> bool {
        self.statistics(block).entries == 0
    }
    fn now(&self) -> u64 {
        u64::MAX
    }
}

/// The most pages of a lane that are taken at once: writers go on meanwhile.
const MOST_PAGES: usize = 1 << 12;

/// The queues of all CPUs.
#[derive(Debug)]
pub(crate) struct Queues {
    cpus: Vec<Queue>,
    /// The generation that they are of: what was cleared since is not to be taken.
    generation: u64,
    /// The blocks after the CPUs.
    lanes: Range<u32>,
    /// When they were taken: an event until then has none of theirs before it that isn't here.
    lanes_taken: u64,
    page: Vec<u8>,
}

/// Those of a CPU: from its block, and from lanes.
#[derive(Debug, Default)]
struct Queue {
    /// The page that was consumed last, at the event that is next.
    own: PageEvents,
    /// What was lost before that one.
    own_lost: Missed,
    lanes: VecDeque<OwnedRecord>,
    /// Bytes of payload that came from lanes.
    bytes: usize,
}

/// A record of a block as one of its CPU: what was written to a lane has its CPU before the payload. None for
/// bytes that are no event.
pub(crate) fn placed<'r>(record: &Record<'r>, cpus: u32) -> Option<Record<'r>> {
    if record.cpu < cpus {
        return Some(*record);
    }
    let (cpu, payload) = record.payload.split_first_chunk()?;
    Some(Record { cpu: (u64::from_le_bytes(*cpu) as u32).min(cpus - 1), payload, ..*record })
}

/// The most bytes from lanes that wait for a CPU that nobody reads.
const MOST_BYTES: usize = 4 << 20;

impl Queues {
    /// Empty ones for `buffer`.
    pub(crate) fn new(buffer: &Buffer) -> Queues {
        let geometry = buffer.geometry();
        let cpus = (0..geometry.cpus).map(|_| Queue::default()).collect();
        let (lanes, page) = (geometry.cpus..geometry.blocks(), vec![0; geometry.page_size as usize]);
        Queues { cpus, generation: buffer.control().generation(), lanes, lanes_taken: 0, page }
    }

    /// Leaves what is in lanes where it is.
    pub(crate) fn ignore_lanes(&mut self) {
        self.lanes = 0..0;
    }

    /// The CPU with the earliest event: `cpu`, if it has one, or any. Consumes what is needed to know.
    pub(crate) fn earliest(&mut self, supply: &impl Supply, cpu: Option<u32>) -> Option<u32> {
        self.forget_cleared(supply);
        for cpu in self.chosen(cpu) {
            self.take_own(supply, cpu);
        }
        let earliest = self.earliest_here(cpu);
        if earliest.is_some_and(|(time, _)| time <= self.lanes_taken) {
            return earliest.map(|(_, cpu)| cpu);
        }
        self.take_lanes(supply);
        self.earliest_here(cpu).map(|(_, cpu)| cpu)
    }

    /// The time and the CPU of the earliest event that waits here.
    fn earliest_here(&self, cpu: Option<u32>) -> Option<(u64, u32)> {
        self.chosen(cpu).filter_map(|cpu| Some((self.cpus.get(cpu as usize)?.time()?, cpu))).min()
    }

    /// The earliest event of a CPU.
    #[inline]
    pub(crate) fn first(&self, cpu: u32) -> Option<Record<'_>> {
        Some(Record { cpu, ..self.cpus.get(cpu as usize)?.first()? })
    }

    /// Takes the earliest event of a CPU away.
    #[inline]
    pub(crate) fn pop(&mut self, cpu: u32) {
        if let Some(queue) = self.cpus.get_mut(cpu as usize) {
            queue.pop();
        }
    }

    /// Whether the next event is one of `cpu` for sure, from which one was taken just now: no other CPU is
    /// wanted, and no lane can have an earlier one than is here. So the buffer needn't be asked; that it was
    /// cleared meanwhile is seen at the end of the page.
    #[inline]
    pub(crate) fn goes_on(&self, cpu: u32, wanted: Option<u32>) -> bool {
        let Some(queue) = self.cpus.get(cpu as usize).filter(|_| wanted == Some(cpu)) else { return false };
        queue.lanes.is_empty() && queue.own.time().is_some_and(|time| time <= self.lanes_taken)
    }

    /// The time of the earliest event that waits here, in the buffer's clock; `u64::MAX` when none does.
    pub(crate) fn oldest_time(&self) -> u64 {
        self.cpus.iter().filter_map(Queue::time).min().unwrap_or(u64::MAX)
    }

    /// Whether there is an event of `cpu`, or of any, here or in the buffer.
    pub(crate) fn has_events(&self, supply: &impl Supply, cpu: Option<u32>) -> bool {
        let is_current = self.is_current(supply);
        let is_queued = |cpu| is_current && self.first(cpu).is_some();
        self.chosen(cpu).any(|cpu| is_queued(cpu) || !supply.is_empty(cpu))
            || self.lanes.clone().any(|lane| !supply.is_empty(lane))
    }

    /// Forgets what waits of a CPU, or of all.
    pub(crate) fn clear(&mut self, cpu: Option<u32>) {
        for cpu in self.chosen(cpu) {
            if let Some(queue) = self.cpus.get_mut(cpu as usize) {
                *queue = Queue::default();
            }
        }
    }

    fn chosen(&self, cpu: Option<u32>) -> Range<u32> {
        cpu.map_or(0..self.cpus.len() as u32, |cpu| cpu..cpu.saturating_add(1))
    }

    /// Forgets what was cleared meanwhile.
    fn forget_cleared(&mut self, supply: &impl Supply) {
        if !self.is_current(supply) {
            self.clear(None);
            self.lanes_taken = 0;
        }
        self.generation = supply.generation();
    }

    /// Whether what waits is still to be taken. What was consumed before a snapshot is in none.
    fn is_current(&self, supply: &impl Supply) -> bool {
        self.generation == supply.generation() || supply.was_kept(self.generation)
    }

    /// Consumes a page of a CPU's block, if none of its events wait.
    fn take_own(&mut self, supply: &impl Supply, cpu: u32) {
        let queue = self.cpus.get_mut(cpu as usize);
        let Some(queue) = queue.filter(|queue| queue.own.time().is_none()) else { return };
        let Some(taken) = supply.consume(cpu, &mut self.page) else { return };
        let mut spent = std::mem::take(&mut queue.own).into_page();
        spent.resize(self.page.len(), 0);
        queue.own = PageEvents::new(std::mem::replace(&mut self.page, spent));
        queue.own.advance();
        queue.own_lost = Missed::of(taken.lost);
    }

    /// Consumes all lanes, and gives their events to their CPUs.
    fn take_lanes(&mut self, supply: &impl Supply) {
        self.lanes_taken = supply.now();
        for lane in self.lanes.clone() {
            for _ in 0..MOST_PAGES {
                if !self.take_lane_page(supply, lane) {
                    break;
                }
            }
        }
    }

    fn take_lane_page(&mut self, supply: &impl Supply, lane: u32) -> bool {
        let Some(taken) = supply.consume(lane, &mut self.page) else { return false };
        let Some(page) = self.page.get(..taken.len).and_then(Page::new) else { return false };
        let (cpus, mut lost) = (self.cpus.len() as u32, Missed::of(taken.lost));
        for TimedEvent { time, payload } in page.events() {
            let record = Record { cpu: lane, time, payload, lost: Missed::None };
            let Some(record) = placed(&record, cpus) else { continue };
            let record = Record { lost: std::mem::take(&mut lost), ..record };
            if let Some(queue) = self.cpus.get_mut(record.cpu as usize) {
                queue.push_from_lane(record.to_owned());
            }
        }
        true
    }
}

impl Queue {
    /// The earliest event from a lane, if none of the CPU's own is before it.
    #[inline]
    fn lane_first(&self) -> Option<&OwnedRecord> {
        let lane = self.lanes.front()?;
        self.own.time().is_none_or(|own| lane.time < own).then_some(lane)
    }

    /// The time of the earliest event.
    #[inline]
    fn time(&self) -> Option<u64> {
        self.lane_first().map(|lane| lane.time).or_else(|| self.own.time())
    }

    /// The earliest event, of whatever CPU this is.
    #[inline]
    fn first(&self) -> Option<Record<'_>> {
        if let Some(record) = self.lane_first() {
            return Some(record.borrowed());
        }
        let TimedEvent { time, payload } = self.own.event()?;
        Some(Record { cpu: 0, time, payload, lost: self.own_lost })
    }

    /// Takes the earliest event away.
    #[inline]
    fn pop(&mut self) {
        if self.lane_first().is_some() {
            self.bytes -= self.lanes.pop_front().map_or(0, |event| event.payload.len());
        } else {
            self.own.advance();
            self.own_lost = Missed::None;
        }
    }

    /// Puts an event where its time belongs. Where nobody takes them, the oldest are lost.
    fn push_from_lane(&mut self, event: OwnedRecord) {
        self.bytes += event.payload.len();
        let after = self.lanes.partition_point(|other| other.time <= event.time);
        self.lanes.insert(after, event);
        while self.bytes > MOST_BYTES {
            let Some(oldest) = self.lanes.pop_front() else { break };
            self.bytes -= oldest.payload.len();
            if let Some(next) = self.lanes.front_mut() {
                next.lost = Missed::Count(next.lost.count() + oldest.lost.count() + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_data::page::PageBuilder;

    fn from_lane(time: u64, len: usize) -> OwnedRecord {
        OwnedRecord { cpu: 0, time, payload: vec![0; len], lost: Missed::None }
    }

    #[test]
    fn lanes_merge_into_their_cpu_by_time() {
        let mut builder = PageBuilder::new(4096);
        assert!([10, 30].iter().all(|time| builder.push(*time, &[0; 12])));
        let mut own = PageEvents::new(builder.finish(None).to_vec());
        own.advance();
        let mut queue = Queue { own, own_lost: Missed::Count(7), ..Queue::default() };
        for time in [40, 5, 20] {
            queue.push_from_lane(from_lane(time, 8));
        }
        let mut queues =
            Queues { cpus: vec![queue], generation: 0, lanes: 0..0, lanes_taken: 0, page: Vec::new() };
        let mut found = Vec::new();
        while let Some(first) = queues.first(0) {
            found.push((first.time, first.lost.count()));
            queues.pop(0);
        }
        assert_eq!(found, [(5, 0), (10, 7), (20, 0), (30, 0), (40, 0)]);
        assert_eq!(queues.cpus[0].bytes, 0);
    }

    #[test]
    fn what_nobody_takes_is_bounded_and_the_loss_is_told() {
        let mut queue = Queue::default();
        for time in 0..10 {
            queue.push_from_lane(from_lane(time, MOST_BYTES / 8));
        }
        assert_eq!(queue.lanes.len(), 8);
        assert_eq!(queue.first().unwrap().lost, Missed::Count(2));
    }
}
