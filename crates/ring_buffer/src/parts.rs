//! The ring mapping of a block: which of its rings serves in which ring of the pool, see [`Parts`].
//!
//! The word has the newest generation under which anybody has looked at the block (R18). It changes by
//! compare-exchange alone (R11), with AcqRel, which pairs with the Acquire loads here: whoever finds a ring
//! in a new place sees the resets that were counted before it came there.

use crate::buffer::Buffer;
use abi::buffer::{Block, ControlWord, Parts, Ring};
use core::sync::atomic::Ordering::{AcqRel, Acquire};

/// How often the generation is entered again while others change the word.
const TRIES: u32 = 1000;

impl Buffer {
    /// The ring of a block that serves in a ring of the pool now.
    // Acquire: pairs with the AcqRel of `exchange_parts`.
    pub(crate) fn ring<'a>(&self, block: &'a Block, ring: usize) -> Option<&'a Ring> {
        self.part(block, Parts(block.parts.load(Acquire)), ring)
    }

    /// The ring of a block that serves in a ring of the pool by the mapping `parts`.
    pub(crate) fn part<'a>(&self, block: &'a Block, parts: Parts, ring: usize) -> Option<&'a Ring> {
        self.geometry().rings(block).get(parts.of(ring))
    }

    /// The ring mapping of a block for a caller that looks under the control word's generation, or a newer
    /// one. What was live under older ones stays where it is from now on (R18).
    // Acquire: pairs with the AcqRel of `exchange_parts` and `look_first`.
    #[inline]
    pub(crate) fn look_at_parts(&self, block: &Block, control: ControlWord) -> Parts {
        let parts = Parts(block.parts.load(Acquire));
        if parts.is_up_to(control.generation()) { parts } else { look_first(block, parts, control) }
    }

    /// Looks at the ring mappings of all blocks under the control word's generation.
    pub(crate) fn look_at_all_parts(&self, control: ControlWord) {
        self.blocks().for_each(|block| {
            self.look_at_parts(block, control);
        });
    }

    /// Exchanges a block's rings in the live place and in another, which the caller has claimed. False when
    /// somebody has looked at the block under a newer generation (R18).
    // AcqRel: whoever sees the exchange sees the resets before it. Acquire: as in `look_at_parts`.
    pub(crate) fn exchange_parts(&self, block: &Block, control: ControlWord, ring: usize) -> bool {
        for _ in 0..TRIES {
            let parts = self.look_at_parts(block, control);
            if parts.generation() != control.generation() {
                return false;
            }
            let new = parts.exchanged(control.ring(), ring);
            if block.parts.compare_exchange(parts.0, new.0, AcqRel, Acquire).is_ok() {
                return true;
            }
        }
        false
    }
}

/// Enters that somebody looks under the control word's generation, for the first time (R18).
// AcqRel, Acquire: pairs with itself and with `exchange_parts`, which then fails under an older generation.
#[cold]
fn look_first(block: &Block, mut parts: Parts, control: ControlWord) -> Parts {
    for _ in 0..TRIES {
        if parts.is_up_to(control.generation()) {
            break;
        }
        let new = parts.looked_at(control.generation());
        match block.parts.compare_exchange(parts.0, new.0, AcqRel, Acquire) {
            Ok(_) => return new,
            Err(now) => parts = Parts(now),
        }
    }
    parts
}
