//! Which of a block's rings is its part in a ring of the pool, see [`Parts`].

use crate::buffer::Buffer;
use abi::buffer::{Block, Control, Parts, Ring};
use core::sync::atomic::Ordering::{AcqRel, Acquire};

/// How often one tries to say under which generation one looks while others change the word.
const TRIES: u32 = 1000;

impl Buffer {
    /// The part that a block has in a ring now.
    pub(crate) fn ring<'a>(&self, block: &'a Block, ring: usize) -> Option<&'a Ring> {
        self.part(block, Parts(block.parts.load(Acquire)), ring)
    }

    /// The part that a block has in a ring by its word of `parts`.
    pub(crate) fn part<'a>(&self, block: &'a Block, parts: Parts, ring: usize) -> Option<&'a Ring> {
        self.geometry().rings(block).get(parts.of(ring))
    }

    /// The parts of a block for someone who looks under the control word's generation, or a newer one. What
    /// was live under older ones stays where it is from now on.
    #[inline]
    pub(crate) fn look_at_parts(&self, block: &Block, control: Control) -> Parts {
        let parts = Parts(block.parts.load(Acquire));
        if parts.is_up_to(control.generation()) { parts } else { look_first(block, parts, control) }
    }

    /// The same for all blocks.
    pub(crate) fn look_at_all_parts(&self, control: Control) {
        self.blocks().for_each(|block| {
            self.look_at_parts(block, control);
        });
    }

    /// Exchanges the parts that a block has in the ring that is live and in another, which the caller has
    /// taken. False when somebody has looked at the block under a newer generation.
    pub(crate) fn exchange_parts(&self, block: &Block, control: Control, ring: usize) -> bool {
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

/// Says that somebody looks under the control word's generation, for the first time.
#[cold]
fn look_first(block: &Block, mut parts: Parts, control: Control) -> Parts {
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
