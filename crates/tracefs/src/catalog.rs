//! The names of the session's events.

use control::Description;
use events::ftrace::SYSTEM as FTRACE;
use session::Instance;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes that a description takes at most.
const LONGEST: usize = 8192;

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventName {
    /// Its id.
    pub(crate) id: u16,
    /// Its system.
    pub(crate) system: String,
    /// Its name in it.
    pub(crate) event: String,
}

impl EventName {
    /// Whether it can be enabled: all but the kernel's own `ftrace` ones.
    pub(crate) fn is_switchable(&self) -> bool {
        self.system != FTRACE
    }

    /// A line of `set_event`.
    pub(crate) fn line(&self) -> String {
        format!("{}:{}\n", self.system, self.event)
    }
}

/// The events of a session, to be found by their names. There may be more by now, but never others, unless
/// probes were removed.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    /// In the order of their ids.
    events: Vec<EventName>,
    /// Their places, by system and name.
    places: HashMap<String, HashMap<String, usize>>,
    /// The id that the next will have, whether those before it can be described or not; 0 where nobody has
    /// looked yet.
    next: u16,
    /// Which probes there were.
    probes: u64,
}

impl Catalog {
    /// Makes `known` again if there are more events by now, or other probes.
    pub(crate) fn update(known: &mut Arc<Catalog>, instance: &Instance) {
        let control = instance.control();
        let next = control.next_event(known.next);
        let probes = instance.session().probes_version();
        if (next, probes) != (known.next, known.probes) {
            let mut catalog = Catalog { next, probes, ..Catalog::default() };
            let removed = instance.session().removed_probe_events();
            let mut buffer = vec![0; LONGEST];
            for id in control.event_ids().filter(|id| !removed.contains(id)) {
                control.describe(id, &mut buffer).into_iter().for_each(|found| catalog.insert(&found));
            }
            *known = Arc::new(catalog);
        }
    }

    fn insert(&mut self, found: &Description<'_>) {
        let (system, event) = (found.system.to_string(), found.name.to_string());
        // Of two with the same name the first is found.
        let places = self.places.entry(system.clone()).or_default();
        places.entry(event.clone()).or_insert(self.events.len());
        self.events.push(EventName { id: found.id, system, event });
    }

    /// All events, in the order of their ids.
    pub(crate) fn events(&self) -> &[EventName] {
        &self.events
    }

    /// Those that can be enabled.
    pub(crate) fn switchable(&self) -> impl Iterator<Item = &EventName> {
        self.events.iter().filter(|name| name.is_switchable())
    }

    /// Those of a system.
    pub(crate) fn events_of<'a>(&'a self, system: &'a str) -> impl Iterator<Item = &'a EventName> {
        self.events.iter().filter(move |name| name.system == system)
    }

    /// The event of this name.
    pub(crate) fn event(&self, system: &str, event: &str) -> Option<&EventName> {
        self.events.get(*self.places.get(system)?.get(event)?)
    }

    /// The names of the systems.
    pub(crate) fn systems(&self) -> impl Iterator<Item = &String> {
        self.places.keys()
    }

    /// Whether there is a system of this name.
    pub(crate) fn has_system(&self, system: &str) -> bool {
        self.places.contains_key(system)
    }
}
