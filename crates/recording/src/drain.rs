//! Emptying the buffers.

use crate::Error;
use reading::Spool;
use ring_buffer::Buffer;
use session::Instance;
use std::path::Path;

/// Takes events out of all blocks of a session's buffer.
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
    pub(crate) fn new(session: &Instance, directory: &Path) -> Result<Drain, Error> {
        let geometry = session.buffer().geometry();
        // Where no file can be made is said before the program starts, not at its first page.
        tempfile::tempfile_in(directory)
            .map_err(|error| Error::Spool { directory: directory.to_path_buf(), error })?;
        let spools = (0..geometry.blocks()).map(|_| Spool::new(Some(directory))).collect();
        // With space for the number of lost events after the fullest page.
        let page = vec![0; geometry.page_size as usize + size_of::<u64>()];
        Ok(Drain { spools, page, events: 0, lost: 0, bytes: 0 })
    }

    /// Takes what is in all blocks now, and says how much the fullest had, in bytes.
    ///
    /// Writers go on meanwhile, so each block is emptied of at most one lap.
    pub(crate) fn take(&mut self, buffer: &Buffer) -> std::io::Result<u64> {
        let mut fullest = 0;
        for (block, spool) in (0..).zip(&mut self.spools) {
            let (limit, mut bytes) = (buffer.capacity(block), 0);
            while bytes < limit
                && let Some(taken) = buffer.consume(block, &mut self.page)
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
