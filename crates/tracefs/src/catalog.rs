//! What the session's events are called.

use crate::errno::errno;
use crate::event::Name;
use crate::tree::Tree;
use control::Description;
use events::ftrace::SYSTEM as FTRACE;
use rustix::io::Errno;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes that a description takes at most.
const LONGEST: usize = 8192;

/// The events of a session, to be found by their names. There may be more by now, but never others.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    /// In the order of their ids.
    events: Vec<Name>,
    /// Their places, by system and name.
    places: HashMap<String, HashMap<String, usize>>,
    /// The id that the next will have, whether those before it can be described or not; 0 where nobody has
    /// looked yet.
    next: u16,
}

impl Catalog {
    /// The events that there are now: those of `known`, if there are no more.
    pub(crate) fn update(known: &mut Arc<Catalog>, tree: &Tree) -> Arc<Catalog> {
        let control = tree.session().control();
        let next = control.next_event(known.next);
        if next != known.next {
            let mut catalog = Catalog { next, ..Catalog::default() };
            let mut buffer = vec![0; LONGEST];
            for id in control.event_ids() {
                control.describe(id, &mut buffer).into_iter().for_each(|found| catalog.insert(&found));
            }
            *known = Arc::new(catalog);
        }
        known.clone()
    }

    fn insert(&mut self, found: &Description<'_>) {
        let (system, event) = (found.system.to_string(), found.name.to_string());
        // Of two with the same name the first is found.
        let places = self.places.entry(system.clone()).or_default();
        places.entry(event.clone()).or_insert(self.events.len());
        self.events.push(Name { id: found.id, system, event });
    }
}

/// All events, in the order of their ids.
pub(crate) fn events(tree: &Tree) -> Vec<Name> {
    tree.catalog().events.clone()
}

/// The event of this name.
pub(crate) fn event(tree: &Tree, system: &str, event: &str) -> Option<Name> {
    let catalog = tree.catalog();
    let place = catalog.places.get(system)?.get(event)?;
    catalog.events.get(*place).cloned()
}

/// Whether there is a system of this name.
pub(crate) fn has_system(tree: &Tree, system: &str) -> bool {
    tree.catalog().places.contains_key(system)
}

/// Those that can be enabled and off: all but the kernel's own `ftrace` ones.
pub(crate) fn switchable(tree: &Tree) -> Vec<Name> {
    events(tree).into_iter().filter(|name| name.system != FTRACE).collect()
}

/// Whether an event is on.
pub(crate) fn is_on(tree: &Tree, name: &Name) -> bool {
    tree.session().control().is_enabled(name.id, tree.session().index())
}

/// Which events are meant by who switches them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Group {
    /// All that can be switched.
    All,
    /// A system's.
    System(String),
    /// One.
    Event(Name),
}

impl Group {
    /// Those that there are.
    pub(crate) fn events(&self, tree: &Tree) -> Vec<Name> {
        match self {
            Group::All => switchable(tree),
            Group::System(system) => {
                switchable(tree).into_iter().filter(|name| name.system == *system).collect()
            }
            Group::Event(name) => vec![name.clone()],
        }
    }

    /// Switches them; with all, or all of a system, those that programs bring later, too.
    pub(crate) fn set(&self, tree: &Tree, on: bool) -> Result<(), Errno> {
        let pattern = match self {
            Group::All => Some("*:*".to_string()),
            Group::System(system) => Some(format!("{system}:*")),
            Group::Event(_) => None,
        };
        let ids = || self.events(tree).iter().map(|name| name.id).collect();
        let switched = tree.session().switch(pattern.as_deref(), on, ids);
        switched.map(drop).map_err(|error| errno(&error))
    }
}
