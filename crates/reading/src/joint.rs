//! A block's snapshots, and what its live buffer has after them, as one sequence of pages.
//!
//! The events of a block are numbered over its life, across snapshots and clears. So the numbers put the
//! snapshots in order, whatever their times say, give each event once, and say how many are missing where one
//! ends and the next begins: those of a snapshot that was dropped, of a clear, or that a reader has consumed.

use abi::page;
use ring_buffer::{Buffer, Held, PageCopy};
use std::cmp::Reverse;

/// A block's pages, from its oldest snapshot on.
pub(crate) struct Joint<'a> {
    block: u32,
    /// Those that are still to be read, the oldest last.
    kept: Vec<&'a Held<'a>>,
    live: Option<&'a Buffer>,
    /// Whether nothing was consumed of the first that has something.
    begins_complete: bool,
    /// Number of the next event; None before the first of all that there are.
    position: Option<u64>,
    /// Bytes of the live buffer that may still be read: one lap, as writers go on.
    rest: u64,
}

impl<'a> Joint<'a> {
    /// That of `block`, with the snapshots that have events of it. `page` has space for a page.
    pub(crate) fn new(
        kept: &[&'a Held<'a>],
        live: Option<&'a Buffer>,
        block: u32,
        page: &mut [u8],
    ) -> Joint<'a> {
        let first = |held: &&'a Held<'a>| Some((held.read(block, 0, page)?.first_event, *held));
        let mut numbered: Vec<_> = kept.iter().filter_map(first).collect();
        numbered.sort_by_key(|(first, _)| Reverse(*first));
        let ordered: Vec<_> = numbered.into_iter().map(|(_, held)| held).collect();
        let oldest = ordered.last().or(kept.first().filter(|_| live.is_none()));
        let of_live = || live.map_or(0, |live| live.statistics(block).read);
        let consumed = oldest.map_or_else(of_live, |held| held.statistics(block).read);
        let rest = live.map_or(0, |live| live.capacity(block));
        Joint { block, kept: ordered, live, begins_complete: consumed == 0, position: None, rest }
    }

    /// From the event of this number on.
    pub(crate) fn from(mut self, position: u64) -> Joint<'a> {
        self.position = Some(position);
        self
    }

    /// Whether nothing is missing before the first event because somebody has consumed it.
    pub(crate) fn begins_complete(&self) -> bool {
        self.begins_complete
    }

    /// Whether nothing is missing after the last event that was read.
    pub(crate) fn ends_complete(&self) -> bool {
        let (Some(position), Some(live)) = (self.position, self.live) else { return true };
        if live.has_refused(self.block) {
            return false;
        }
        // What is written meanwhile is there.
        live.next_event(self.block) <= position || !live.cursor_at(self.block, position).is_empty()
    }

    /// The next events, at most a page of them. The page says how many are missing before it.
    pub(crate) fn next(&mut self, page: &mut [u8]) -> Option<PageCopy> {
        let mut taken = self.read(page)?;
        let missing = self.position.map_or(taken.lost, |position| taken.first_event.wrapping_sub(position));
        if missing != taken.lost {
            taken.lost = missing;
            taken.len = page::finish(page, missing);
        }
        self.position = Some(taken.next_event());
        Some(taken)
    }

    fn read(&mut self, page: &mut [u8]) -> Option<PageCopy> {
        let position = self.position.unwrap_or(0);
        while let Some(held) = self.kept.last() {
            if let Some(taken) = held.read(self.block, position, page) {
                return Some(taken);
            }
            self.kept.pop();
        }
        let live = self.live?;
        self.rest = self.rest.checked_sub(live.geometry().page_size)?;
        live.read(self.block, position, page)
    }
}
