//! `events`: systems, their events, and what each has.

mod enable;
mod filter;
mod format;
mod headers;
mod id;
mod trigger;

use crate::catalog::EventName;
use crate::control_file::ControlFile;
use crate::group::Group;
use crate::node::{Directory, Node};
use crate::trace_array::TraceArray;
use enable::Enable;
use events::ftrace::{FUNCTION_ID, PRINT_ID, SYSTEM as FTRACE};
use filter::FilterFile;
use format::EventFormatFile;
use headers::{HeaderEvent, HeaderPage};
use id::Id;
use std::sync::Arc;
use trigger::TriggerFile;

/// `events`, `events/SYSTEM`, or `events/SYSTEM/EVENT`.
pub(crate) struct EventsDirectory(pub(crate) Group);

impl EventsDirectory {
    fn files(&self) -> &'static [&'static str] {
        match &self.0 {
            Group::All => &["enable", "header_event", "header_page"],
            Group::System(system) if system == FTRACE => &[],
            Group::System(_) => &["enable", "filter"],
            Group::Event(EventName { id: PRINT_ID, .. }) => &["format", "id", "trigger"],
            Group::Event(EventName { id: FUNCTION_ID, .. }) => &["format", "id"],
            Group::Event(event) if !event.is_switchable() => &["format"],
            Group::Event(_) => &["enable", "filter", "format", "id", "trigger"],
        }
    }

    fn file(&self, name: &str) -> Option<Arc<dyn ControlFile>> {
        Some(match (name, self.0.clone()) {
            ("enable", group) => Arc::new(Enable(group)),
            ("filter", group) => Arc::new(FilterFile(group)),
            ("header_event", _) => Arc::new(HeaderEvent),
            ("header_page", _) => Arc::new(HeaderPage),
            ("format", Group::Event(event)) => Arc::new(EventFormatFile(event)),
            ("id", Group::Event(event)) => Arc::new(Id(event)),
            ("trigger", Group::Event(event)) => Arc::new(TriggerFile(event)),
            _ => return None,
        })
    }
}

impl Directory for EventsDirectory {
    fn mode(&self) -> u32 {
        0o755
    }

    fn names(&self, array: &TraceArray) -> Vec<String> {
        let catalog = array.catalog();
        let mut names: Vec<String> = match &self.0 {
            Group::All => catalog.systems().cloned().collect(),
            Group::System(system) => catalog.events_of(system).map(|name| name.event.clone()).collect(),
            Group::Event(_) => Vec::new(),
        };
        names.extend(self.files().iter().map(ToString::to_string));
        names
    }

    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node> {
        if self.files().contains(&name) {
            return Some(Node::file(array, self.file(name)?));
        }
        let group = match &self.0 {
            Group::All => array.catalog().has_system(name).then(|| Group::System(name.to_string())),
            Group::System(system) => array.catalog().event(system, name).cloned().map(Group::Event),
            Group::Event(_) => None,
        };
        Some(Node::directory(array, Arc::new(EventsDirectory(group?))))
    }
}
