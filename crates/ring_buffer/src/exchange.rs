//! Snapshots of one block alone: a CPU's, or a lane's.
//!
//! The block exchanges its ring in the live place for its ring in a spare one, by one compare-exchange of its
//! ring mapping; the spare ring then holds a snapshot that has this block's events and nothing else. Other
//! blocks don't notice. The block's next writer finds its tail in a ring that is not live and adopts.
//!
//! Two words are involved, the control word and the block's ring mapping, and only one can change at a time.
//! So the exchange is made in the name of a generation, and whoever looks at the block under a newer one
//! keeps it from being made any more ([`abi::buffer::Parts`]). An exchange that is made although the control
//! word has changed has the same effect as one made before that: nobody has looked in between (R18).

use crate::holder::Holder;
use crate::snapshot::{Refused, Snapshot, replace, replace_pair};
use crate::spare::ClaimedRing;
use abi::buffer::{Block, ControlWord, KeptState, KeptWord};
use core::sync::atomic::Ordering::{AcqRel, Relaxed};

/// How often one tries to take a snapshot while others change the control word.
const TRIES: u32 = 1000;

impl Holder<'_> {
    /// Keeps all events of one CPU, or of a lane, and goes on there with an empty ring. The snapshot has no
    /// events of other blocks. The kernel's `ring_buffer_swap_cpu`.
    ///
    /// As [`crate::Buffer::snapshot`] it can be called while others write and read, waits for nobody, and
    /// needs a spare ring. Async-signal-safe. Cost: some ten atomic instructions, and one for each block.
    // Relaxed: the count of refusals carries nothing but itself (R11).
    pub fn snapshot_block(&self, block: u32) -> Result<Snapshot, Refused> {
        let block = self.buffer.block(block).ok_or(Refused::NoBlock)?;
        for _ in 0..TRIES {
            let Some(taken) = self.take_spare() else {
                self.buffer.header().refused.fetch_add(1, Relaxed);
                return Err(Refused::NoSpare);
            };
            if let Some(snapshot) = self.exchange(block, taken) {
                return Ok(snapshot);
            }
            self.put(taken, taken.before);
        }
        Err(Refused::Contended)
    }

    /// Takes a snapshot with a claimed ring. None, and nothing has happened, when somebody has changed the
    /// control word meanwhile.
    // AcqRel on the resets: before the entry, the ring mapping and the control word, and pairs with the
    // Acquire of `View::of_words`: where the ring is seen live, it was emptied before. Relaxed for the time:
    // the entry is the caller's own (R13).
    fn exchange(&self, block: &Block, taken: ClaimedRing) -> Option<Snapshot> {
        let (buffer, ring) = (self.buffer, taken.ring);
        let time = buffer.now();
        let control = self.own(taken)?;
        debug_assert_ne!(control.ring(), ring, "R13: a ring is used for one thing at a time");
        if buffer.size(control.ring()) != buffer.size(ring) {
            return None;
        }
        // What the ring held in its former life is out of sight, for other blocks and for this one (R18).
        for part in buffer.blocks().filter_map(|block| buffer.ring(block, ring)) {
            part.resets.fetch_add(1, AcqRel);
        }
        // From here on the ring is a snapshot's, whoever is killed (R14).
        let entry = buffer.kept(ring)?;
        let taking = KeptWord::new(control.generation(), KeptState::Taking).held_by(self.slot);
        let changing = (self.changing(taken).0, entry.time.load(Relaxed));
        if !replace_pair(entry, changing, (taking.0, time)) {
            return None;
        }
        if !buffer.exchange_parts(block, control, ring) {
            replace(entry, taking, self.changing(taken));
            return None;
        }
        // Until then the block's writers may go on where they are, and add to the snapshot.
        buffer.change(ControlWord::next_epoch);
        replace(entry, taking, taking.turned(KeptState::Kept));
        Some(Snapshot::new(ring, control.generation(), time))
    }
}
