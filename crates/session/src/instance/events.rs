//! Which events a session knows and which are on.

use super::tracer;
use crate::{Error, Instance, Selection};
use control::Description;
use events::{EventType, format_file};
use std::collections::HashMap;
use std::sync::LazyLock;

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

/// The events that are built in, by their ids.
static BUILT_IN: LazyLock<HashMap<u16, EventType>> =
    LazyLock::new(|| events::all().map(|event| (event.id, event)).collect());

/// Whether an event is built in: every session has it.
pub fn is_built_in(id: u16) -> bool {
    BUILT_IN.contains_key(&id)
}

/// Bytes that a description takes at most.
const LONGEST: usize = 64 * 1024;

impl Instance {
    /// All events that the session knows, but for those of probes that were removed.
    pub fn events(&self) -> impl Iterator<Item = EventInfo> {
        let removed = self.session.removed_probe_events();
        self.described_events(move |id| !removed.contains(&id))
    }

    /// All events that there are descriptions of, if their ids are wanted: for readers of what was recorded.
    pub fn described_events(&self, is_wanted: impl Fn(u16) -> bool) -> impl Iterator<Item = EventInfo> {
        let mut buffer = vec![0; LONGEST];
        let ids = self.control().event_ids().filter(move |id| is_wanted(*id));
        ids.filter_map(move |id| self.event(id, &mut buffer))
    }

    /// Those of these ids that it knows.
    pub(crate) fn events_of_ids(&self, ids: &[u16]) -> impl Iterator<Item = EventInfo> {
        let mut buffer = vec![0; LONGEST];
        ids.iter().filter_map(move |id| self.event(*id, &mut buffer))
    }

    /// The event of this id, if the session knows it.
    pub fn event_of_id(&self, id: u16) -> Option<EventInfo> {
        self.event(id, &mut vec![0; LONGEST])
    }

    fn event(&self, id: u16, buffer: &mut [u8]) -> Option<EventInfo> {
        let found = self.control().describe(id, buffer)?;
        let (system, name) = (found.system.to_string(), found.name.to_string());
        let (class, format) = match BUILT_IN.get(&id) {
            Some(event) => (event.class, format_file(&name, id, event.own_format()).to_string()),
            None => (None, format_file(&name, id, found.format).to_string()),
        };
        let enabled = self.control().is_enabled(id, self.index);
        Some(EventInfo { id, system, name, class, enabled, filter: self.filter(id), format })
    }

    /// The ids of the events that are selected: none of those that tracers write, which are on with these
    /// alone.
    pub(crate) fn selected(&self, selection: &Selection) -> Vec<u16> {
        let is_selected = |event: &Description<'_>| {
            let class = BUILT_IN.get(&event.id).and_then(|event| event.class);
            !tracer::writes(event.id) && selection.matches(event.system, event.name, class)
        };
        let mut selected = Vec::new();
        self.visit_names(|event| selected.extend(is_selected(event).then_some(event.id)));
        selected
    }

    /// Whether any event is selected.
    pub fn has_selected(&self, selection: &Selection) -> bool {
        !self.selected(selection).is_empty()
    }

    /// Calls `visit` for all events that the session knows, as [`Instance::events`] gives them: without what
    /// takes longest to make, their formats.
    fn visit_names(&self, mut visit: impl FnMut(&Description<'_>)) {
        let removed = self.session.removed_probe_events();
        let mut buffer = vec![0; LONGEST];
        for id in self.control().event_ids().filter(|id| !removed.contains(id)) {
            self.control().describe(id, &mut buffer).iter().for_each(&mut visit);
        }
    }

    pub(crate) fn no_such_event(&self, selection: &Selection) -> Error {
        Error::NoSuchEvent { selection: selection.text().to_string(), similar: self.similar(selection) }
    }

    /// Events that may be meant where none is selected.
    pub(crate) fn similar(&self, selection: &Selection) -> Vec<String> {
        let mut names = Vec::new();
        self.visit_names(|event| names.push((event.system.to_owned(), event.name.to_owned())));
        selection.similar(names.iter().map(|(system, name)| (system.as_str(), name.as_str())))
    }
}
