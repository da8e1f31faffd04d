//! Counting without counters.
//!
//! Events have sequence numbers, and a page's slot says that of its first event. So the counts of written,
//! present and lost events are differences (R5), right whenever nobody is in the middle of a step; no killed
//! writer can have left out an increment.

use crate::buffer::Buffer;
use crate::geometry::TailPage;
use crate::view::{Generation, TRIES, View};
use abi::buffer::{Block, DropReason, Tail};
use core::sync::atomic::Ordering::{Acquire, Relaxed};

/// What has become of the events of a block in one generation: the present one, or a snapshot's.
///
/// `written == read + entries + overrun`, at every moment at which nobody is writing or reading.
/// Source: `per_cpu/cpuN/stats` of the kernel's tracefs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Events written.
    pub written: u64,
    /// Events that are present and have not been consumed.
    pub entries: u64,
    /// Events that were overwritten before anyone consumed them.
    pub overrun: u64,
    /// Events consumed.
    pub read: u64,
    /// Bytes of pages that hold events not consumed, rounded up to whole events of the first page.
    pub bytes: u64,
    /// Time stamp of the oldest page, in the buffer's clock; 0 when the block is empty.
    pub oldest_time: u64,
    /// Events that were not written although recording was enabled, by [`DropReason`]. These have counters:
    /// an event that was never written has no sequence number.
    pub dropped: [u64; DropReason::ALL.len()],
}

impl Statistics {
    /// Events that were not written, for whatever reason.
    pub fn dropped_events(&self) -> u64 {
        self.dropped.iter().fold(0, |sum, count| sum.wrapping_add(*count))
    }
}

impl Buffer {
    /// The statistics of a CPU, or of a lane: lanes follow the CPUs. Zeros for a block that doesn't exist.
    ///
    /// While writers go on, each figure is right for some time during the call.
    // Relaxed: each count carries nothing but itself (R11).
    pub fn statistics(&self, block: u32) -> Statistics {
        let mut statistics = self.statistics_from(Generation::Live, block);
        if let Some(block) = self.block(block) {
            for (to, from) in statistics.dropped.iter_mut().zip(&block.dropped) {
                *to = from.load(Relaxed);
            }
        }
        statistics
    }

    /// The statistics of a block in any generation, without dropped events, which belong to none.
    pub(crate) fn statistics_from(&self, generation: Generation, block: u32) -> Statistics {
        let mut statistics = Statistics::default();
        if let Some(block) = self.block(block) {
            self.count(generation, block, &mut statistics);
        }
        statistics
    }

    // Acquire: loaded after the view, so that an adoption's reset is not seen with the events of before (R8).
    fn count(&self, generation: Generation, block: &Block, statistics: &mut Statistics) -> Option<()> {
        let view = View::of(self, block, generation)?;
        let unread = view.unread(self)?;
        statistics.written = view.end().saturating_sub(view.first_event);
        statistics.entries = view.end().saturating_sub(unread);
        statistics.read = view.ring.read.load(Acquire);
        let passed = unread.saturating_sub(view.first_event);
        statistics.overrun = passed.saturating_sub(statistics.read);
        if statistics.entries == 0 {
            return Some(());
        }
        let oldest = view.find(unread, self)?;
        statistics.oldest_time = view.time_stamp(oldest, self)?;
        let pages = oldest..=view.tail_sequence;
        statistics.bytes = pages.filter_map(|sequence| view.commit(sequence, self)).sum();
        Some(())
    }

    /// Events of all blocks that are present and have not been consumed.
    pub fn entries(&self) -> u64 {
        self.sum(|statistics| statistics.entries)
    }

    /// Events of all blocks that were overwritten before anyone consumed them, in this generation.
    pub fn overruns(&self) -> u64 {
        self.sum(|statistics| statistics.overrun)
    }

    /// Whether no block has an event that was not consumed.
    pub fn is_empty(&self) -> bool {
        (0..self.geometry().blocks()).all(|block| self.is_block_empty(block))
    }

    /// Whether a block has no event that was not consumed. Cost: some 20 ns.
    pub fn is_block_empty(&self, block: u32) -> bool {
        !self.has_event_from(block, 0)
    }

    /// Whether `percent` percent of a block's pages hold events that nobody has consumed: the condition of a
    /// reader that waits for more than one event. 0 asks for any event, 100 for a block whose next page would
    /// overwrite unread events. The page that is being written counts as a whole one.
    ///
    /// Source: the kernel's `buffer_percent`, `full_hit` in `kernel/trace/ring_buffer.c`. There a reader
    /// is woken; here nobody wakes it, so it asks now and then. Cost: some 50 ns.
    pub fn has_reached(&self, block: u32, percent: u32) -> bool {
        let reached = || {
            let view = View::of(self, self.block(block)?, Generation::Live)?;
            let oldest = view.find(view.unread(self)?, self)?;
            let pages = view.tail_sequence.saturating_sub(oldest) + 1;
            Some(pages * 100 >= u64::from(percent) * view.memory.page_count())
        };
        !self.is_block_empty(block) && reached().unwrap_or(false)
    }

    /// Whether a block has an event from number `position` on that was not consumed.
    pub(crate) fn has_event_from(&self, block: u32, position: u64) -> bool {
        let left = || {
            let view = View::of(self, self.block(block)?, Generation::Live)?;
            Some(view.end() > position.max(view.unread(self)?))
        };
        left().unwrap_or(false)
    }

    /// How many events were ever written to a block, whatever has become of them: the number of the next one.
    // Acquire: the page's number, what belongs to it, the tail (R4). Relaxed: the number once more.
    pub fn next_event(&self, block: u32) -> u64 {
        let attempt = |block: &Block| {
            let page_offset = |tail: Tail| tail.page_offset(self.geometry().page_size);
            let before = Tail(block.tail.load(Acquire));
            let place = TailPage::of(before, block, self.geometry(), self.segment()).ok()?;
            let sequence = place.slot.sequence.load(Acquire);
            let first = place.slot.first_event.load(Acquire);
            let tail = Tail(block.tail.load(Acquire));
            let is_same = page_offset(tail) == place.page_offset();
            (is_same && place.slot.sequence.load(Relaxed) == sequence)
                .then_some(first.wrapping_add(tail.events()))
        };
        self.block(block).and_then(|block| (0..TRIES).find_map(|_| attempt(block))).unwrap_or(0)
    }

    fn sum(&self, figure: impl Fn(&Statistics) -> u64) -> u64 {
        let figures = (0..self.geometry().blocks()).map(|block| figure(&self.statistics(block)));
        figures.fold(0, u64::wrapping_add)
    }

    /// The time stamp of the oldest page with events that nobody has consumed, over all blocks;
    /// `u64::MAX` when there is none.
    pub fn oldest_time(&self) -> u64 {
        (0..self.geometry().blocks())
            .filter_map(|block| {
                let view = View::of(self, self.block(block)?, Generation::Live)?;
                let unread = view.unread(self)?;
                if unread >= view.end() {
                    return None;
                }
                view.time_stamp(view.find(unread, self)?, self)
            })
            .min()
            .unwrap_or(u64::MAX)
    }
}
