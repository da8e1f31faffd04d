//! The trace that a latency tracer has kept.

use super::Reader;
use crate::records::SessionRecords;
use session::{Error, LongestSection};

/// How often one tries to hold what others replace.
const TRIES: usize = 16;

/// The trace of the longest section that a latency tracer has measured.
#[derive(Debug)]
pub struct LongestTrace {
    /// The section.
    pub found: LongestSection,
    /// Where it began and where it ended, as addresses that the first batch of the records has names for.
    pub places: [u64; 2],
    /// What was recorded since it began.
    pub records: SessionRecords,
}

impl Reader {
    /// Copies it: the events of `cpu`, or all, into memory. None where none is kept.
    ///
    /// Cost: as for [`Reader::copy`].
    ///
    /// # Errors
    ///
    /// When somebody is not to hold snapshots of the session any more.
    pub fn copy_longest(&mut self, cpu: Option<u32>) -> Result<Option<LongestTrace>, Error> {
        let session = self.session.clone();
        let holder = session.holder()?;
        // Another may take its place just now.
        let mut tries = std::iter::from_fn(|| session.longest_section()).take(TRIES);
        let held = tries.find_map(|found| holder.hold(found.snapshot).map(|held| (found, held)));
        let Some((found, held)) = held else { return Ok(None) };
        // What was on its way when it was taken is there now.
        held.settle();
        let LongestSection { origin, section, .. } = found;
        let failed = |error| Error::System { path: session.path().to_path_buf(), error };
        let mut records = self.copy_since(&held, section.start, cpu).map_err(failed)?;
        let places = [section.started_at, section.ended_at]
            .map(|address| records.place(origin.tid, section.start, address));
        Ok(Some(LongestTrace { found, places, records }))
    }
}
