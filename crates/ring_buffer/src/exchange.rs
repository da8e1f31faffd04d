//! Snapshots of one block alone: a CPU's, or a lane's.
//!
//! The block exchanges its part of the live ring for its part of a spare one, by one compare-exchange of
//! its own word; that ring then holds a snapshot that has this block's events and nothing else. Other
//! blocks don't notice. The block's next writer finds its tail in a ring that is not live and adopts.
//!
//! Two words take part, the control word and the block's, and only one can change at a time. So the
//! exchange is made in the name of a generation, and whoever looks at the block under a newer one keeps it
//! from being made any more ([`abi::buffer::Parts`]). One that is made although the control word has
//! changed is the same as one made before it has: nobody has looked in between.

use crate::holder::Holder;
use crate::snapshot::{Refused, Snapshot, replace, replace_pair};
use crate::spare::Taken;
use abi::buffer::{Block, Control, KeptState, KeptWord};
use core::sync::atomic::Ordering::{AcqRel, Relaxed};

/// How often one tries to take a snapshot while others change the control word.
const TRIES: u32 = 1000;

impl Holder<'_> {
    /// Keeps all events of one CPU, or of a lane behind the CPUs, and goes on there with an empty ring. The
    /// snapshot has no events of other blocks. The kernel's `ring_buffer_swap_cpu`.
    ///
    /// As [`crate::Buffer::snapshot`] otherwise: beside writers and readers, nobody is waited for, there
    /// must be a spare ring. Async-signal-safe. Cost: some ten atomic instructions, and one for each block.
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

    /// Takes a snapshot with a ring that was taken. None, and nothing has happened, when somebody has
    /// changed the control word meanwhile.
    fn exchange(&self, block: &Block, taken: Taken) -> Option<Snapshot> {
        let (buffer, ring) = (self.buffer, taken.ring);
        let time = buffer.now();
        let control = self.own(taken)?;
        if buffer.size(control.ring()) != buffer.size(ring) {
            return None;
        }
        // What the ring held in its former life is out of sight, for other blocks and for this one.
        for part in buffer.blocks().filter_map(|block| buffer.ring(block, ring)) {
            part.resets.fetch_add(1, AcqRel);
        }
        // From here on the ring is a snapshot's, whoever is killed.
        let entry = buffer.kept(ring)?;
        let taking = KeptWord::new(control.generation(), KeptState::Taking).held_by(self.place);
        let changing = (self.changing(taken).0, entry.time.load(Relaxed));
        if !replace_pair(entry, changing, (taking.0, time)) {
            return None;
        }
        if !buffer.exchange_parts(block, control, ring) {
            replace(entry, taking, self.changing(taken));
            return None;
        }
        // Until then the block's writers may go on where they are, and add to the snapshot.
        buffer.change(Control::next_epoch);
        replace(entry, taking, taking.turned(KeptState::Kept));
        Some(Snapshot::new(ring, control.generation(), time))
    }
}
