//! Which events a control file is about.

use crate::catalog::EventName;
use crate::errno::errno;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Events that are enabled and disabled together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Group {
    /// All that can be enabled.
    All,
    /// A system's.
    System(String),
    /// One.
    Event(EventName),
}

impl Group {
    /// Those that exist now.
    pub(crate) fn events(&self, array: &TraceArray) -> Vec<EventName> {
        match self {
            Group::All => array.catalog().switchable().cloned().collect(),
            Group::System(system) => {
                let catalog = array.catalog();
                catalog.events_of(system).filter(|name| name.is_switchable()).cloned().collect()
            }
            Group::Event(name) => vec![name.clone()],
        }
    }

    /// Their ids.
    pub(crate) fn ids(&self, array: &TraceArray) -> Vec<u16> {
        self.events(array).iter().map(|name| name.id).collect()
    }

    /// Enables or disables them; with all, or all of a system, those that programs bring later, too.
    pub(crate) fn set(&self, array: &TraceArray, on: bool) -> Result<(), Errno> {
        let pattern = match self {
            Group::All => Some("*:*".to_string()),
            Group::System(system) => Some(format!("{system}:*")),
            Group::Event(_) => None,
        };
        array.instance().switch(pattern.as_deref(), on, || self.ids(array)).map(drop).map_err(errno)
    }
}

/// Whether an event is enabled.
pub(crate) fn is_enabled(array: &TraceArray, event: &EventName) -> bool {
    array.instance().control().is_enabled(event.id, array.instance().index())
}
