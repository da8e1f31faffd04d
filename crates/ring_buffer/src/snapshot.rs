//! Snapshots: the events of a buffer are kept, and recording goes on in another ring.
//!
//! A snapshot is one compare-exchange of the control word: generation + 1, another live ring. Nothing is
//! copied, nobody is waited for, no event is lost in between. Each CPU's next writer moves its tail to
//! the new ring; until then what its tail is in belongs to the snapshot.
//!
//! Before that the ring that is about to be left gets its entry in the table of the pool: which generation
//! it will keep, and the time. While the ring is live nobody looks at the entry, so that a caller which is
//! killed between the two has done nothing (R13). The time was read before the control word, so it is
//! never later than the snapshot, however many ask at once.
//!
//! An entry is changed with AcqRel and loaded with Acquire: who finds a ring spare, kept or taken sees what
//! was done to it before. Its 16-byte compare-exchange is a locked instruction, and orders as AcqRel.

use crate::buffer::Buffer;
use abi::buffer::{ControlWord, Kept, KeptState, KeptWord};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use shm::compare_exchange_pair;

/// How often a snapshot is tried while others change the control word.
const TRIES: u32 = 1000;

/// A generation that was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    ring: u8,
    generation: u32,
    time: u64,
}

impl Snapshot {
    pub(crate) fn new(ring: usize, generation: u64, time: u64) -> Snapshot {
        Snapshot { ring: ring as u8, generation: generation as u32, time }
    }

    /// The ring that holds it: no two snapshots that are kept are in the same.
    pub fn ring(&self) -> usize {
        usize::from(self.ring)
    }

    /// The generation whose events it has. Newer snapshots have larger numbers; those of single blocks may
    /// have the same.
    pub fn generation(&self) -> u64 {
        u64::from(self.generation)
    }

    /// When it was taken, in the buffer's clock. Events that writers had begun by then may be a little
    /// later.
    pub fn time(&self) -> u64 {
        self.time
    }
}

/// Why no snapshot was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// No ring is spare: as many snapshots are kept as there is memory for. It has been counted.
    NoSpare,
    /// There is no such CPU or lane.
    NoBlock,
    /// The words are damaged, or others change them without end.
    Contended,
}

impl core::fmt::Display for Refused {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Refused::NoSpare => "as many snapshots are kept as there is memory for",
            Refused::NoBlock => "there is no such CPU",
            Refused::Contended => "the buffer's control word does not come to rest",
        })
    }
}

impl core::error::Error for Refused {}

impl Buffer {
    /// Keeps the buffer's events, and goes on with an empty buffer.
    ///
    /// Async-signal-safe: may be called by a traced program, in a handler, too. It allocates
    /// nothing and waits for nobody; there must be a spare ring ([`crate::Holder::reserve`]) of the size
    /// that the buffer has now. The snapshot stays until it is freed ([`Buffer::discard`]). Cost: two
    /// atomic instructions; each CPU's next event takes the slow path.
    // Relaxed: the count of refusals carries nothing but itself (R11).
    pub fn snapshot(&self) -> Result<Snapshot, Refused> {
        let kept = self.switch(|control| self.spares(control).next());
        if kept == Err(Refused::NoSpare) {
            self.header().refused.fetch_add(1, Relaxed);
        }
        kept
    }

    /// Keeps the buffer's events, and goes on in the ring that `find` gives for the control word: one
    /// that nobody else can claim as long as that word stays (R13).
    // AcqRel: pairs with the Acquire of `acquire_control`: the entry, the size and the pages of the ring that
    // becomes live come before. Relaxed on failure: the word is loaded again.
    pub(crate) fn switch(&self, find: impl Fn(ControlWord) -> Option<usize>) -> Result<Snapshot, Refused> {
        for _ in 0..TRIES {
            let time = self.now();
            let control = self.acquire_control();
            let next = control.next_generation(find(control).ok_or(Refused::NoSpare)?);
            let word = &self.header().control;
            if let Some(time) = self.announce(control, time)
                && word.compare_exchange(control.0, next.0, AcqRel, Relaxed).is_ok()
            {
                return Ok(Snapshot::new(control.ring(), control.generation(), time));
            }
        }
        Err(Refused::Contended)
    }

    /// The snapshots that are kept, by the rings that hold them.
    pub fn snapshots(&self) -> impl Iterator<Item = Snapshot> {
        (0..self.geometry().rings as usize).filter_map(|ring| self.kept_in(ring))
    }

    /// How many snapshots were refused because no ring was spare.
    // Relaxed: the count carries nothing but itself.
    pub fn refused_snapshots(&self) -> u64 {
        self.header().refused.load(Relaxed)
    }

    /// How many more snapshots can be taken before one has to be freed.
    pub fn spare_rings(&self) -> usize {
        let control = self.control();
        self.spares(control).count()
    }

    /// Frees a snapshot: its ring is spare again. False, and nothing changed, if somebody reads it
    /// ([`crate::Holder::hold`]), or if it was freed already (R14).
    ///
    /// A ring of a size that the buffer had before it was resized takes no snapshots until it gets the
    /// present size ([`crate::Holder::reserve`]).
    pub fn discard(&self, snapshot: Snapshot) -> bool {
        let kept = KeptWord::new(snapshot.generation(), KeptState::Kept);
        let is_live = self.control().ring() == snapshot.ring();
        let entry = self.kept(snapshot.ring()).filter(|_| !is_live);
        let spare = kept.turned(KeptState::Spare);
        entry.is_some_and(|entry| replace_at(entry, snapshot.time(), kept, spare))
    }

    /// The pool's entry of a ring.
    pub(crate) fn kept(&self, ring: usize) -> Option<&Kept> {
        self.header().kept.get(ring).filter(|_| ring < self.geometry().rings as usize)
    }

    /// The snapshot that a ring holds, if it holds one.
    // Acquire: pairs with the AcqRel of `replace` and `replace_pair`. Relaxed: loaded again only to see that
    // the word was the same when the time was loaded.
    fn kept_in(&self, ring: usize) -> Option<Snapshot> {
        let entry = self.kept(ring)?;
        let word = KeptWord(entry.word.load(Acquire));
        let time = entry.time.load(Acquire);
        // Loaded after the word: a ring that is about to be left has its entry already (R13).
        let control = self.acquire_control();
        let same = KeptWord(entry.word.load(Relaxed)).generation() == word.generation();
        let kept = same && word.is(KeptState::Kept) && control.ring() != ring;
        kept.then_some(Snapshot::new(ring, word.generation(), time))
    }

    /// The rings that a snapshot under `control` can take: those that are spare and of the live one's size
    /// (R16).
    // Acquire: pairs with the AcqRel that has made the ring spare: its pages and size come before (R13).
    fn spares(&self, control: ControlWord) -> impl Iterator<Item = usize> {
        let size = self.size(control.ring());
        (0..self.geometry().rings as usize).filter(move |ring| {
            let state = self.kept(*ring).map(|entry| KeptWord(entry.word.load(Acquire)));
            let is_spare = state.is_some_and(|word| word.is(KeptState::Spare));
            is_spare && *ring != control.ring() && self.size(*ring) == size
        })
    }

    /// The id of the size that a ring has in each block; 0 if it has none.
    // Acquire: pairs with the Release of `set_size`: who sees the id sees the pages (R16).
    pub(crate) fn size(&self, ring: usize) -> u64 {
        self.kept(ring).map_or(0, |entry| entry.size.load(Acquire))
    }

    /// Enters what the live ring will keep when `control`'s generation ends: at `time`, or at a later one
    /// that somebody else has entered, which is returned. None when the control word has changed.
    ///
    /// The entry is loaded before the control word is seen to be unchanged. So what is replaced was
    /// made under this generation or an older one, never a newer one's (R13).
    // Acquire: in this order, and pairs with the AcqRel of `replace_pair` and of the control word's changes.
    fn announce(&self, control: ControlWord, time: u64) -> Option<u64> {
        let entry = self.kept(control.ring())?;
        let (word, entered) = (entry.word.load(Acquire), entry.time.load(Acquire));
        if self.header().control.load(Acquire) != control.0 {
            return None;
        }
        let kept = KeptWord::new(control.generation(), KeptState::Kept);
        if word == kept.0 && entered >= time {
            return Some(entered);
        }
        replace_pair(entry, (word, entered), (kept.0, time)).then_some(time)
    }
}

/// Replaces the word of an entry, if it is as expected (R11, R13).
// AcqRel: pairs with the Acquire of whoever loads the entry, and with itself. Relaxed on failure: nothing is
// done.
pub(crate) fn replace(entry: &Kept, expected: KeptWord, new: KeptWord) -> bool {
    entry.word.compare_exchange(expected.0, new.0, AcqRel, Relaxed).is_ok()
}

/// Replaces the word of an entry, if it and the time are as expected: two snapshots of single blocks may have
/// the same word.
pub(crate) fn replace_at(entry: &Kept, time: u64, expected: KeptWord, new: KeptWord) -> bool {
    replace_pair(entry, (expected.0, time), (new.0, time))
}

/// Replaces an entry's word and time, if they are as expected.
pub(crate) fn replace_pair(entry: &Kept, expected: (u64, u64), new: (u64, u64)) -> bool {
    // SAFETY: an entry's words are 16 aligned bytes of atomics in a live mapping (R11).
    unsafe { compare_exchange_pair(entry.word.as_ptr(), expected, new) }
}
