//! Numbers for those who can't learn their TID.
//!
//! The child of vfork(2), and others that share their maker's memory, have their maker's thread descriptor.
//! Who they are only the kernel could tell them, which a filter of system calls may punish. So they record
//! under a number that no thread has; their maker learns their TID by what its call returns, and enters
//! which number is which TID. Readers put the TID in its place.

use crate::area::ControlArea;
use abi::control::{FIRST_PLACEHOLDER, PLACEHOLDERS};
use core::sync::atomic::Ordering::Relaxed;

/// Whether a number is none of a thread, but stands for one.
pub const fn is_placeholder(tid: u32) -> bool {
    tid >= FIRST_PLACEHOLDER
}

impl ControlArea {
    /// A number that stands for a thread which is about to be made. It comes again after twelve million
    /// others.
    ///
    /// Async-signal-safe.
    // Relaxed: the counter carries nothing but itself.
    pub fn new_placeholder(&self) -> u32 {
        let count = self.header().placeholders.fetch_add(1, Relaxed);
        FIRST_PLACEHOLDER + (count % u64::from(PLACEHOLDERS)) as u32
    }

    /// Whether any were given out.
    // Relaxed: the counter carries nothing but itself.
    pub(crate) fn has_placeholders(&self) -> bool {
        self.header().placeholders.load(Relaxed) > 0
    }
}
