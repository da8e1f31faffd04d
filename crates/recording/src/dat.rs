//! Making a trace.dat file of what was taken.

use crate::addresses::{AddressPlace, Addresses, address_places};
use crate::cpu_pages::CpuPages;
use crate::recorder::Recorded;
use crate::spool::SpoolReader;
use crate::tables::TasksByTime;
use crate::{Error, spool::Spool};
use abi::control::Table;
use abi::page::DEFAULT_SIZE;
use agent::sched;
use ring_buffer::DropReason;
use session::{EventInfo, Timeline};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use trace_data::dat::{BufferSource, MappedFile, Metadata, Supplement, System, Version};
use trace_data::merge::{Merge, Record, Source};
use trace_data::page::Missed;

/// Events between two reports of progress.
const REPORT: u64 = 1 << 16;

/// What a file has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Events.
    pub events: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Events that were overwritten before they could be taken.
    pub lost: u64,
    /// Events that were not recorded although they were on: why, and how many.
    pub dropped: Vec<(&'static str, u64)>,
    /// Processes, threads and mapped files that the session had no room for: what that means, and how many.
    pub refused: Vec<(&'static str, u64)>,
    /// How often each event is in the file, the most frequent first: `system:name`.
    pub counts: Vec<(String, u64)>,
}

impl Recorded {
    /// Events that [`Recorded::write_dat`] will go through.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Writes a trace.dat file to `out` and calls `progress` with the number of events that are done, now
    /// and then. Seeks nowhere.
    pub fn write_dat(
        &mut self,
        out: impl Write,
        version: Version,
        progress: impl FnMut(u64),
    ) -> Result<Written, Error> {
        let cpus = self.session.buffer().geometry().cpus;
        let directory: PathBuf = self.directory.clone();
        let mut pages: Vec<CpuPages<'_>> = (0..cpus).map(|_| CpuPages::new(&directory)).collect();
        let mut written = Written::default();
        let mut counts = BTreeMap::new();
        let names = self.convert(&mut pages, &mut counts, &mut written, progress)?;
        let events: Vec<EventInfo> = self.session.events().collect();
        self.tell_losses(&mut written);
        written.counts = named(&counts, &events);
        let metadata = self.metadata(&events, names, &pages);
        let cpus: Result<Vec<_>, Error> = pages.into_iter().map(|pages| pages.into_source(version)).collect();
        let mut top = [BufferSource { name: String::new(), cpus: cpus? }];
        written.bytes = trace_data::dat::write(out, version, &metadata, &mut top)?;
        Ok(written)
    }

    /// Sorts all events by CPU and time, with times and addresses that mean something elsewhere. Gives the
    /// names of the addresses.
    fn convert(
        &mut self,
        pages: &mut [CpuPages<'_>],
        counts: &mut BTreeMap<u16, u64>,
        written: &mut Written,
        mut progress: impl FnMut(u64),
    ) -> Result<Names, Error> {
        let geometry = self.session.buffer().geometry();
        let timeline = Timeline::new(geometry.clock, &self.moments);
        let readers: Result<Vec<SpoolReader>, _> = self.spools.iter_mut().map(Spool::rewind).collect();
        let mut merge = Merge::new(Spools { readers: readers? })?;
        let mut tasks = self.tables.by_time();
        let mut addresses = Addresses::new(self.session.control());
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
                name_address(&mut payload, *place, record.time, &tasks, &mut addresses);
            }
            let lost = count(record.lost);
            let cpu = pages.get_mut(cpu as usize).ok_or(Error::Failed)?;
            cpu.push(timeline.nanoseconds(record.time), &payload, lost)?;
            *counts.entry(id).or_default() += 1;
            written.events += 1;
            written.lost += lost;
            if written.events.is_multiple_of(REPORT) {
                progress(written.events);
            }
        }
        progress(written.events);
        Ok(Names { kallsyms: addresses.symbols(), files: addresses.files() })
    }

    fn metadata(&self, events: &[EventInfo], names: Names, pages: &[CpuPages<'_>]) -> Metadata {
        let mut metadata = Metadata::new(DEFAULT_SIZE as u32);
        let mut systems: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for event in events {
            systems.entry(&event.system).or_default().push(event.format.clone());
        }
        metadata.systems =
            systems.into_iter().map(|(name, formats)| System { name: name.to_string(), formats }).collect();
        metadata.kallsyms = names.kallsyms;
        metadata.cmdlines = self.tables.names(self.session.control().identity().creator);
        metadata.options.clock = "mono".to_string();
        metadata.options.cpu_stats =
            (0..).zip(pages).map(|(cpu, pages)| self.cpu_statistics(cpu, pages)).collect();
        let system = rustix::system::uname();
        let parts = [system.sysname(), system.nodename(), system.release(), system.machine()];
        metadata.options.uname = Some(parts.map(|part| part.to_string_lossy()).join(" "));
        metadata.options.version = Some(format!("lookback {}", env!("CARGO_PKG_VERSION")));
        let tgids = self.tables.tgids();
        let real_times = self.moments.iter().map(|clocks| (clocks.mono, clocks.real)).collect();
        metadata.supplement = Supplement { tgids, real_times, files: names.files };
        metadata
    }

    /// What the kernel's `per_cpu/cpuN/stats` would say: all that was recorded has been read.
    fn cpu_statistics(&self, cpu: u32, pages: &CpuPages<'_>) -> String {
        let dropped = self.session.buffer().statistics(cpu).dropped_events();
        format!(
            "CPU: {cpu}\nentries: 0\noverrun: {}\ncommit overrun: 0\nbytes: {}\ndropped events: {dropped}\nread events: {}\n",
            pages.lost, pages.bytes, pages.events,
        )
    }

    fn tell_losses(&self, written: &mut Written) {
        let (buffer, control) = (self.session.buffer(), self.session.control());
        let mut dropped = [0; DropReason::ALL.len()];
        for block in 0..buffer.geometry().blocks() {
            for (sum, count) in dropped.iter_mut().zip(buffer.statistics(block).dropped) {
                *sum += count;
            }
        }
        let reasons = DropReason::ALL.map(DropReason::describe);
        written.dropped = reasons.into_iter().zip(dropped).filter(|(_, count)| *count > 0).collect();
        let tables = [
            (Table::Tasks, "threads without a name"),
            (Table::Processes, "processes without symbols"),
            (Table::Objects, "mapped files without symbols"),
            (Table::Events, "kinds of events not recorded"),
        ];
        let counts = tables.map(|(table, meaning)| (meaning, control.refused(table)));
        written.refused = counts.into_iter().filter(|(_, count)| *count > 0).collect();
    }
}

/// What the recording's addresses mean.
struct Names {
    kallsyms: String,
    files: Vec<MappedFile>,
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

fn named(counts: &BTreeMap<u16, u64>, events: &[EventInfo]) -> Vec<(String, u64)> {
    let name = |id: u16| match events.iter().find(|event| event.id == id) {
        Some(event) => format!("{}:{}", event.system, event.name),
        None => format!("event {id}"),
    };
    let mut named: Vec<_> = counts.iter().map(|(id, count)| (name(*id), *count)).collect();
    named.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    named
}
