//! Which records are meant.

use crate::event_filter::{EventFilters, EventRule};
use crate::event_ids::select;
use crate::time::{TimeRange, TimeReference};
use crate::{Error, IdList};
use foldhash::HashSet;
use session::Selection;
use std::ops::RangeInclusive;
use trace_data::event::{Event, EventTable};
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Which records are meant: those that fit everything that is given. Without anything, all are.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Records of these events.
    pub events: Vec<Selection>,
    /// Records of this system's events.
    pub system: Option<String>,
    /// Records that fit one of these filters.
    pub filters: Vec<EventRule>,
    /// Records that fit none of the filters, instead.
    pub invert: bool,
    /// Records of these CPUs.
    pub cpus: Option<IdList>,
    /// Records of these threads.
    pub threads: Option<IdList>,
    /// Records of these processes' threads.
    pub processes: Option<IdList>,
    /// Records of threads whose name fits one of these patterns.
    pub names: Vec<String>,
    /// Records of this time.
    pub time: TimeRange,
}

/// A [`Choice`] compiled for the events of a trace, which decides record by record.
#[derive(Debug)]
pub struct Chooser {
    /// The id of stack traces, and the threads whose last event was meant.
    stack: Option<u16>,
    followed: HashSet<i32>,
    events: Option<HashSet<u16>>,
    filters: Option<EventFilters>,
    choice: Choice,
    window: RangeInclusive<u64>,
}

impl Chooser {
    /// Compiles a choice, which costs about a microsecond for each event and filter.
    ///
    /// # Errors
    ///
    /// When an event is unknown, a filter is wrong for all of its events, or a time range can't be had.
    pub fn new(choice: &Choice, events: &EventTable, reference: TimeReference<'_>) -> Result<Chooser, Error> {
        let mut ids = match choice.events.as_slice() {
            [] => None,
            selections => Some(select(selections, events)?),
        };
        if let Some(system) = &choice.system {
            let of_system = events.iter().map(Event::format).filter(|format| format.system == *system);
            let is_selected = |id: &u16| ids.as_ref().is_none_or(|ids| ids.contains(id));
            ids = Some(of_system.map(|format| format.id).filter(is_selected).collect());
        }
        let filters = match choice.filters.as_slice() {
            [] => None,
            filters => Some(EventFilters::new(filters, choice.invert, events)?),
        };
        Ok(Chooser {
            stack: events.named("ftrace", "kernel_stack").map(|event| event.format().id),
            followed: HashSet::default(),
            events: ids,
            filters,
            choice: choice.clone(),
            window: choice.time.resolve(reference)?,
        })
    }

    /// Whether a record is meant. Records have to come in the order of time: a stack trace is meant if the
    /// event that it belongs to is, which is its thread's last.
    pub fn contains(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> bool {
        let (id, pid) = (record.id(), record.pid());
        let is_meant = self.fits(id, pid, record, trace);
        let chooses_events = self.events.is_some() || self.filters.is_some();
        if self.stack.is_none() || !chooses_events {
            return is_meant;
        }
        if self.stack == Some(id) {
            return is_meant || self.followed.contains(&pid);
        }
        if is_meant {
            self.followed.insert(pid)
        } else {
            self.followed.remove(&pid)
        };
        is_meant
    }

    /// Whether an event is one of those that are asked for by name; where none is, all are.
    pub fn names_event(&self, id: u16) -> bool {
        self.events.as_ref().is_none_or(|events| events.contains(&id))
    }

    /// The times that are meant.
    pub fn window(&self) -> &RangeInclusive<u64> {
        &self.window
    }

    /// Whether it is everything that is asked for. The cheapest tests come first.
    fn fits(&self, id: u16, pid: i32, record: &Record<'_>, trace: &TraceInfo<'_>) -> bool {
        let Choice { cpus, threads, processes, names, .. } = &self.choice;
        self.window.contains(&record.time)
            && self.names_event(id)
            && cpus.as_ref().is_none_or(|cpus| cpus.contains(record.cpu))
            && threads.as_ref().is_none_or(|threads| threads.contains(pid as u32))
            && processes.as_ref().is_none_or(|processes| {
                trace.tasks.tgid(pid).is_some_and(|tgid| processes.contains(tgid as u32))
            })
            && (names.is_empty() || is_named(trace.tasks.comm(pid).unwrap_or_default(), names))
            && self.filters.as_ref().is_none_or(|filters| filters.contains(id, pid, record, trace))
    }
}

fn is_named(comm: &str, names: &[String]) -> bool {
    names.iter().any(|name| event_filter::glob(name.as_bytes(), comm.as_bytes()))
}
