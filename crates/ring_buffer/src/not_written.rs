//! Why an event was not written.

use crate::buffer::Buffer;
use abi::buffer::{Block, DropReason};
use core::sync::atomic::Ordering::Relaxed;

/// Why an event was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotWritten {
    /// Recording is disabled.
    Off,
    /// Recording is enabled, but the event had to be dropped. It has been counted.
    Dropped(DropReason),
    /// The buffer has grown, and the process has not mapped the memory where the event belongs. A writer that
    /// maps all of the buffer can write it. Nothing has been counted.
    NotMapped,
}

impl Buffer {
    /// Counts an event that was not written. A CPU that has no block is counted with the first.
    // Relaxed: the count carries nothing but itself (R11).
    pub(crate) fn count_drop(&self, block: u32, reason: DropReason) {
        let block = self.block(block).or_else(|| self.block(0));
        if let Some(counter) = block.and_then(|block| block.dropped.get(reason as usize)) {
            counter.fetch_add(1, Relaxed);
        }
    }

    /// How many events of all blocks were not written since the buffer was cleared, for each reason that any
    /// was not for. When that was is not known.
    // Relaxed: the counts carry nothing but themselves (R11).
    pub fn dropped(&self) -> impl Iterator<Item = (DropReason, u64)> {
        let count = |reason: DropReason| {
            let counters = self.blocks().filter_map(|block| block.dropped.get(reason as usize));
            counters.fold(0, |sum: u64, counter| sum.wrapping_add(counter.load(Relaxed)))
        };
        let counted = DropReason::ALL.map(|reason| (reason, count(reason)));
        counted.into_iter().filter(|(_, count)| *count > 0)
    }

    /// Whether a block has refused events, in producer/consumer mode, since its last one was written.
    // Relaxed: the count carries nothing but itself (R11).
    pub fn has_refused(&self, block: u32) -> bool {
        let refused =
            self.block(block).map_or(0, |found| found.dropped[DropReason::Full as usize].load(Relaxed));
        refused > 0 && self.control().no_overwrite() && self.has_reached(block, 100)
    }

    /// Counts from 0 again. An event that is dropped meanwhile counts or doesn't.
    // Relaxed: the counts carry nothing but themselves (R11).
    pub(crate) fn forget_drops(block: &Block) {
        for counter in &block.dropped {
            counter.store(0, Relaxed);
        }
    }
}
