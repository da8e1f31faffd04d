//! Slots without code, and what threads have of their own.

use abi::atomic::AtomicU64;
use call_slots::{OwnList, SlotState, WithState};
use std::sync::atomic::Ordering::Relaxed;

/// A slot.
#[derive(Default)]
pub struct ModelSlot {
    pub state: SlotState,
}

impl ModelSlot {
    /// The word that says where its return address is: for mistakes.
    pub fn place(&self) -> &AtomicU64 {
        let place = (&raw const self.state.caller).wrapping_add(1);
        // SAFETY: the word after the caller's address.
        unsafe { &*place }
    }
}

impl WithState for ModelSlot {
    fn state(&self) -> &SlotState {
        &self.state
    }

    fn return_address(&self) -> u64 {
        (&raw const *self).addr() as u64 | 1 << 63
    }
}

/// A thread's own words.
#[derive(Default)]
pub struct OwnWords {
    list: AtomicU64,
    is_ending: AtomicU64,
}

impl OwnList for &OwnWords {
    fn word(self) -> u64 {
        self.list.load(Relaxed)
    }

    fn replace(self, expected: u64, new: u64) -> bool {
        self.list.compare_exchange(expected, new, Relaxed, Relaxed).is_ok()
    }

    fn is_ending(self) -> bool {
        self.is_ending.load(Relaxed) != 0
    }

    fn set_ending(self) {
        self.is_ending.store(1, Relaxed);
    }
}
