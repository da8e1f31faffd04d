//! From what the buffers hold to what means something elsewhere: events in the order of time, in the
//! session's clock, with addresses that have names.

use crate::Error;
use crate::addresses::Addresses;
use crate::recorded::Recorded;
use crate::spool::{Spool, SpoolReader};
use crate::tables::Forks;
use crate::translate::Translator;
use std::io;
use trace_data::merge::{Merge, Pages};
use trace_data::record::{Record, Records};

impl Recorded {
    /// Gives all events to `sink`, in the order of time.
    pub(crate) fn convert(
        &mut self,
        addresses: &mut Addresses,
        mut sink: impl FnMut(&Record<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let timeline = self.session.timeline(self.moments.all());
        let readers: Result<Vec<SpoolReader>, _> = self.spools.iter_mut().map(Spool::rewind).collect();
        let mut merge = Merge::new(Spools { readers: readers? })?;
        let tasks = self.tables.by_time(Forks::new());
        let mut translator = Translator::new(&self.session, &timeline, tasks, addresses);
        while let Some(record) = merge.next()? {
            if let Some(record) = translator.translate(&record) {
                sink(&record)?;
            }
        }
        Ok(())
    }
}

/// The spools as streams to merge: those of CPUs, then those of lanes.
struct Spools {
    readers: Vec<SpoolReader>,
}

impl Pages for Spools {
    type Error = io::Error;

    fn streams(&self) -> usize {
        self.readers.len()
    }

    /// Streams of lanes come behind the CPUs; their events say themselves where they belong.
    fn cpu(&self, stream: usize) -> u32 {
        stream as u32
    }

    fn next_page(&mut self, stream: usize, page: &mut Vec<u8>) -> Result<bool, io::Error> {
        self.readers.get_mut(stream).map_or(Ok(false), |reader| reader.next_page(page))
    }
}
