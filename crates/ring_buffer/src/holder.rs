//! Reading snapshots: each reader is entered in the buffer, so that nobody frees what is being read.
//!
//! A holder has a slot in the header's table, with the identity of its thread, and a bit in the entry of each
//! snapshot that it holds. One that dies leaves both; whoever needs the slot, or the snapshot, finds out that
//! it is dead, claims the slot and clears the bits. So the bits of a slot are changed by its owner alone
//! (R14).
//!
//! A slot is claimed with Acquire and freed with Release: who claims it sees what its last owner did.

use crate::buffer::Buffer;
use crate::lane::is_dead;
use crate::reader::{PageChoice, PageCopy};
use crate::snapshot::{Snapshot, replace_at};
use crate::statistics::Statistics;
use crate::view::Generation;
use abi::buffer::{Kept, KeptState, KeptWord, MAX_HOLDERS};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// A thread that may hold snapshots, with its slot in the buffer's table of holders.
#[derive(Debug)]
pub struct Holder<'a> {
    pub(crate) buffer: &'a Buffer,
    pub(crate) slot: usize,
    identity: u64,
}

impl Buffer {
    /// Claims a slot among the holders. `identity` names a thread that lives as long as the holder, as in
    /// [`crate::WriterThread`]; never 0. None when all slots have owners that live.
    ///
    /// Cost: an atomic instruction, and a system call for each owner that may be dead.
    // Acquire: pairs with the Release that frees a slot. Relaxed: what is found is compared again by the
    // claim.
    pub fn holder(&self, identity: u64) -> Option<Holder<'_>> {
        let take = |slot: usize, from: u64| -> bool {
            let owner = self.header().holders.get(slot);
            owner.is_some_and(|owner| owner.compare_exchange(from, identity, Acquire, Relaxed).is_ok())
        };
        let holder = |slot| Holder { buffer: self, slot, identity };
        if let Some(slot) = (0..MAX_HOLDERS).find(|slot| take(*slot, 0)) {
            return Some(holder(slot));
        }
        let dead = (0..MAX_HOLDERS).find(|slot| {
            let owner = self.header().holders.get(*slot).map_or(0, |owner| owner.load(Relaxed));
            is_dead(owner, identity) && take(*slot, owner)
        })?;
        self.clear_bits(dead);
        Some(holder(dead))
    }

    /// Lets go all that a slot holds, for the owner of the slot (R14). A ring whose memory was being changed
    /// becomes retired. A snapshot of one block that was being taken is one, though it may be empty.
    // Release: pairs with the Acquire that loads an entry of the pool: what the dead holder has read and done
    // comes before. Relaxed: the update compares what it has loaded.
    fn clear_bits(&self, slot: usize) {
        for entry in self.header().kept.iter() {
            let let_go = |word: u64| {
                let word = KeptWord(word);
                let left = match word.state() {
                    Some(KeptState::Changing) => word.turned(KeptState::Retired),
                    Some(KeptState::Taking) => word.turned(KeptState::Kept),
                    _ => word.let_go_by(slot),
                };
                word.is_held_by(slot).then_some(left.0)
            };
            // An error says that the slot does not hold it.
            let _ = entry.word.fetch_update(Release, Relaxed, let_go);
        }
    }
}

impl Holder<'_> {
    /// Holds a snapshot: it is not freed as long as the returned value lives (R14). None when it has been
    /// freed, or when this holder holds it already.
    // Acquire: pairs with the AcqRel that has made the entry say "kept", and with that which has changed the
    // time.
    pub fn hold(&self, snapshot: Snapshot) -> Option<Held<'_>> {
        let entry = self.buffer.kept(snapshot.ring())?;
        loop {
            let word = KeptWord(entry.word.load(Acquire));
            let same = word.is(KeptState::Kept) && word.generation() == snapshot.generation();
            // Loaded after the word: a ring that is about to be left has its entry already (R13).
            let control = self.buffer.acquire_control();
            if !same || control.ring() == snapshot.ring() || word.is_held_by(self.slot) {
                return None;
            }
            if replace_at(entry, snapshot.time(), word, word.held_by(self.slot)) {
                // What belongs to it stays with it (R18).
                self.buffer.look_at_all_parts(control);
                return Some(Held { holder: self, entry, snapshot });
            }
            if entry.time.load(Acquire) != snapshot.time() {
                return None;
            }
        }
    }

    /// Frees a snapshot, as [`Buffer::discard`] does, although holders that have died hold it.
    // Relaxed: a hint. Each bit is cleared only after its slot was claimed.
    pub fn discard(&self, snapshot: Snapshot) -> bool {
        if self.buffer.discard(snapshot) {
            return true;
        }
        let word =
            self.buffer.kept(snapshot.ring()).map_or(KeptWord(0), |entry| KeptWord(entry.word.load(Relaxed)));
        for slot in (0..MAX_HOLDERS).filter(|slot| word.is_held_by(*slot)) {
            self.take_over(slot);
        }
        self.buffer.discard(snapshot)
    }

    /// The thread that it is.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }

    /// Lets go what a slot holds whose owner has died (R14).
    // Acquire and Release: claims the slot and frees it, see the module. Relaxed: what is found is compared
    // by the claim.
    pub(crate) fn take_over(&self, slot: usize) {
        let Some(holder) = self.buffer.header().holders.get(slot) else { return };
        let owner = holder.load(Relaxed);
        let taken = is_dead(owner, self.identity)
            && holder.compare_exchange(owner, self.identity, Acquire, Relaxed).is_ok();
        if taken {
            self.buffer.clear_bits(slot);
            holder.store(0, Release);
        }
    }
}

impl Drop for Holder<'_> {
    // Release: pairs with the Acquire of whoever claims the slot next.
    fn drop(&mut self) {
        if let Some(holder) = self.buffer.header().holders.get(self.slot) {
            holder.store(0, Release);
        }
    }
}

/// A snapshot that is not freed as long as this lives. It is read like the buffer, by any number of readers.
#[derive(Debug)]
pub struct Held<'a> {
    holder: &'a Holder<'a>,
    entry: &'a Kept,
    snapshot: Snapshot,
}

impl Held<'_> {
    /// The snapshot that is held.
    pub fn snapshot(&self) -> Snapshot {
        self.snapshot
    }

    /// [`Buffer::read`] of the snapshot.
    pub fn read(&self, block: u32, position: u64, page: &mut [u8]) -> Option<PageCopy> {
        self.holder.buffer.read_from(self.generation(), block, position, page)
    }

    /// [`Buffer::consume`] of the snapshot.
    pub fn consume(&self, block: u32, page: &mut [u8]) -> Option<PageCopy> {
        self.holder.buffer.consume_from(self.generation(), block, PageChoice::Any, page)
    }

    /// [`Buffer::statistics`] of the snapshot. What was dropped belongs to none.
    pub fn statistics(&self, block: u32) -> Statistics {
        self.holder.buffer.statistics_from(self.generation(), block)
    }

    /// Makes sure that nobody can add to the snapshot any more. Returns the number of blocks of which that is
    /// not known: 0 when the snapshot is final.
    ///
    /// A writer that was in the middle of an event when the snapshot was taken still completes it (R14). As
    /// soon as the next one has come on the same CPU that is over; where none has, the calling thread moves
    /// there briefly. A lane counts when its owner has let it go. Not async-signal-safe. Cost: some 0.1 ms
    /// for each CPU to be visited.
    pub fn settle(&self) -> u32 {
        let buffer = self.holder.buffer;
        let grows = |index: u32| {
            let block = buffer.block(index);
            block.is_some_and(|block| buffer.is_in(block, self.snapshot.ring(), self.snapshot.generation()))
        };
        let may_grow = (0..buffer.geometry().blocks()).filter(|index| grows(*index));
        may_grow.filter(|index| !self.holder.visit(*index) || grows(*index)).count() as u32
    }

    fn generation(&self) -> Generation {
        Generation::Kept(self.snapshot)
    }
}

impl Drop for Held<'_> {
    // Release: pairs with the Acquire of whoever frees the ring next: this reader's loads come before.
    // Relaxed: the update compares what it has loaded.
    fn drop(&mut self) {
        let slot = self.holder.slot;
        let let_go = |word| Some(KeptWord(word).let_go_by(slot).0);
        let _ = self.entry.word.fetch_update(Release, Relaxed, let_go);
    }
}
