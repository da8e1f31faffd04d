//! Copying what a session's buffers or a snapshot hold, and leaving it there.

use crate::spool::Spool;
use ring_buffer::{Buffer, Geometry, Held, PageCopy};
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;
use trace_data::gaps::GapFinder;
use trace_data::page::Page;

/// Pages that are copied as they are: writers go on meanwhile, so nothing else is done here.
pub(crate) struct Copying<'a> {
    pub(crate) geometry: &'a Geometry,
    /// The CPU whose events are wanted; None for all.
    pub(crate) cpu: Option<u32>,
    /// Where they are kept, in files without a name; None for memory.
    pub(crate) directory: Option<&'a Path>,
    /// How many events of the wanted times there were, of all CPUs.
    pub(crate) entries: u64,
    /// The times of the first of them and of the last.
    pub(crate) bounds: Option<(u64, u64)>,
    /// The times from which events are missing, as in [`trace_data::gaps::Gaps::new`].
    pub(crate) gaps: Vec<(u64, u64)>,
}

impl Copying<'_> {
    /// Copies what a session's buffers hold now: of each block at most one lap, as writers go on.
    pub(crate) fn live(&mut self, buffer: &Buffer, times: &RangeInclusive<u64>) -> io::Result<Vec<Spool>> {
        let mut cursors: Vec<_> = (0..self.geometry.blocks()).map(|block| buffer.cursor(block)).collect();
        let next = |block: u32, page: &mut [u8]| cursors.get_mut(block as usize)?.advance(page);
        let limits = |block| (buffer.capacity(block), buffer.statistics(block).read == 0);
        self.blocks(limits, next, times)
    }

    /// Copies a snapshot. Nobody adds to it.
    pub(crate) fn snapshot(
        &mut self,
        snapshot: &Held<'_>,
        times: &RangeInclusive<u64>,
    ) -> io::Result<Vec<Spool>> {
        let mut positions = vec![0; self.geometry.blocks() as usize];
        let next = |block: u32, page: &mut [u8]| {
            let position = positions.get_mut(block as usize)?;
            let taken = snapshot.read(block, *position, page)?;
            *position = taken.next_event();
            Some(taken)
        };
        self.blocks(|block| (u64::MAX, snapshot.statistics(block).read == 0), next, times)
    }

    /// Copies what `next` puts into a page, block by block. `limits` gives the most bytes of a block, and
    /// whether nothing of it was consumed before.
    fn blocks(
        &mut self,
        limits: impl Fn(u32) -> (u64, bool),
        mut next: impl FnMut(u32, &mut [u8]) -> Option<PageCopy>,
        times: &RangeInclusive<u64>,
    ) -> io::Result<Vec<Spool>> {
        // With space for the count of lost events after the fullest page.
        let mut page = vec![0; self.geometry.page_size as usize + size_of::<u64>()];
        let (mut spools, mut finder) = (Vec::new(), GapFinder::default());
        for block in 0..self.geometry.blocks() {
            // What is in a lane may be of any CPU.
            let is_wanted = block >= self.geometry.cpus || self.cpu.is_none_or(|cpu| cpu == block);
            let mut spool = Spool::new(self.directory.filter(|_| is_wanted))?;
            let (mut bytes, (limit, is_complete)) = (0, limits(block));
            finder.next_cpu(is_complete);
            while bytes < limit
                && let Some(taken) = next(block, &mut page)
            {
                let Some(page) = page.get(..taken.len) else { break };
                bytes += self.geometry.page_size;
                if let Some(found) = Page::new(page) {
                    finder.add(&found, self.count(&found, times));
                }
                if is_wanted {
                    spool.push(page)?;
                }
            }
            spools.push(spool);
        }
        let clipped =
            finder.gaps().into_iter().map(|(from, to)| (from.max(*times.start()), to.min(*times.end())));
        self.gaps.extend(clipped.filter(|(from, to)| from < to));
        Ok(spools)
    }

    /// Counts the events of these times. The time of the page's last event.
    fn count(&mut self, page: &Page<'_>, times: &RangeInclusive<u64>) -> Option<u64> {
        let mut latest = None;
        for event in page.events() {
            latest = Some(event.time);
            if times.contains(&event.time) {
                let (first, last) = self.bounds.unwrap_or((event.time, event.time));
                self.bounds = Some((first.min(event.time), last.max(event.time)));
                self.entries += 1;
            }
        }
        latest
    }
}
