//! Takes snapshots, of all blocks and of single ones, as fast as it can read them, and reads every one of
//! them to its end; meanwhile the buffer gets other sizes.

use crate::reader::Reader;
use crate::writers::identity;
use ring_buffer::{Buffer, Content, Holder, NotResized, Refused, Released, Snapshot};
use std::collections::VecDeque;
use std::ffi::CStr;

/// After so many snapshots a ring loses its memory and gets it back.
const RELEASE_EVERY: u64 = 20;

/// After so many snapshots the buffer gets another size.
const RESIZE_EVERY: u64 = 7;

/// The sizes, in pages.
const SIZES: [u32; 3] = [48, 8, 32];

/// Who takes them.
pub struct Keeper<'a> {
    buffer: &'a Buffer,
    holder: Holder<'a>,
    path: &'a CStr,
    pending: VecDeque<Snapshot>,
    /// What it has done.
    pub done: Done,
}

/// What a keeper has done.
#[derive(Debug, Default)]
pub struct Done {
    /// Snapshots taken.
    pub taken: u64,
    /// Those of them that are of one block alone.
    pub single: u64,
    /// Snapshots that were refused.
    pub refused: u64,
    /// Events that they and what was live in the end have, by their own accounts.
    pub written: u64,
    /// Events of those that were overwritten.
    pub overrun: u64,
    /// Rings that lost their memory.
    pub freed: u64,
    /// How often the buffer got another size.
    pub resized: u64,
}

impl Done {
    /// Whether everything was done often enough to show something.
    pub fn is_enough(&self) -> bool {
        self.taken > 20 && self.single > 20 && self.refused > 0 && self.freed > 0 && self.resized > 10
    }
}

impl<'a> Keeper<'a> {
    pub fn new(buffer: &'a Buffer, path: &'a CStr) -> Keeper<'a> {
        let holder = buffer.holder(identity()).expect("a place");
        while holder.reserve(path).is_ok() {}
        let done = Done::default();
        Keeper { buffer, holder, path, pending: VecDeque::new(), done }
    }

    /// Takes two more snapshots, if there is space for them, and reads the oldest one if that is whole.
    pub fn go_on(&mut self, reader: &mut Reader<'_>) {
        (0..2).for_each(|_| self.take());
        if !self.read_oldest(reader) {
            return;
        }
        if self.done.taken.is_multiple_of(RELEASE_EVERY) {
            self.done.freed += u64::from(self.holder.release() == Released::Freed);
            // There may be none to be given: the ring is retired then.
            let _ = self.holder.reserve(self.path);
        }
        if self.done.taken.is_multiple_of(RESIZE_EVERY) {
            self.resize();
        }
        // What was dropped may be of a size that the buffer had before.
        while self.buffer.spare_rings() == 0 && self.holder.reserve(self.path).is_ok() {}
    }

    /// Gives the whole buffer the next size; what was there is one more snapshot.
    fn resize(&mut self) {
        let pages = SIZES[self.done.resized as usize % SIZES.len()];
        match self.holder.resize(self.path, pages, Content::Keep) {
            Ok(snapshot) => {
                self.pending.extend(snapshot);
                self.done.taken += u64::from(snapshot.is_some());
                self.done.resized += 1;
            }
            Err(NotResized::NoRing) => {}
            Err(error) => panic!("{error}"),
        }
    }

    /// Takes a snapshot: of all blocks, or of each alone in turn.
    fn take(&mut self) {
        let choice = (self.done.taken % (2 + u64::from(self.buffer.geometry().blocks()))) as u32;
        let taken = match choice.checked_sub(2) {
            Some(block) => self.holder.snapshot_block(block),
            None => self.buffer.snapshot(),
        };
        match taken {
            Ok(snapshot) => {
                self.pending.push_back(snapshot);
                self.done.taken += 1;
                self.done.single += u64::from(choice >= 2);
            }
            Err(Refused::NoSpare) => self.done.refused += 1,
            Err(refused) => panic!("{refused}"),
        }
    }

    /// Reads everything that is left, when all writers are gone.
    pub fn finish(mut self, reader: &mut Reader<'_>) -> Done {
        while !self.pending.is_empty() {
            assert!(self.read_oldest(reader), "nobody writes any more");
        }
        while reader.drain() {}
        for block in 0..self.buffer.geometry().blocks() {
            let statistics = self.buffer.statistics(block);
            self.done.written += statistics.written;
            self.done.overrun += statistics.overrun;
        }
        assert_eq!(self.buffer.refused_snapshots(), self.done.refused);
        self.done
    }

    /// Reads the oldest snapshot and gives it up. False when there is none, or when somebody is still in the
    /// middle of an event that belongs to it.
    fn read_oldest(&mut self, reader: &mut Reader<'_>) -> bool {
        let Some(snapshot) = self.pending.front().copied() else { return false };
        let held = self.holder.hold(snapshot).expect("nobody else gives it up");
        if held.settle() > 0 {
            return false;
        }
        while reader.drain_from(|block, page| held.consume(block, page)) {}
        for block in 0..self.buffer.geometry().blocks() {
            let statistics = held.statistics(block);
            assert_eq!(statistics.entries, 0, "block {block} of {snapshot:?}: {statistics:?}");
            assert_eq!(statistics.written, statistics.read + statistics.overrun, "block {block}");
            self.done.written += statistics.written;
            self.done.overrun += statistics.overrun;
        }
        drop(held);
        assert!(self.buffer.discard(snapshot));
        self.pending.pop_front();
        true
    }
}
