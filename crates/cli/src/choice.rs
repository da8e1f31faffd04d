//! Which events are meant, decided event by event.

mod event_filter;
mod list;
mod time;

pub(crate) use event_filter::EventFilter;
pub(crate) use list::List;
pub(crate) use time::{Moment, Span, is_relative};

use crate::arguments::Choice;
use crate::failure::{Done, Failure};
use event_filter::EventFilters;
use session::Selection;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use time::Window;
use trace_data::event::EventTable;
use trace_data::record::Record;
use trace_data::symbols::SymbolTable;
use trace_data::text::Tasks;

/// What has to be known beside an event to choose it.
pub(crate) struct Known<'a> {
    /// The threads.
    pub(crate) tasks: &'a dyn Tasks,
    /// Strings that records point to.
    pub(crate) symbols: &'a SymbolTable,
}

/// What relative times and dates are counted from.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Times<'a> {
    /// The times of the first event and of the last.
    pub(crate) bounds: Option<(u64, u64)>,
    /// What the wall clock showed.
    pub(crate) supplement: Option<&'a trace_data::dat::Supplement>,
}

/// What is asked for. Nothing means everything.
pub(crate) struct Chosen<'a> {
    /// The id of stacks, and the threads whose last event was meant.
    stack: Option<u16>,
    followed: RefCell<HashSet<i32>>,
    events: Option<Ids>,
    filters: Option<EventFilters>,
    cpus: Option<List>,
    threads: Option<List>,
    processes: Option<List>,
    names: &'a [String],
    window: Window,
}

/// Ids of events.
#[derive(Debug, Default)]
pub(crate) struct Ids(Vec<bool>);

impl Ids {
    /// Those of the selected events. A selection that selects none is an error: it is a typing error.
    pub(crate) fn select(selections: &[Selection], events: &EventTable) -> Done<Ids> {
        let classes: HashMap<(&str, &str), &str> =
            events::all().filter_map(|event| Some(((event.system, event.name), event.class?))).collect();
        let mut ids = Ids::default();
        for selection in selections {
            let selected = events.iter().map(|event| event.format()).filter(|format| {
                let class = classes.get(&(format.system.as_str(), format.name.as_str()));
                selection.matches(&format.system, &format.name, class.copied())
            });
            let found: Vec<u16> = selected.map(|format| format.id).collect();
            if found.is_empty() {
                return Err(unknown(selection, events));
            }
            found.into_iter().for_each(|id| ids.insert(id));
        }
        Ok(ids)
    }

    fn insert(&mut self, id: u16) {
        let id = usize::from(id);
        if self.0.len() <= id {
            self.0.resize(id + 1, false);
        }
        self.0[id] = true;
    }

    /// Whether an event is among them.
    pub(crate) fn contains(&self, id: u16) -> bool {
        self.0.get(usize::from(id)).copied().unwrap_or(false)
    }
}

fn unknown(selection: &Selection, events: &EventTable) -> Failure {
    let names = events.iter().map(|event| (event.format().system.as_str(), event.format().name.as_str()));
    let similar = selection.similar(names);
    let hint = if similar.is_empty() { String::new() } else { format!("; similar: {}", similar.join(", ")) };
    Failure::failed(format_args!("the recording knows no event called {}{hint}", selection.text()))
}

impl<'a> Chosen<'a> {
    /// From the arguments, for these events. All filters are compiled: to be done once.
    pub(crate) fn new(choice: &'a Choice, table: &EventTable, times: Times<'_>) -> Done<Chosen<'a>> {
        let events = match choice.events.as_slice() {
            [] => None,
            selections => Some(Ids::select(selections, table)?),
        };
        let filters = match choice.filters.as_slice() {
            [] => None,
            filters => Some(EventFilters::new(filters, choice.invert, table)?),
        };
        Ok(Chosen {
            stack: table.named("ftrace", "kernel_stack").map(|event| event.format().id),
            followed: RefCell::default(),
            events,
            filters,
            cpus: choice.cpu.clone(),
            threads: choice.pid.clone(),
            processes: choice.tgid.clone(),
            names: &choice.comm,
            window: Window::new(choice, times)?,
        })
    }

    /// Whether an event is meant. A stack is if the event is that it belongs to: the thread's last.
    pub(crate) fn contains(&self, record: &Record<'_>, known: &Known<'_>) -> bool {
        let word = record.payload.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let (id, pid) = (abi::common::event(word), abi::common::pid(word));
        let is_meant = self.fits(id, pid, record, known);
        let chooses_events = self.events.is_some() || self.filters.is_some();
        if self.stack.is_none() || !chooses_events {
            return is_meant;
        }
        let mut followed = self.followed.borrow_mut();
        if self.stack == Some(id) {
            return is_meant || followed.contains(&pid);
        }
        if is_meant {
            followed.insert(pid)
        } else {
            followed.remove(&pid)
        };
        is_meant
    }

    /// Whether it is everything that is asked for. What costs least is looked at first.
    fn fits(&self, id: u16, pid: i32, record: &Record<'_>, known: &Known<'_>) -> bool {
        let tasks = known.tasks;
        self.window.contains(record.time)
            && self.events.as_ref().is_none_or(|events| events.contains(id))
            && self.cpus.as_ref().is_none_or(|cpus| cpus.contains(record.cpu))
            && self.threads.as_ref().is_none_or(|threads| threads.contains(pid as u32))
            && self
                .processes
                .as_ref()
                .is_none_or(|processes| tasks.tgid(pid).is_some_and(|tgid| processes.contains(tgid as u32)))
            && (self.names.is_empty() || self.is_named(tasks.comm(pid).unwrap_or_default()))
            && self.filters.as_ref().is_none_or(|filters| filters.contains(id, pid, record, known))
    }

    fn is_named(&self, comm: &str) -> bool {
        self.names.iter().any(|name| ::event_filter::glob(name.as_bytes(), comm.as_bytes()))
    }
}
