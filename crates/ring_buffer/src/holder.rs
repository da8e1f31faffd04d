//! Reading snapshots: who does is entered in the buffer, so that nobody gives up what is being read.
//!
//! A holder has a place in the header's table, with the identity of its thread, and a bit in the entry of
//! each snapshot that it holds. One that dies leaves both behind; whoever needs the place, or the
//! snapshot, finds out that it is dead, takes the place over and clears the bits. So the bits of a place
//! are changed by its owner alone.

use crate::buffer::Buffer;
use crate::lane::is_dead;
use crate::reader::{Taken, Wanted};
use crate::snapshot::{Snapshot, replace_at};
use crate::statistics::Statistics;
use crate::view::Source;
use abi::buffer::{Control, Kept, KeptState, KeptWord, MAX_HOLDERS};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// A place among those who may hold snapshots.
#[derive(Debug)]
pub struct Holder<'a> {
    pub(crate) buffer: &'a Buffer,
    pub(crate) place: usize,
    identity: u64,
}

impl Buffer {
    /// Takes a place among the holders. `identity` names a thread that lives as long as the holder, as in
    /// [`crate::Thread`]; never 0. None when all places are taken by others that live.
    ///
    /// Cost: an atomic instruction, and a system call for each holder that is to be asked after.
    pub fn holder(&self, identity: u64) -> Option<Holder<'_>> {
        let take = |place: usize, from: u64| -> bool {
            let owner = self.header().holders.get(place);
            owner.is_some_and(|owner| owner.compare_exchange(from, identity, Acquire, Relaxed).is_ok())
        };
        let holder = |place| Holder { buffer: self, place, identity };
        if let Some(place) = (0..MAX_HOLDERS).find(|place| take(*place, 0)) {
            return Some(holder(place));
        }
        let dead = (0..MAX_HOLDERS).find(|place| {
            let owner = self.header().holders.get(*place).map_or(0, |owner| owner.load(Relaxed));
            is_dead(owner, identity) && take(*place, owner)
        })?;
        self.clear_bits(dead);
        Some(holder(dead))
    }

    /// Lets go all that a place holds, for who owns the place. What was being given memory, or being taken
    /// it away, is to be taken away. A snapshot of one block that was being taken is one, though it may be
    /// empty.
    fn clear_bits(&self, place: usize) {
        for entry in self.header().kept.iter() {
            let let_go = |word: u64| {
                let word = KeptWord(word);
                let left = match word.state() {
                    Some(KeptState::Changing) => word.turned(KeptState::Retired),
                    Some(KeptState::Taking) => word.turned(KeptState::Kept),
                    _ => word.let_go_by(place),
                };
                word.is_held_by(place).then_some(left.0)
            };
            // An error says that the place does not hold it.
            let _ = entry.word.fetch_update(Release, Relaxed, let_go);
        }
    }
}

impl Holder<'_> {
    /// Holds a snapshot: it is not given up as long as what this returns lives. None when it has been
    /// given up, or when this holder holds it already.
    pub fn hold(&self, snapshot: Snapshot) -> Option<Held<'_>> {
        let entry = self.buffer.kept(snapshot.ring())?;
        loop {
            let word = KeptWord(entry.word.load(Acquire));
            let same = word.is(KeptState::Kept) && word.generation() == snapshot.generation();
            // Loaded behind the word: a ring that is about to be left has its entry already.
            let control = Control(self.buffer.header().control.load(Acquire));
            if !same || control.ring() == snapshot.ring() || word.is_held_by(self.place) {
                return None;
            }
            if replace_at(entry, snapshot.time(), word, word.held_by(self.place)) {
                // What belongs to it stays with it.
                self.buffer.look_at_all_parts(control);
                return Some(Held { holder: self, entry, snapshot });
            }
            if entry.time.load(Acquire) != snapshot.time() {
                return None;
            }
        }
    }

    /// Gives a snapshot up, as [`Buffer::discard`] does, although holders that have died hold it.
    pub fn discard(&self, snapshot: Snapshot) -> bool {
        if self.buffer.discard(snapshot) {
            return true;
        }
        let word =
            self.buffer.kept(snapshot.ring()).map_or(KeptWord(0), |entry| KeptWord(entry.word.load(Relaxed)));
        for place in (0..MAX_HOLDERS).filter(|place| word.is_held_by(*place)) {
            self.take_over(place);
        }
        self.buffer.discard(snapshot)
    }

    /// Who it is.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }

    /// Lets go what a place holds whose owner has died.
    pub(crate) fn take_over(&self, place: usize) {
        let Some(holder) = self.buffer.header().holders.get(place) else { return };
        let owner = holder.load(Relaxed);
        let taken = is_dead(owner, self.identity)
            && holder.compare_exchange(owner, self.identity, Acquire, Relaxed).is_ok();
        if taken {
            self.buffer.clear_bits(place);
            holder.store(0, Release);
        }
    }
}

impl Drop for Holder<'_> {
    fn drop(&mut self) {
        if let Some(holder) = self.buffer.header().holders.get(self.place) {
            holder.store(0, Release);
        }
    }
}

/// A snapshot that is not given up as long as this lives. Reading it is like reading the buffer, and any
/// number of readers may.
#[derive(Debug)]
pub struct Held<'a> {
    holder: &'a Holder<'a>,
    entry: &'a Kept,
    snapshot: Snapshot,
}

impl Held<'_> {
    /// Which one it is.
    pub fn snapshot(&self) -> Snapshot {
        self.snapshot
    }

    /// [`Buffer::read`] of the snapshot.
    pub fn read(&self, block: u32, position: u64, page: &mut [u8]) -> Option<Taken> {
        self.holder.buffer.read_from(self.source(), block, position, page)
    }

    /// [`Buffer::consume`] of the snapshot.
    pub fn consume(&self, block: u32, page: &mut [u8]) -> Option<Taken> {
        self.holder.buffer.consume_from(self.source(), block, Wanted::Any, page)
    }

    /// [`Buffer::statistics`] of the snapshot. What was dropped belongs to none.
    pub fn statistics(&self, block: u32) -> Statistics {
        self.holder.buffer.statistics_from(self.source(), block)
    }

    /// Sees to it that nobody can add to the snapshot any more, and says of how many blocks that is not
    /// known: 0 when it is as it will be for ever.
    ///
    /// A writer that was in the middle of an event when the snapshot was taken still completes it. As soon as
    /// the next one has come on the same CPU that is over; where none has, the calling thread goes there
    /// for a moment. A lane counts when its owner has let it go. Not async-signal-safe. Cost: some 0.1 ms
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

    fn source(&self) -> Source {
        Source::Kept(self.snapshot)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let place = self.holder.place;
        let let_go = |word| Some(KeptWord(word).let_go_by(place).0);
        let _ = self.entry.word.fetch_update(Release, Relaxed, let_go);
    }
}
