//! Why an event was not written.

use crate::buffer::Buffer;
use abi::buffer::DropReason;
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
}
