//! Making a trace.dat file of what was taken.

use crate::Error;
use crate::addresses::Addresses;
use crate::cpu_pages::CpuPages;
use crate::recorded::Recorded;
use abi::control::Table;
use abi::page::DEFAULT_SIZE;
use control::Clocks;
use ring_buffer::DropReason;
use session::EventInfo;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use trace_data::dat::{BufferSource, MappedFile, Metadata, Supplement, System, Version};

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
        let names = self.sort(&mut pages, &mut counts, &mut written, progress)?;
        let events: Vec<EventInfo> =
            self.session.events().filter(|event| is_described(event, &counts)).collect();
        self.tell_losses(&mut written);
        written.counts = named(&counts, &events);
        let metadata = self.metadata(&events, names, &pages);
        let cpus: Result<Vec<_>, Error> = pages.into_iter().map(|pages| pages.into_source(version)).collect();
        let mut top = [BufferSource { name: String::new(), cpus: cpus? }];
        written.bytes = trace_data::dat::write(out, version, &metadata, &mut top)?;
        Ok(written)
    }

    /// Sorts all events by CPU. Gives the names of the addresses.
    fn sort(
        &mut self,
        pages: &mut [CpuPages<'_>],
        counts: &mut BTreeMap<u16, u64>,
        written: &mut Written,
        mut progress: impl FnMut(u64),
    ) -> Result<Names, Error> {
        let mut addresses = Addresses::new();
        self.convert(&mut addresses, |record| {
            pages.get_mut(record.cpu as usize).ok_or(Error::Failed)?.push(record)?;
            *counts.entry(record.id()).or_default() += 1;
            written.events += 1;
            written.lost += record.lost.count();
            if written.events.is_multiple_of(REPORT) {
                progress(written.events);
            }
            Ok(())
        })?;
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
        metadata.options.clock = self.session.trace_clock().name().to_string();
        metadata.options.cpu_stats =
            (0..).zip(pages).map(|(cpu, pages)| self.cpu_statistics(cpu, pages)).collect();
        let system = rustix::system::uname();
        let parts = [system.sysname(), system.nodename(), system.release(), system.machine()];
        metadata.options.uname = Some(parts.map(|part| part.to_string_lossy()).join(" "));
        metadata.options.version = Some(format!("lookback {}", env!("CARGO_PKG_VERSION")));
        let tgids = self.tables.tgids();
        let ahead = Clocks::tai_ahead();
        let real_times = self.moments.all().iter().map(|at| (at.mono, at.tai.wrapping_sub(ahead))).collect();
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
            (Table::Starts, "starts of threads not recorded"),
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

/// Whether a file needs to describe an event: of those that every session has only what has happened.
fn is_described(event: &EventInfo, counts: &BTreeMap<u16, u64>) -> bool {
    event.class.is_none() || counts.contains_key(&event.id)
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
