//! Emptying the buffers, or copying what is there.

use crate::Error;
use crate::copied::{pages_of, pages_of_snapshot};
use crate::spool::Spool;
use ring_buffer::{Buffer, Held, PageCopy};
use session::Session;
use std::ops::Range;
use std::path::Path;

/// Takes events out of all blocks of a session's buffer, or copies them.
#[derive(Debug)]
pub(crate) struct Drain {
    spools: Vec<Spool>,
    page: Vec<u8>,
    /// Events taken.
    pub(crate) events: u64,
    /// Events that were overwritten before they could be taken.
    pub(crate) lost: u64,
    /// Bytes taken.
    pub(crate) bytes: u64,
}

impl Drain {
    /// Keeps what it takes in files in `directory`.
    pub(crate) fn new(session: &Session, directory: &Path) -> Result<Drain, Error> {
        let geometry = session.buffer().geometry();
        let spools: Result<Vec<Spool>, _> = (0..geometry.blocks()).map(|_| Spool::new(directory)).collect();
        let spools = spools.map_err(|error| Error::Spool { directory: directory.to_path_buf(), error })?;
        // With room for the number of lost events behind the fullest page.
        let page = vec![0; geometry.page_size as usize + size_of::<u64>()];
        Ok(Drain { spools, page, events: 0, lost: 0, bytes: 0 })
    }

    /// Takes what is in `blocks` now, and says how much the fullest block had, in bytes.
    ///
    /// Writers go on meanwhile, so each block is emptied of at most one lap.
    pub(crate) fn take(&mut self, buffer: &Buffer, blocks: Range<u32>) -> std::io::Result<u64> {
        let limit = |block| if blocks.contains(&block) { buffer.capacity(block) } else { 0 };
        self.take_pages(limit, |block, page| buffer.consume(block, page))
    }

    /// The same of all blocks, but everything stays where it is.
    pub(crate) fn copy(&mut self, buffer: &Buffer) -> std::io::Result<()> {
        self.take_pages(|block| buffer.capacity(block), pages_of(buffer)).map(drop)
    }

    /// The same of a snapshot.
    pub(crate) fn copy_snapshot(&mut self, snapshot: &Held<'_>) -> std::io::Result<()> {
        let pages = pages_of_snapshot(snapshot, self.spools.len() as u32);
        // Nobody adds to it.
        self.take_pages(|_| u64::MAX, pages).map(drop)
    }

    /// Takes pages from all blocks, up to a limit in bytes each.
    fn take_pages(
        &mut self,
        limit: impl Fn(u32) -> u64,
        mut next: impl FnMut(u32, &mut [u8]) -> Option<PageCopy>,
    ) -> std::io::Result<u64> {
        let mut fullest = 0;
        for (block, spool) in (0..).zip(&mut self.spools) {
            let limit = limit(block);
            let mut bytes = 0;
            while bytes < limit
                && let Some(taken) = next(block, &mut self.page)
            {
                let Some(page) = self.page.get(..taken.len) else { break };
                spool.push(page)?;
                bytes += taken.len as u64;
                self.events += taken.events;
                self.lost += taken.lost;
            }
            self.bytes += bytes;
            fullest = fullest.max(bytes);
        }
        Ok(fullest)
    }

    /// What was taken, a spool for each block.
    pub(crate) fn into_spools(self) -> Vec<Spool> {
        self.spools
    }
}
