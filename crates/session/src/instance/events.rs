//! Which events a session knows and which are on.

use super::tracer;
use crate::{Error, Instance, Selection};
use events::format_file;
use std::collections::HashMap;

/// An event of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventInfo {
    /// Its id: what `common_type` is.
    pub id: u16,
    /// Its system.
    pub system: String,
    /// Its name.
    pub name: String,
    /// Its class, if it has one: not those that programs define.
    pub class: Option<&'static str>,
    /// Whether it is on.
    pub enabled: bool,
    /// The text of its filter.
    pub filter: Option<String>,
    /// The whole text of its `format` file.
    pub format: String,
}

impl Instance {
    /// All events that the session knows, but for those of probes that were removed.
    pub fn events(&self) -> impl Iterator<Item = EventInfo> {
        let removed = self.session.removed_probe_events();
        self.described_events().filter(move |event| !removed.contains(&event.id))
    }

    /// All events that there are descriptions of: for readers of what was recorded.
    pub fn described_events(&self) -> impl Iterator<Item = EventInfo> {
        let classes: HashMap<u16, &str> =
            events::all().filter_map(|event| Some((event.id, event.class?))).collect();
        let mut buffer = vec![0; 64 * 1024];
        let ids = self.control().event_ids();
        ids.filter_map(move |id| self.event(id, classes.get(&id).copied(), &mut buffer))
    }

    /// Those of these ids that it knows, without their classes.
    pub(crate) fn events_of_ids(&self, ids: &[u16]) -> impl Iterator<Item = EventInfo> {
        let mut buffer = vec![0; 64 * 1024];
        ids.iter().filter_map(move |id| self.event(*id, None, &mut buffer))
    }

    /// The event of this id, if the session knows it.
    pub fn event_of_id(&self, id: u16) -> Option<EventInfo> {
        let class = events::all().find(|event| event.id == id).and_then(|event| event.class);
        self.event(id, class, &mut vec![0; 64 * 1024])
    }

    fn event(&self, id: u16, class: Option<&'static str>, buffer: &mut [u8]) -> Option<EventInfo> {
        let found = self.control().describe(id, buffer)?;
        let (system, name) = (found.system.to_string(), found.name.to_string());
        let format = format_file(&name, id, found.format).to_string();
        let enabled = self.control().is_enabled(id, self.index);
        Some(EventInfo { id, system, name, class, enabled, filter: self.filter(id), format })
    }

    /// The events that are selected: none of those that tracers write, which are on with these alone.
    pub(crate) fn selected(&self, selection: &Selection) -> Vec<EventInfo> {
        let is_selected = |event: &EventInfo| {
            !tracer::writes(event.id) && selection.matches(&event.system, &event.name, event.class)
        };
        self.events().filter(is_selected).collect()
    }

    pub(crate) fn no_such_event(&self, selection: &Selection) -> Error {
        Error::NoSuchEvent { selection: selection.text().to_string(), similar: self.similar(selection) }
    }

    /// Events that may be meant where none is selected.
    pub(crate) fn similar(&self, selection: &Selection) -> Vec<String> {
        let events: Vec<EventInfo> = self.events().collect();
        selection.similar(events.iter().map(|event| (event.system.as_str(), event.name.as_str())))
    }
}
