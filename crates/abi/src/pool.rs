//! The pool: which rings a snapshot can take, which hold one, and who reads there.
//!
//! ```text
//!            reserve                    snapshot: the control word names it
//!  absent ------------> spare ------------------------------------------> live
//!    ^  (changing)        | ^                                              |
//!    |                    | | discard                                      | snapshot: the control
//!    |      release       | +---------------- kept <-----------------------+ word names another
//!    +--------------------+                   holders read
//!         (changing, retired)
//! ```
//!
//! A snapshot of one block alone turns a spare ring into one that is kept, by way of *taking* (not drawn). A
//! resize makes a ring live that its holder is *changing*: from there the control word goes to it without
//! its being spare in between.
//!
//! A ring is live when the control word names it; what its word says then is of no account. All other
//! states are in the word. A snapshot takes a spare ring only if that is of the live one's size. Who makes a
//! spare ring something else bumps the control word's epoch afterwards, so that a snapshot that has seen it
//! spare begins again.

use crate::atomic::AtomicU64;

/// The most readers that hold snapshots at a time.
pub const MAX_HOLDERS: usize = 24;

/// What one ring of every block is used for, when it is not live.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct Kept {
    /// See [`KeptWord`]. Changed by compare-exchange.
    pub word: AtomicU64,
    /// When the generation ended that the ring keeps, in the buffer's clock. Changed together with `word`.
    pub time: AtomicU64,
    /// Which size the ring has in each block: rings of the same number have as many pages. 0 while that is
    /// being changed, and where it has none.
    pub size: AtomicU64,
    _line: u64,
}

/// [`Kept::size`] of a buffer that has never been resized.
pub const FIRST_SIZE: u64 = 1;

/// What a ring that is not live is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum KeptState {
    /// It has no memory.
    Absent = 0,
    /// It has memory and waits for a snapshot.
    Spare = 1,
    /// It holds a snapshot.
    Kept = 2,
    /// A holder gives it memory or takes that away.
    Changing = 3,
    /// Its memory is to be taken away, but somebody may still write there.
    Retired = 4,
    /// A holder takes a snapshot of one block alone with it.
    Taking = 5,
}

/// The word of a ring in the pool.
///
/// ```text
/// bits  0..32   generation  the last one that was live in the ring
/// bits 32..56   holders     a bit for each holder that reads there; of one that changes it
/// bits 56..64   state       see KeptState
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptWord(pub u64);

impl KeptWord {
    const HOLDERS_SHIFT: u32 = 32;
    const STATE_SHIFT: u32 = 56;
    const HOLDERS: u64 = ((1 << MAX_HOLDERS) - 1) << Self::HOLDERS_SHIFT;

    /// A ring in `state` that nobody holds. `generation` was the last one that was live there.
    pub const fn new(generation: u64, state: KeptState) -> KeptWord {
        KeptWord(generation & 0xffff_ffff | (state as u64) << Self::STATE_SHIFT)
    }

    /// A ring that was never live.
    pub const fn unused(state: KeptState) -> KeptWord {
        KeptWord::new(0xffff_ffff, state)
    }

    /// The last generation that was live in the ring.
    pub const fn generation(self) -> u64 {
        self.0 & 0xffff_ffff
    }

    /// The state; None for one that doesn't exist.
    pub const fn state(self) -> Option<KeptState> {
        match self.0 >> Self::STATE_SHIFT {
            0 => Some(KeptState::Absent),
            1 => Some(KeptState::Spare),
            2 => Some(KeptState::Kept),
            3 => Some(KeptState::Changing),
            4 => Some(KeptState::Retired),
            5 => Some(KeptState::Taking),
            _ => None,
        }
    }

    /// Whether the state is `state`.
    pub const fn is(self, state: KeptState) -> bool {
        self.0 >> Self::STATE_SHIFT == state as u64
    }

    /// Whether anybody holds it.
    pub const fn is_held(self) -> bool {
        self.0 & Self::HOLDERS != 0
    }

    /// Whether `holder` does.
    pub const fn is_held_by(self, holder: usize) -> bool {
        self.0 & KeptWord(0).held_by(holder).0 != 0
    }

    /// This ring, held by `holder`, too.
    pub const fn held_by(self, holder: usize) -> KeptWord {
        KeptWord(self.0 | 1 << (Self::HOLDERS_SHIFT + holder as u32) & Self::HOLDERS)
    }

    /// This ring, no longer held by `holder`.
    pub const fn let_go_by(self, holder: usize) -> KeptWord {
        KeptWord(self.0 & !KeptWord(0).held_by(holder).0)
    }

    /// This ring in another state, held by nobody.
    pub const fn turned(self, state: KeptState) -> KeptWord {
        KeptWord::new(self.generation(), state)
    }
}

const _: () = assert!(size_of::<Kept>() == 32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holders_come_and_go_in_their_own_bits() {
        let free = KeptWord::new(7, KeptState::Kept);
        let held = free.held_by(0).held_by(MAX_HOLDERS - 1);
        assert!(held.is_held_by(0) && held.is_held_by(MAX_HOLDERS - 1) && !held.is_held_by(1));
        assert_eq!((held.generation(), held.state()), (7, Some(KeptState::Kept)));
        assert_eq!(held.let_go_by(0).let_go_by(MAX_HOLDERS - 1), free);
        assert_eq!(held.turned(KeptState::Spare), KeptWord::new(7, KeptState::Spare));
    }

    #[test]
    fn a_word_of_zeros_is_a_ring_without_memory() {
        assert_eq!(KeptWord(0).state(), Some(KeptState::Absent));
        assert_eq!(KeptWord(u64::MAX).state(), None);
    }
}
