//! Counting without counters.
//!
//! Events are numbered, and a page's slot says which number its first event has. So what was written,
//! what is there and what was lost are differences, right whenever nobody is in the middle of a step;
//! there is no increment that a killed writer could have left out.

use crate::buffer::Buffer;
use crate::view::{Source, View};
use abi::buffer::{Block, DropReason};
use core::sync::atomic::Ordering::{Acquire, Relaxed};

/// What has become of the events of a block in one generation: the present one, or one that is kept.
///
/// `written == read + entries + overrun`, at every moment at which nobody is writing or reading.
/// Source: `per_cpu/cpuN/stats` of the kernel's tracefs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Events written.
    pub written: u64,
    /// Events that are there and have not been consumed.
    pub entries: u64,
    /// Events that were overwritten before anyone consumed them.
    pub overrun: u64,
    /// Events consumed.
    pub read: u64,
    /// Bytes of pages that hold events not consumed, rounded up to whole events of the first page.
    pub bytes: u64,
    /// Time stamp of the oldest page, in the buffer's clock; 0 when the block is empty.
    pub oldest_time: u64,
    /// Events that were not written although recording was on, by [`DropReason`]. These have counters: what
    /// was never written has no number.
    pub dropped: [u64; DropReason::ALL.len()],
}

impl Statistics {
    /// Events that were not written, for whatever reason.
    pub fn dropped_events(&self) -> u64 {
        self.dropped.iter().fold(0, |sum, count| sum.wrapping_add(*count))
    }
}

impl Buffer {
    /// The statistics of a CPU, or of a lane behind the CPUs. Zeros for a block that there isn't.
    ///
    /// While writers go on, each figure is right for some moment during the call.
    pub fn statistics(&self, block: u32) -> Statistics {
        let mut statistics = self.statistics_from(Source::Live, block);
        if let Some(block) = self.block(block) {
            for (to, from) in statistics.dropped.iter_mut().zip(&block.dropped) {
                *to = from.load(Relaxed);
            }
        }
        statistics
    }

    /// The same of any source, but for what was dropped: that belongs to no generation.
    pub(crate) fn statistics_from(&self, source: Source, block: u32) -> Statistics {
        let mut statistics = Statistics::default();
        if let Some(block) = self.block(block) {
            self.count(source, block, &mut statistics);
        }
        statistics
    }

    fn count(&self, source: Source, block: &Block, statistics: &mut Statistics) -> Option<()> {
        let view = View::of(self, block, source)?;
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

    /// Events of all blocks that are there and have not been consumed.
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
        self.is_behind(block, 0)
    }

    /// Whether so many percent of a block's pages hold events that nobody has consumed: what a reader that is
    /// to be woken for more than one event waits for. 0 asks for any event, 100 for a block whose next page
    /// would be written over what nobody has consumed. The page that is being written counts as a whole one.
    ///
    /// Source: the kernel's `buffer_percent`, `full_hit` in `kernel/trace/ring_buffer.c`. There a reader is
    /// woken; here nobody would do that, so who waits asks now and then. Cost: some 50 ns.
    pub fn has_reached(&self, block: u32, percent: u32) -> bool {
        let reached = || {
            let view = View::of(self, self.block(block)?, Source::Live)?;
            let oldest = view.find(view.unread(self)?, self)?;
            let pages = view.tail_sequence.saturating_sub(oldest) + 1;
            Some(pages * 100 >= u64::from(percent) * view.memory.page_count())
        };
        !self.is_block_empty(block) && reached().unwrap_or(false)
    }

    /// Whether a block has no event from number `position` on that was not consumed.
    pub(crate) fn is_behind(&self, block: u32, position: u64) -> bool {
        let left = || {
            let view = View::of(self, self.block(block)?, Source::Live)?;
            Some(view.end() > position.max(view.unread(self)?))
        };
        !left().unwrap_or(false)
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
                let view = View::of(self, self.block(block)?, Source::Live)?;
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
