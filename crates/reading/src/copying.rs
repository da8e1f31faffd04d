//! Copying what a session's buffers or snapshots hold, and leaving it there.

use crate::joint::Joint;
use crate::spool::Spool;
use ring_buffer::{Buffer, Geometry, Held};
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;
use trace_data::gaps::GapFinder;
use trace_data::merge::Pages;
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

impl<'a> Copying<'a> {
    /// Nothing yet.
    pub(crate) fn new(geometry: &'a Geometry, cpu: Option<u32>, directory: Option<&'a Path>) -> Copying<'a> {
        Copying { geometry, cpu, directory, entries: 0, bounds: None, gaps: Vec::new() }
    }

    /// Copies snapshots, and what `live` has after them: of each block at most one lap, as writers go on.
    /// Nobody adds to a snapshot.
    pub(crate) fn copy(
        &mut self,
        kept: &[&Held<'_>],
        live: Option<&Buffer>,
        times: &RangeInclusive<u64>,
    ) -> io::Result<Vec<Spool>> {
        // With space for the count of lost events after the fullest page.
        let mut page = vec![0; self.geometry.page_size as usize + size_of::<u64>()];
        let (mut spools, mut finder) = (Vec::new(), GapFinder::default());
        for block in 0..self.geometry.blocks() {
            let mut joint = Joint::new(kept, live, block, &mut page);
            finder.next_cpu(joint.begins_complete());
            let next = |page: &mut Vec<u8>| Ok(joint.next(page).map(|taken| taken.len));
            spools.push(self.copy_block(block, &mut finder, times, &mut page, next)?);
            if !joint.ends_complete() {
                finder.miss();
            }
        }
        self.add_gaps(finder, times);
        Ok(spools)
    }

    /// Copies the pages of all blocks that somebody has kept, and of what else was kept as a lane;
    /// `ends_complete` says whether nothing is missing after them, `missing` how many events of each block
    /// are known to be.
    pub(crate) fn copy_pages(
        &mut self,
        pages: &mut impl Pages<Error = io::Error>,
        ends_complete: bool,
        missing: &[u64],
    ) -> io::Result<Vec<Spool>> {
        let (mut spools, mut finder) = (Vec::new(), GapFinder::default());
        let times = 0..=u64::MAX;
        for block in 0..pages.streams() as u32 {
            finder.next_cpu(true);
            let next = |page: &mut Vec<u8>| {
                let is_there = pages.next_page(block as usize, page)?;
                Ok(is_there.then_some(page.len()))
            };
            spools.push(self.copy_block(block, &mut finder, &times, &mut Vec::new(), next)?);
            if !ends_complete || missing.get(block as usize).is_some_and(|missing| *missing > 0) {
                finder.miss();
            }
        }
        self.add_gaps(finder, &times);
        Ok(spools)
    }

    /// Copies the pages of a block that `next` puts into `page`, one after the other: as many bytes as it
    /// says.
    fn copy_block(
        &mut self,
        block: u32,
        finder: &mut GapFinder,
        times: &RangeInclusive<u64>,
        page: &mut Vec<u8>,
        mut next: impl FnMut(&mut Vec<u8>) -> io::Result<Option<usize>>,
    ) -> io::Result<Spool> {
        // What is in a lane may be of any CPU.
        let is_wanted = block >= self.geometry.cpus || self.cpu.is_none_or(|cpu| cpu == block);
        let mut spool = Spool::new(self.directory.filter(|_| is_wanted));
        while let Some(len) = next(page)? {
            let Some(page) = page.get(..len) else { break };
            if let Some(found) = Page::new(page) {
                finder.add(&found, self.count(&found, times));
            }
            if is_wanted {
                spool.push(page)?;
            }
        }
        Ok(spool)
    }

    fn add_gaps(&mut self, finder: GapFinder, times: &RangeInclusive<u64>) {
        let clipped =
            finder.gaps().into_iter().map(|(from, to)| (from.max(*times.start()), to.min(*times.end())));
        self.gaps.extend(clipped.filter(|(from, to)| from < to));
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
