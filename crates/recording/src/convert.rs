//! From what the buffers hold to what means something elsewhere: events in the order of time, in the
//! session's clock, with addresses that have names.

use crate::Error;
use crate::addresses::{AddressPlace, Addresses, address_places};
use crate::recorded::Recorded;
use crate::spool::{Spool, SpoolReader};
use crate::tables::TasksByTime;
use agent::sched;
use std::io;
use trace_data::merge::{Merge, Record, Source};
use trace_data::page::Missed;

/// An event, as others understand it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Converted<'a> {
    pub(crate) cpu: u32,
    /// In the clock that the session's times are shown in.
    pub(crate) time: u64,
    /// Which event.
    pub(crate) id: u16,
    pub(crate) payload: &'a [u8],
    /// Events of this CPU that were lost before it.
    pub(crate) lost: u64,
}

impl Recorded {
    /// Gives all events to `sink`, in the order of time.
    pub(crate) fn convert(
        &mut self,
        addresses: &mut Addresses<'_>,
        mut sink: impl FnMut(Converted<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let geometry = self.session.buffer().geometry();
        let timeline = self.session.timeline(self.moments.all());
        let readers: Result<Vec<SpoolReader>, _> = self.spools.iter_mut().map(Spool::rewind).collect();
        let mut merge = Merge::new(Spools { readers: readers? })?;
        let mut tasks = self.tables.by_time();
        let places = address_places();
        let mut payload = Vec::new();
        while let Some(record) = merge.next()? {
            let Some(cpu) = whole(&record, geometry.cpus, &mut payload) else { continue };
            let common = word(&payload, 0).unwrap_or(0);
            let id = abi::common::event(common);
            if id == sched::FORK_ID {
                note_fork(&payload, record.time, &mut tasks);
            }
            for place in places.get(usize::from(id)).into_iter().flatten() {
                name_address(&mut payload, *place, record.time, &tasks, addresses);
            }
            let (time, lost) = (timeline.time(record.time), count(record.lost));
            sink(Converted { cpu, time, id, payload: &payload, lost })?;
        }
        Ok(())
    }
}

/// The spools as streams to merge: those of CPUs, then those of lanes.
struct Spools {
    readers: Vec<SpoolReader>,
}

impl Source for Spools {
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

/// Puts a record's payload into `payload` and gives its CPU; None for bytes that are no event.
///
/// What was written to a lane has its CPU before the payload.
fn whole(record: &Record<'_>, cpus: u32, payload: &mut Vec<u8>) -> Option<u32> {
    payload.clear();
    if record.cpu < cpus {
        payload.extend_from_slice(record.payload);
        return Some(record.cpu);
    }
    let (cpu, rest) = record.payload.split_first_chunk()?;
    payload.extend_from_slice(rest);
    Some((u64::from_le_bytes(*cpu) as u32).min(cpus - 1))
}

/// Takes note of who has made whom.
fn note_fork(payload: &[u8], time: u64, tasks: &mut TasksByTime<'_>) {
    let half = |field| {
        let bytes = payload.get(sched::FORK.offset(field)..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    };
    // `parent_pid` and `child_pid`.
    if let (Some(parent), Some(child)) = (half(1), half(3)) {
        tasks.forked(parent, child, time);
    }
}

/// Replaces an address by the one that means the same in the recording.
fn name_address(
    payload: &mut [u8],
    AddressPlace { offset, is_return }: AddressPlace,
    time: u64,
    tasks: &TasksByTime<'_>,
    addresses: &mut Addresses<'_>,
) {
    let (Some(common), Some(address)) = (word(payload, 0), word(payload, offset)) else { return };
    let Some(process) = tasks.process(abi::common::pid(common) as u32, time) else { return };
    let translated = match is_return {
        true => addresses.translate(process, address),
        // As if a call of its first byte returned.
        false => addresses.translate(process, address.wrapping_add(1)).wrapping_sub(1),
    };
    if let Some(bytes) = payload.get_mut(offset..).and_then(|rest| rest.first_chunk_mut()) {
        *bytes = translated.to_le_bytes();
    }
}

fn word(payload: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*payload.get(offset..)?.first_chunk()?))
}

/// What was lost; where nobody knows how much, one event at least.
fn count(lost: Missed) -> u64 {
    match lost {
        Missed::None => 0,
        Missed::Unknown => 1,
        Missed::Count(count) => count,
    }
}
