//! Parts: which of a block's rings belongs to which ring of the pool.
//!
//! At first the part that a block has in a ring is its own ring of the same number. A snapshot of one block
//! alone exchanges the parts that this block has in the live ring and in a spare one; the others keep theirs.
//! So the pool and the control word know nothing of it.

use crate::buffer::MAX_RINGS;

/// The word of a block that says which part it has in each ring.
///
/// ```text
/// bits  0..32   generation  the newest under which anybody has looked at the block
/// bits 32..56   parts       three bits for each ring: which of the block's rings is its part there
/// ```
///
/// Parts are exchanged by compare-exchange, in the name of a generation: it fails when somebody has looked at
/// the block under a newer one. So whoever relies on where a part is brings the generation up to date first,
/// and what is exchanged too late counts as done before the control word has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts(pub u64);

impl Parts {
    const SHIFT: u32 = 32;
    const BITS: u32 = MAX_RINGS.trailing_zeros();
    const NUMBER: u64 = MAX_RINGS as u64 - 1;

    /// The parts of a new block: its rings in their order.
    pub const FIRST: Parts = {
        let (mut word, mut ring) = (0, 0);
        while ring < MAX_RINGS {
            word |= (ring as u64) << Parts::place(ring);
            ring += 1;
        }
        Parts(word)
    };

    /// The newest generation under which anybody has looked.
    pub const fn generation(self) -> u64 {
        self.0 & 0xffff_ffff
    }

    /// Which of the block's rings is its part in `ring`.
    pub const fn of(self, ring: usize) -> usize {
        (self.0 >> Parts::place(ring) & Parts::NUMBER) as usize
    }

    /// These parts, looked at under `generation`.
    pub const fn looked_at(self, generation: u64) -> Parts {
        Parts(self.0 & !0xffff_ffff | generation & 0xffff_ffff)
    }

    /// Whether somebody has looked under a newer generation than this, or this one.
    pub const fn is_up_to(self, generation: u64) -> bool {
        (self.0 as u32).wrapping_sub(generation as u32).cast_signed() >= 0
    }

    /// These parts with those in two rings exchanged.
    pub const fn exchanged(self, one: usize, other: usize) -> Parts {
        let differ = (self.of(one) ^ self.of(other)) as u64;
        Parts(self.0 ^ (differ << Parts::place(one) | differ << Parts::place(other)))
    }

    const fn place(ring: usize) -> u32 {
        Parts::SHIFT + (ring as u32 & Parts::NUMBER as u32) * Parts::BITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_exchanged_and_nothing_else() {
        let parts = Parts::FIRST.looked_at(0xffff_ffff).exchanged(1, 7);
        let order = core::array::from_fn::<_, MAX_RINGS, _>(|ring| parts.of(ring));
        assert_eq!((order, parts.generation()), ([0, 7, 2, 3, 4, 5, 6, 1], 0xffff_ffff));
        assert_eq!(parts.exchanged(7, 1), Parts::FIRST.looked_at(0xffff_ffff));
        assert_eq!(parts.exchanged(3, 3), parts);
    }

    #[test]
    fn generations_wrap() {
        let parts = Parts::FIRST.looked_at(1);
        assert!(parts.is_up_to(1) && parts.is_up_to(0xffff_ffff) && !parts.is_up_to(2));
    }
}
