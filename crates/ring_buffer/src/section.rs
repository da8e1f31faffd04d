//! Doing several stores so that all of them count, or none.

use abi::atomic::before_access;
use rseq::{Area, Commit, Guard, Outcome, Store, publish, store_pair};

/// A thread that may change a block (R1): a writer on its CPU, or a lane's owner.
pub(crate) trait Publisher {
    /// If every guard holds: does the stores, in order, then the commit, which is all that anybody sees (R2).
    ///
    /// # Safety
    ///
    /// The addresses are valid for what is done to them, and the commit's is 16-byte aligned.
    unsafe fn publish(&self, guards: &[Guard], stores: &[Store], commit: Commit) -> Outcome;
}

/// A writer on the block's CPU.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnCpu {
    pub(crate) area: Area,
    pub(crate) cpu: u32,
}

impl Publisher for OnCpu {
    unsafe fn publish(&self, guards: &[Guard], stores: &[Store], commit: Commit) -> Outcome {
        debug_assert!(is_pair(commit.address), "R2: the commit is one 16-byte store");
        // SAFETY: the caller answers for the addresses; the area is the calling thread's.
        unsafe { publish(self.area, self.cpu, guards, stores, commit) }
    }
}

/// The owner of a lane. Nobody else writes to it as long as the owner lives (R9), so nothing has to be
/// restarted; but the owner can be killed anywhere, so the order of the stores is that of sections (R4).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner;

impl Publisher for Owner {
    unsafe fn publish(&self, guards: &[Guard], stores: &[Store], commit: Commit) -> Outcome {
        debug_assert!(is_pair(commit.address), "R2: the commit is one 16-byte store");
        // SAFETY: the caller answers for the addresses, and owns the lane: nobody else stores there (R9).
        // Volatile, so that the stores are made in this order.
        unsafe {
            before_access();
            if guards.iter().any(|guard| guard.address.read_volatile() != guard.expected) {
                return Outcome::Refused;
            }
            for store in stores {
                before_access();
                store.address.cast::<[u8; 8]>().write_volatile(store.value.to_ne_bytes());
            }
            before_access();
            store_pair(commit.address, commit.low, commit.high);
        }
        Outcome::Committed
    }
}

/// Whether two words at an address can be stored by one instruction.
fn is_pair(address: *const u64) -> bool {
    address.addr().is_multiple_of(16)
}
