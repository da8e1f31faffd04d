//! Asking all writers for a change: one atomic read-modify-write of the control word (R1, R11).
//!
//! What is stored before that change is seen by whoever has seen it: AcqRel here pairs with the Acquire of
//! [`Buffer::acquire_control`] and with the load in a writer's section, which comes before all of its others.
//! A word comes back only when nothing but its flags has changed meanwhile (R3).

use crate::buffer::Buffer;
use abi::buffer::{BLOCK_DISABLED, BLOCK_STOPPED, ControlWord};
use core::sync::atomic::Ordering::{AcqRel, Acquire};

impl Buffer {
    /// Enables or disables writing: the kernel's `tracing_on`, which anyone may set. Whether that changed
    /// anything: of several callers that do the same at once, one gets true.
    ///
    /// Async-signal-safe.
    pub fn set_tracing(&self, on: bool) -> bool {
        self.set_flag(ControlWord::TRACING_OFF, !on)
    }

    /// Whether writing is enabled by [`Buffer::set_tracing`].
    pub fn is_tracing(&self) -> bool {
        self.control().0 & ControlWord::TRACING_OFF == 0
    }

    /// Whether recording is enabled by [`Buffer::set_recording`].
    pub fn is_recording(&self) -> bool {
        self.control().0 & ControlWord::RECORD_DISABLED == 0
    }

    /// Enables or disables recording into this buffer: the kernel's `record_disable` and `_enable`.
    pub fn set_recording(&self, on: bool) {
        self.set_flag(ControlWord::RECORD_DISABLED, !on);
    }

    /// Chooses what a full ring does: overwrite its oldest page, or refuse new events until readers have
    /// consumed it.
    pub fn set_overwrite(&self, on: bool) {
        self.set_flag(ControlWord::NO_OVERWRITE, !on);
    }

    /// Stops recording on one CPU, or in one lane, or goes on with it: the kernel's `record_disable_cpu` and
    /// `_enable_cpu`. What [`Buffer::disable_block`] has disabled stays so.
    // AcqRel: ordered before the change of the control word, which sends writers to the slow path, where they
    // look at the flags.
    pub fn set_block_recording(&self, block: u32, on: bool) {
        if let Some(block) = self.block(block) {
            if on {
                block.flags.fetch_and(!BLOCK_STOPPED, AcqRel);
            } else {
                block.flags.fetch_or(BLOCK_STOPPED, AcqRel);
            }
            self.change(ControlWord::next_epoch);
        }
    }

    /// Whether a CPU, or a lane, records: as [`Buffer::set_block_recording`] has left it.
    // Acquire: pairs with the AcqRel of `set_block_recording`.
    pub fn is_block_recording(&self, block: u32) -> bool {
        self.block(block).is_some_and(|block| block.flags.load(Acquire) & BLOCK_STOPPED == 0)
    }

    /// Disables recording on one CPU, because something is wrong there. No setting of a user enables it
    /// again.
    // AcqRel: as in `set_block_recording`, before the change of the control word.
    pub fn disable_block(&self, block: u32) {
        if let Some(block) = self.block(block) {
            block.flags.fetch_or(BLOCK_DISABLED, AcqRel);
            self.change(ControlWord::next_epoch);
        }
    }

    /// Empties the buffer. What was there is out of every reader's sight at once; each CPU's next
    /// writer starts over in the same pages. Dropped events are counted from 0 again.
    pub fn clear(&self) {
        self.change(|control| control.next_generation(control.ring()));
        self.blocks().for_each(Buffer::forget_drops);
    }

    /// Empties one block. What was there is out of every reader's sight at once; its next writer starts over
    /// after it. Snapshots stay as they are. Dropped events are counted from 0 again.
    ///
    /// Cost: two atomic instructions, and one for each count. A caller that is killed between the first two
    /// has emptied the block when its writers come to their next page.
    // AcqRel: pairs with the Acquire of `View::of_words`, and with the guard on `resets` in sections, which
    // are built from one count or refused.
    pub fn clear_block(&self, block: u32) {
        let ring = self.control().ring();
        if let Some(ring) = self.block(block).and_then(|block| self.ring(block, ring)) {
            ring.resets.fetch_add(1, AcqRel);
            self.change(ControlWord::next_epoch);
        }
        self.block(block).into_iter().for_each(Buffer::forget_drops);
    }

    /// Sets or clears a flag. Whether that changed it.
    // AcqRel: see the module.
    fn set_flag(&self, flag: u64, set: bool) -> bool {
        let word = &self.header().control;
        let before = if set { word.fetch_or(flag, AcqRel) } else { word.fetch_and(!flag, AcqRel) };
        (before & flag != 0) != set
    }

    /// Changes the control word.
    // AcqRel, Acquire: see the module.
    pub(crate) fn change(&self, change: impl Fn(ControlWord) -> ControlWord) {
        let word = &self.header().control;
        // It can't fail: there is always a next word.
        let _ = word.fetch_update(AcqRel, Acquire, |word| Some(change(ControlWord(word)).0));
    }
}
