//! What the session's events are called.

use crate::event::Name;
use crate::tree::{Tree, errno};
use control::Description;
use rustix::io::Errno;
use session::FTRACE;

/// Bytes that a description takes at most.
const LONGEST: usize = 8192;

/// All events, in the order of their ids.
pub(crate) fn events(tree: &Tree) -> Vec<Name> {
    let mut names = Vec::new();
    find(tree, |found| {
        names.push(name(found));
        false
    });
    names
}

/// The event of this name.
pub(crate) fn event(tree: &Tree, system: &str, event: &str) -> Option<Name> {
    find(tree, |found| found.system == system && found.name == event)
}

/// Whether there is a system of this name.
pub(crate) fn has_system(tree: &Tree, system: &str) -> bool {
    find(tree, |found| found.system == system).is_some()
}

/// The first event that `is_meant` says is.
fn find(tree: &Tree, mut is_meant: impl FnMut(&Description<'_>) -> bool) -> Option<Name> {
    let control = tree.session().control();
    let mut buffer = vec![0; LONGEST];
    control.event_ids().find_map(|id| {
        let found = control.describe(id, &mut buffer)?;
        is_meant(&found).then(|| name(&found))
    })
}

fn name(found: &Description<'_>) -> Name {
    Name { id: found.id, system: found.system.to_string(), event: found.name.to_string() }
}

/// Those that can be switched on and off: all but the kernel's own `ftrace` ones.
pub(crate) fn switchable(tree: &Tree) -> Vec<Name> {
    events(tree).into_iter().filter(|name| name.system != FTRACE).collect()
}

/// Whether an event is on.
pub(crate) fn is_on(tree: &Tree, name: &Name) -> bool {
    tree.session().control().is_enabled(name.id, tree.session().instance())
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
