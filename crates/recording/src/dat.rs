//! Making a trace.dat file of a session's records.

use crate::Error;
use crate::kernel_records::KernelRecords;
use crate::switched_names::SwitchedNames;
use abi::control::Table;
use abi::page::DEFAULT_SIZE;
use export::dat::{CpuTotals, DatFile};
use kernel_events::KernelDescription;
use reading::{Nameless, SessionRecords};
use session::{EventInfo, Instance, is_built_in};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use trace_data::dat::{Metadata, Supplement, System, Version};
use trace_data::format::Format;
use trace_data::record::Records;

/// Events between two reports of progress.
const REPORT: u64 = 1 << 16;

/// The name of the buffer with the kernel's events.
const KERNEL_BUFFER: &str = "kernel";

/// What a file has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Events.
    pub events: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Events that were overwritten before they could be taken.
    pub lost: u64,
    /// Events of the kernel's among those that were lost.
    pub lost_of_kernel: u64,
    /// Events that were not recorded although they were on: why, and how many.
    pub dropped: Vec<(&'static str, u64)>,
    /// Processes, threads and mapped files that the session had no space for: what that means, and how many.
    pub refused: Vec<(&'static str, u64)>,
    /// Tracepoints of programs that the session has refused, in words.
    pub refusals: Vec<String>,
    /// Files whose functions have no names in it, and why.
    pub nameless: Vec<(PathBuf, Nameless)>,
    /// How often each event is in the file, the most frequent first: `system:name`.
    pub counts: Vec<(String, u64)>,
}

/// Writes a trace.dat file to `out` and calls `progress` with the number of events that are done, now and
/// then. Seeks nowhere. Pages wait in files without a name in `directory`, as the file has those of a CPU
/// together.
///
/// # Errors
///
/// When the events can't be read back, or what is written can't be.
pub fn write_dat(
    records: &mut SessionRecords,
    directory: &Path,
    out: impl Write,
    version: Version,
    progress: impl FnMut(u64),
) -> Result<Written, Error> {
    write_dat_with(None, records, directory, (out, version), progress)
}

/// Writes a trace.dat file as [`write_dat`] does; what the kernel has recorded goes to a buffer of its own.
pub(crate) fn write_dat_with(
    kernel: Option<&KernelDescription>,
    records: &mut SessionRecords,
    directory: &Path,
    (out, version): (impl Write, Version),
    mut progress: impl FnMut(u64),
) -> Result<Written, Error> {
    let cpus = records.session().buffer().geometry().cpus;
    let mut file = DatFile::new(out, version, cpus, directory);
    let mut mentioned = kernel.map(KernelRecords::new);
    let of_kernel = kernel.map(|_| file.add_buffer(KERNEL_BUFFER));
    let mut written = Written { lost: records.missing_after, ..Written::default() };
    let (mut counts, mut names) = (BTreeMap::new(), SwitchedNames::new(kernel));
    let failed = |error| Error::of_export(error, directory);
    while let Some(record) = records.next()? {
        let is_of_kernel = mentioned.as_mut().is_some_and(|mentioned| mentioned.add(&record));
        match of_kernel.filter(|_| is_of_kernel) {
            Some(buffer) => {
                file.push_to(buffer, &record).map_err(failed)?;
                written.lost_of_kernel = written.lost_of_kernel.saturating_add(record.lost.count());
            }
            None => file.push(&record).map_err(failed)?,
        }
        *counts.entry(record.id()).or_default() += 1;
        names.add(&record);
        written.events += 1;
        written.lost = written.lost.saturating_add(record.lost.count());
        if written.events.is_multiple_of(REPORT) {
            progress(written.events);
        }
    }
    progress(written.events);
    let session = records.session();
    // Of those that every session has only what has happened.
    let events: Vec<EventInfo> =
        session.described_events(|id| !is_built_in(id) || counts.contains_key(&id)).collect();
    tell_losses(session, &mut written);
    let names = names_of_threads(records, names, kernel.zip(mentioned.as_ref()));
    let mut metadata = metadata(records, &events, names, file.totals());
    if let Some((kernel, mentioned)) = kernel.zip(mentioned.as_ref()) {
        add_kernel(&mut metadata, kernel, mentioned);
    }
    written.counts = named(&counts, &metadata);
    written.bytes = file.write(&metadata).map_err(failed)?;
    written.nameless = records.nameless();
    Ok(written)
}

/// Threads and their names: as the session knows them, else as records or the kernel have them.
fn names_of_threads(
    records: &SessionRecords,
    switched: SwitchedNames,
    kernel: Option<(&KernelDescription, &KernelRecords)>,
) -> Vec<(i32, String)> {
    let known = records.tables().names(records.session().control().identity().creator);
    let of_kernel = kernel.map_or(&[][..], |(kernel, _)| &kernel.names);
    let mut names: BTreeMap<i32, String> = of_kernel.iter().cloned().collect();
    names.extend(switched.and(known));
    if let Some((_, mentioned)) = kernel {
        mentioned.add_names(&mut names);
    }
    names.into_iter().collect()
}

/// Adds what the kernel's events mean.
fn add_kernel(metadata: &mut Metadata, kernel: &KernelDescription, mentioned: &KernelRecords) {
    for System { name, formats } in &kernel.systems {
        match metadata.systems.iter_mut().find(|system| system.name == *name) {
            Some(system) => system.formats.extend(formats.iter().cloned()),
            None => metadata.systems.push(System { name: name.clone(), formats: formats.clone() }),
        }
    }
    metadata.kallsyms.push_str(&mentioned.symbols());
    metadata.printk_formats.clone_from(&kernel.printk_formats);
}

fn metadata(
    records: &mut SessionRecords,
    events: &[EventInfo],
    names: Vec<(i32, String)>,
    totals: impl Iterator<Item = CpuTotals>,
) -> Metadata {
    let mut metadata = Metadata::new(DEFAULT_SIZE as u32);
    let mut systems: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for event in events {
        systems.entry(&event.system).or_default().push(event.format.clone());
    }
    metadata.systems =
        systems.into_iter().map(|(name, formats)| System { name: name.to_string(), formats }).collect();
    metadata.kallsyms = records.symbols().to_string();
    let session = records.session();
    metadata.cmdlines = names;
    metadata.options.clock = session.trace_clock().name().to_string();
    metadata.options.cpu_stats =
        (0..).zip(totals).map(|(cpu, totals)| cpu_statistics(session, cpu, totals)).collect();
    let system = rustix::system::uname();
    let parts = [system.sysname(), system.nodename(), system.release(), system.machine()];
    metadata.options.uname = Some(parts.map(|part| part.to_string_lossy()).join(" "));
    metadata.options.version = Some(format!("lookback {}", env!("CARGO_PKG_VERSION")));
    let (tgids, real_times, files) = (records.tables().tgids(), records.real_times(), records.files());
    let (unseen, gaps) = (records.unseen.clone(), records.gaps().intervals().to_vec());
    let dropped = records.session().buffer().dropped();
    let dropped = dropped.map(|(reason, count)| (count, reason.describe().to_owned())).collect();
    metadata.supplement = Supplement { tgids, real_times, files, unseen, gaps, dropped };
    metadata
}

/// What the kernel's `per_cpu/cpuN/stats` would say: all that was recorded has been read.
fn cpu_statistics(session: &Instance, cpu: u32, totals: CpuTotals) -> String {
    let dropped = session.buffer().statistics(cpu).dropped_events();
    format!(
        "CPU: {cpu}\nentries: 0\noverrun: {}\ncommit overrun: 0\nbytes: {}\ndropped events: {dropped}\nread events: {}\n",
        totals.lost, totals.bytes, totals.events,
    )
}

fn tell_losses(session: &Instance, written: &mut Written) {
    let (buffer, control) = (session.buffer(), session.control());
    let dropped = buffer.dropped();
    written.dropped = dropped.map(|(reason, count)| (reason.describe(), count)).collect();
    let tables = [
        (Table::Tasks, "threads without a name"),
        (Table::Processes, "processes without symbols"),
        (Table::Objects, "mapped files without symbols"),
        (Table::Events, "kinds of events not recorded"),
        (Table::Starts, "starts of threads not recorded"),
    ];
    let counts = tables.map(|(table, meaning)| (meaning, control.refused(table)));
    written.refused = counts.into_iter().filter(|(_, count)| *count > 0).collect();
    written.refusals = session.refusals();
}

fn named(counts: &BTreeMap<u16, u64>, metadata: &Metadata) -> Vec<(String, u64)> {
    let names: BTreeMap<u16, String> = metadata.formats().filter_map(name_of).collect();
    let name = |id: &u16| names.get(id).cloned().unwrap_or_else(|| format!("event {id}"));
    let mut named: Vec<_> = counts.iter().map(|(id, count)| (name(id), *count)).collect();
    named.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    named
}

/// The id of an event and its name, by its system and its format.
fn name_of((system, text): (&str, &str)) -> Option<(u16, String)> {
    let format = Format::parse(system, text).ok()?;
    Some((format.id, format!("{system}:{}", format.name)))
}
