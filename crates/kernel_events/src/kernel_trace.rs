//! Any events of the kernel's, as it records them.

use crate::{Error, KernelRecord, TracefsInstance, tracefs};
use abi::clock::Clock;
use std::collections::BTreeMap;
use trace_data::dat::System;

/// An event of the kernel's that is to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelEvent {
    /// Its system.
    pub system: String,
    /// Its name.
    pub name: String,
    /// A filter in the kernel's grammar: only records that match it are written.
    pub filter: Option<String>,
}

/// An instance in the kernel's tracefs with events as the kernel has them: their ids, fields and formats.
#[derive(Debug)]
pub struct KernelTrace {
    instance: TracefsInstance,
    systems: BTreeMap<String, Vec<String>>,
}

/// What is needed to understand what a [`KernelTrace`] has recorded, besides its records.
#[derive(Debug, Clone, Default)]
pub struct KernelDescription {
    /// The formats of its events.
    pub systems: Vec<System>,
    /// The strings that records point to, as the kernel's `printk_formats` has them.
    pub printk_formats: String,
    /// Threads that have run lately, and their names, as the kernel's `saved_cmdlines` has them.
    pub names: Vec<(i32, String)>,
}

/// The events that the kernel has: system and name.
///
/// # Errors
///
/// When the kernel doesn't let us know.
pub fn available_events() -> Result<Vec<(String, String)>, Error> {
    let path = tracefs::directory()?.join("available_events");
    let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    let names = text.lines().filter_map(|line| line.split_once(':'));
    Ok(names.map(|(system, name)| (system.to_owned(), name.to_owned())).collect())
}

impl KernelTrace {
    /// Records these events of these threads, and of all that they start from now on, or of all threads where
    /// that is None: in a clock, and with so large a buffer for each CPU, or larger.
    ///
    /// # Errors
    ///
    /// When the kernel doesn't let us, or can't, or refuses a filter.
    pub fn start(
        events: &[KernelEvent],
        buffer: (Clock, u64),
        threads: Option<impl IntoIterator<Item = u32>>,
    ) -> Result<KernelTrace, Error> {
        let instance = TracefsInstance::make(buffer, threads)?;
        let mut systems: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for KernelEvent { system, name, filter } in events {
            let format = instance.enable(system, name, filter.as_deref())?;
            systems.entry(system.clone()).or_default().push(format);
        }
        Ok(KernelTrace { instance, systems })
    }

    /// The instance.
    pub fn instance(&mut self) -> &mut TracefsInstance {
        &mut self.instance
    }

    /// Consumes what is there, CPU by CPU, at most so many pages of each: the kernel goes on meanwhile. The
    /// bytes of the CPU that had most.
    ///
    /// # Errors
    ///
    /// When the kernel's pages can't be read, or that of `take`.
    pub fn consume<E: From<std::io::Error>>(
        &mut self,
        most: usize,
        take: impl FnMut(&KernelRecord<'_>) -> Result<(), E>,
    ) -> Result<u64, E> {
        self.instance.consume(most, take)
    }

    /// Records no more: what is there can be consumed until nothing is left.
    pub fn stop(&self) {
        self.instance.stop();
    }

    /// What is needed to understand what it has recorded.
    pub fn description(&self) -> KernelDescription {
        let systems = self.systems.iter();
        let systems = systems.map(|(name, formats)| System { name: name.clone(), formats: formats.clone() });
        let read = |file: &str| {
            let top = tracefs::directory().ok()?;
            // Names may be of any bytes.
            let bytes = std::fs::read(top.join(file)).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let names = read("saved_cmdlines").unwrap_or_default();
        let names = names.lines().filter_map(|line| {
            let (tid, name) = line.trim_start().split_once(' ')?;
            Some((tid.parse().ok()?, name.to_owned()))
        });
        KernelDescription {
            systems: systems.collect(),
            printk_formats: read("printk_formats").unwrap_or_default(),
            names: names.collect(),
        }
    }
}
