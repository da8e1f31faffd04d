//! Taking back slots of functions that were left without returning: by a jump, by an exception, or on a stack
//! that is not used any more.
//!
//! Nobody says so of them. But the word at the place of one that is still to return is the slot's own return
//! address (G2): where another one stands the function is left for good. One that was left and whose word
//! still stands there waits until that is written over.
//!
//! Between a look and what follows from it a function may return, and its slot be another one's, at the same
//! place. So a slot is taken back only if its place, the count of its uses and that of its showings are
//! those that were read before the look, all at once: then the look was at a function in that use.

use crate::in_use::SlotInUse;
use crate::lists::{OwnList, Slots, WithState};

/// How many places are looked at at a time.
pub const BATCH: usize = 16;

/// What is found at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtPlace {
    /// This word.
    Word(u64),
    /// No memory.
    Nothing,
    /// Nobody may say.
    Unknown,
}

impl<'a, S: WithState> Slots<'a, S> {
    /// Takes back what was left, with the slots of the functions that were jumped to at its end. `look` says
    /// what is found at these places. How many.
    pub fn take_back_left(
        &self,
        own: impl OwnList,
        look: impl Fn(&[Option<u64>; BATCH]) -> [AtPlace; BATCH],
    ) -> u32 {
        let in_use = |slot: &'a S| SlotInUse::of(slot.state()).map(|found| (slot, found));
        let mut all = self.used().filter_map(in_use).fuse();
        let mut taken = 0;
        loop {
            let batch = [(); BATCH].map(|()| all.next());
            if batch.iter().flatten().next().is_none() {
                return taken;
            }
            let found = look(&batch.map(|one| one.map(|(_, in_use)| in_use.address())));
            for (one, found) in batch.into_iter().zip(found) {
                if let Some((slot, in_use)) = one
                    && is_left(slot, in_use, found)
                    && in_use.take_back()
                {
                    self.give_back_jumped(own, slot, |_| ());
                    self.share(slot);
                    taken += 1;
                }
            }
        }
    }
}

fn is_left<S: WithState>(slot: &S, in_use: SlotInUse<'_>, found: AtPlace) -> bool {
    match found {
        AtPlace::Word(word) => in_use.is_left(word, slot.return_address()),
        AtPlace::Nothing => true,
        AtPlace::Unknown => false,
    }
}
