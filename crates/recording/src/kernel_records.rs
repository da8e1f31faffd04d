//! What the kernel's records mention: functions, and threads that no traced process has.

use kernel_events::{KernelDescription, kernel_symbols};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use trace_data::bytes::u64_at;
use trace_data::event::Event;
use trace_data::format::Format;
use trace_data::print::Dialect;
use trace_data::record::Record;

/// Knows the kernel's records, and collects what they mention.
#[derive(Debug, Default)]
pub(crate) struct KernelRecords {
    /// Of each of the kernel's events that is described, by its id: where its records have such addresses.
    places: HashMap<u16, Vec<usize>>,
    addresses: BTreeSet<u64>,
    threads: BTreeSet<i32>,
}

impl KernelRecords {
    /// Of the events that are described.
    pub(crate) fn new(description: &KernelDescription) -> KernelRecords {
        let formats = description.systems.iter().flat_map(|system| {
            system.formats.iter().filter_map(|text| Format::parse(&system.name, text).ok())
        });
        let places = formats.map(|format| (format.id, function_places(format))).collect();
        KernelRecords { places, ..KernelRecords::default() }
    }

    /// Looks at a record. Whether it is of one of these events.
    pub(crate) fn add(&mut self, record: &Record<'_>) -> bool {
        let Some(places) = self.places.get(&record.id()) else { return false };
        self.addresses.extend(places.iter().filter_map(|place| u64_at(record.payload, *place)));
        self.threads.insert(record.pid());
        true
    }

    /// The functions' names, as `/proc/kallsyms` has them.
    pub(crate) fn symbols(&self) -> String {
        kernel_symbols(&self.addresses)
    }

    /// Adds the names of threads that have none among `names`, as far as they still run.
    pub(crate) fn add_names(&self, names: &mut BTreeMap<i32, String>) {
        // The idle thread is one on each CPU, and has no name that anybody gives it.
        for tid in self.threads.iter().filter(|tid| **tid != 0) {
            if let Entry::Vacant(unnamed) = names.entry(*tid)
                && let Ok(name) = std::fs::read(format!("/proc/{tid}/comm"))
            {
                unnamed.insert(String::from_utf8_lossy(name.trim_ascii_end()).into_owned());
            }
        }
    }
}

/// Where records of an event have the addresses of functions.
fn function_places(format: Format) -> Vec<usize> {
    let event = Event::new(format, Dialect::Kernel);
    let fields = event.format().fields.iter().enumerate();
    let functions = fields.filter(|(index, field)| field.size == 8 && event.names_function(*index));
    functions.map(|(_, field)| field.offset).collect()
}
