//! Hearing of events that were enabled or disabled.

use crate::area::ControlArea;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::AcqRel;
use rustix::thread::futex;

impl ControlArea {
    /// The word that goes up when events were switched: for one who waits for it.
    pub fn switched_word(&self) -> &AtomicU32 {
        &self.header().switched
    }

    /// Wakes who waits for events to be switched.
    // AcqRel: pairs with the Acquire of a waiter: the switches were changed before.
    pub fn announce_switched(&self) {
        let word = self.switched_word();
        word.fetch_add(1, AcqRel);
        // Nobody has to be there.
        let _ = futex::wake(word, futex::Flags::empty(), i32::MAX as u32);
    }
}
