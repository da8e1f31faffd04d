//! Any events of the kernel's, next to those of the session.

use crate::Error;
use crate::kernel_spools::KernelSpools;
use crate::switches::{MOST_PAGES, buffer, threads};
use kernel_events::{KernelDescription, KernelEvent, KernelTrace, available_events};
use reading::Spool;
use session::{FilteredSelection, Instance};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

/// Which events of the kernel's are recorded. None by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelSelection {
    /// Which events, as `-e` has them; if several match an event, the last one applies.
    pub events: Vec<FilteredSelection>,
    /// Whether those of all threads are, and not only those of threads that are recorded.
    pub all_threads: bool,
}

/// Takes the kernel's events while a session is recorded.
#[derive(Debug)]
pub(crate) struct KernelEvents {
    trace: KernelTrace,
    pub(crate) spools: KernelSpools,
}

impl KernelEvents {
    /// Takes those that are selected from now on, if any are, and keeps them in files in `directory`. What
    /// the session has itself it does not have twice.
    pub(crate) fn start(
        session: &Instance,
        directory: &Path,
        selection: &KernelSelection,
    ) -> Result<Option<KernelEvents>, Error> {
        if selection.events.is_empty() {
            return Ok(None);
        }
        let events = selected(session, &selection.events)?;
        let threads = (!selection.all_threads).then(|| threads(session));
        let trace = KernelTrace::start(&events, buffer(session), threads)?;
        Ok(Some(KernelEvents { trace, spools: KernelSpools::new(session, directory) }))
    }

    /// The file by which a process has its threads followed, where it has to do something for that.
    pub(crate) fn entrance(&mut self) -> Option<File> {
        self.trace.instance().entrance().ok().flatten()
    }

    /// Follows the threads that are attached by now.
    pub(crate) fn look(&mut self, session: &Instance) {
        // Where the kernel takes none, it has not got the memory for it.
        let _ = self.trace.instance().follow(threads(session));
    }

    /// Takes what is there, and says how much the fullest CPU had, in bytes.
    pub(crate) fn take(&mut self, session: &Instance) -> io::Result<u64> {
        let is_on = session.buffer().is_tracing() && session.buffer().is_recording();
        let spools = &mut self.spools;
        self.trace.consume(MOST_PAGES, |record| spools.take(record, is_on))
    }

    /// Ends, and takes what is left.
    pub(crate) fn end(&mut self, session: &Instance) -> io::Result<()> {
        self.trace.stop();
        while self.take(session)? > 0 {}
        Ok(())
    }

    /// What was taken, as spools of lanes have it, and what it means.
    pub(crate) fn into_spools(self) -> io::Result<(Vec<Spool>, KernelDescription)> {
        Ok((self.spools.finish()?, self.trace.description()))
    }
}

/// The events that are selected, of those that the kernel has and the session doesn't record itself.
fn selected(session: &Instance, selections: &[FilteredSelection]) -> Result<Vec<KernelEvent>, Error> {
    let available = available_events()?;
    let mut filters: BTreeMap<(&str, &str), Option<&str>> = BTreeMap::new();
    for FilteredSelection { selection, filter } in selections {
        // Classes are of lookback's own events.
        let is_class = selection.text().starts_with('@');
        let is_meant =
            |(system, name): &&(String, String)| !is_class && selection.matches(system, name, None);
        let mut meant = available.iter().filter(is_meant).peekable();
        if meant.peek().is_none() {
            let names = available.iter().map(|(system, name)| (system.as_str(), name.as_str()));
            let has_system = |system: &str| available.iter().any(|(known, _)| known == system);
            let system = selection.text().split_once(':').map(|(system, _)| system);
            // Where the system is right, the rest is wrong.
            let column = system.filter(|system| has_system(system)).map_or(0, |system| system.len() + 1);
            let (text, similar) = (selection.text().to_owned(), selection.similar(names));
            return Err(Error::UnknownKernelEvent { text, column, similar });
        }
        filters.extend(meant.map(|(system, name)| ((system.as_str(), name.as_str()), filter.as_deref())));
    }
    let recorded = session.described_events(|id| session.control().is_enabled(id, session.index()));
    let recorded: Vec<(String, String)> = recorded.map(|event| (event.system, event.name)).collect();
    let is_recorded = |system: &str, name: &str| recorded.iter().any(|own| own.0 == system && own.1 == name);
    let events = filters.into_iter().filter(|((system, name), _)| !is_recorded(system, name));
    let event = |((system, name), filter): ((&str, &str), Option<&str>)| KernelEvent {
        system: system.to_owned(),
        name: name.to_owned(),
        filter: filter.map(str::to_owned),
    };
    Ok(events.map(event).collect())
}
