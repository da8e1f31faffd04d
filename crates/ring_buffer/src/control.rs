//! Asking all writers for a change: one atomic read-modify-write on the control word.

use crate::buffer::Buffer;
use abi::buffer::{BLOCK_DISABLED, BLOCK_STOPPED, Control};
use core::sync::atomic::Ordering::{AcqRel, Acquire};

impl Buffer {
    /// Flips the switch that anyone may flip: the kernel's `tracing_on`. Whether it was otherwise before: of
    /// several who do the same at once, one hears so.
    ///
    /// Async-signal-safe.
    pub fn set_tracing(&self, on: bool) -> bool {
        self.set_flag(Control::TRACING_OFF, !on)
    }

    /// Whether that switch is on.
    pub fn is_tracing(&self) -> bool {
        self.control().0 & Control::TRACING_OFF == 0
    }

    /// Enables or disables recording into this buffer: the kernel's `record_disable` and `_enable`.
    pub fn set_recording(&self, on: bool) {
        self.set_flag(Control::RECORD_DISABLED, !on);
    }

    /// Chooses what a full ring does: overwrite its oldest page, or refuse new events until a reader
    /// has made room.
    pub fn set_overwrite(&self, on: bool) {
        self.set_flag(Control::NO_OVERWRITE, !on);
    }

    /// Stops recording on one CPU, or in one lane, or goes on with it: the kernel's `record_disable_cpu` and
    /// `_enable_cpu`. What [`Buffer::disable_block`] has disabled stays so.
    pub fn set_block_recording(&self, block: u32, on: bool) {
        if let Some(block) = self.block(block) {
            if on {
                block.flags.fetch_and(!BLOCK_STOPPED, AcqRel);
            } else {
                block.flags.fetch_or(BLOCK_STOPPED, AcqRel);
            }
            self.change(Control::next_epoch);
        }
    }

    /// Whether a CPU, or a lane, records: as [`Buffer::set_block_recording`] has left it.
    pub fn is_block_recording(&self, block: u32) -> bool {
        self.block(block).is_some_and(|block| block.flags.load(Acquire) & BLOCK_STOPPED == 0)
    }

    /// Disables recording on one CPU, because something is wrong there. Nothing a user can flip turns
    /// it on again.
    pub fn disable_block(&self, block: u32) {
        if let Some(block) = self.block(block) {
            block.flags.fetch_or(BLOCK_DISABLED, AcqRel);
            self.change(Control::next_epoch);
        }
    }

    /// Empties the buffer. What was there is out of every reader's sight at once; each CPU's next
    /// writer starts over in the same pages.
    pub fn clear(&self) {
        self.change(|control| control.next_generation(control.ring()));
    }

    /// Empties one block. What was there is out of every reader's sight at once; its next writer starts over
    /// behind it. Snapshots stay as they are.
    ///
    /// Cost: two atomic instructions. A caller that is killed between them has emptied the block when its
    /// writers come to their next page.
    pub fn clear_block(&self, block: u32) {
        let ring = self.control().ring();
        if let Some(ring) = self.block(block).and_then(|block| self.ring(block, ring)) {
            ring.resets.fetch_add(1, AcqRel);
            self.change(Control::next_epoch);
        }
    }

    /// Sets a flag, or takes it away. Whether it was otherwise before.
    fn set_flag(&self, flag: u64, set: bool) -> bool {
        let word = &self.header().control;
        let before = if set { word.fetch_or(flag, AcqRel) } else { word.fetch_and(!flag, AcqRel) };
        (before & flag != 0) != set
    }

    /// Changes the control word.
    pub(crate) fn change(&self, change: impl Fn(Control) -> Control) {
        let word = &self.header().control;
        // It can't fail: there is always a next word.
        let _ = word.fetch_update(AcqRel, Acquire, |word| Some(change(Control(word)).0));
    }
}
