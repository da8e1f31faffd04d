//! `events`: systems, their events, and what each has.

mod enable;
mod filter;
mod format;
mod header_event;
mod header_page;
mod id;
mod trigger;

use crate::catalog::EventName;
use crate::control_file::ControlFile;
use crate::group::Group;
use crate::node::{Directory, Node};
use crate::trace_array::TraceArray;
use enable::Enable;
use events::ftrace::{PRINT_ID, SYSTEM as FTRACE};
use filter::FilterFile;
use format::EventFormatFile;
use header_event::HeaderEvent;
use header_page::HeaderPage;
use id::Id;
use std::sync::Arc;
use trigger::TriggerFile;

/// `events`.
pub(crate) struct EventsDirectory;

impl Directory for EventsDirectory {
    fn mode(&self) -> u32 {
        0o755
    }

    fn names(&self, array: &TraceArray) -> Vec<String> {
        let files = ["enable", "header_event", "header_page"].map(String::from);
        array.catalog().systems().cloned().chain(files).collect()
    }

    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node> {
        let file: Arc<dyn ControlFile> = match name {
            "enable" => Arc::new(Enable(Group::All)),
            "header_event" => Arc::new(HeaderEvent),
            "header_page" => Arc::new(HeaderPage),
            system if array.catalog().has_system(system) => {
                return Some(Node::directory(array, Arc::new(SystemDirectory(system.to_string()))));
            }
            _ => return None,
        };
        Some(Node::file(array, file))
    }
}

/// `events/SYSTEM`.
struct SystemDirectory(String);

impl Directory for SystemDirectory {
    fn mode(&self) -> u32 {
        0o755
    }

    fn names(&self, array: &TraceArray) -> Vec<String> {
        let mut names: Vec<String> =
            array.catalog().events_of(&self.0).map(|name| name.event.clone()).collect();
        if self.0 != FTRACE {
            names.extend(["enable", "filter"].map(String::from));
        }
        names
    }

    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node> {
        let group = || Group::System(self.0.clone());
        Some(match name {
            "enable" if self.0 != FTRACE => Node::file(array, Arc::new(Enable(group()))),
            "filter" if self.0 != FTRACE => Node::file(array, Arc::new(FilterFile(group()))),
            name => {
                let event = array.catalog().event(&self.0, name)?.clone();
                Node::directory(array, Arc::new(EventDirectory(event)))
            }
        })
    }
}

/// `events/SYSTEM/EVENT`.
struct EventDirectory(EventName);

impl EventDirectory {
    fn has(&self) -> &'static [&'static str] {
        match &self.0 {
            EventName { id: PRINT_ID, .. } => &["format", "id", "trigger"],
            event if event.system == FTRACE => &["format"],
            _ => &["enable", "filter", "format", "id", "trigger"],
        }
    }
}

impl Directory for EventDirectory {
    fn mode(&self) -> u32 {
        0o755
    }

    fn names(&self, _array: &TraceArray) -> Vec<String> {
        self.has().iter().map(ToString::to_string).collect()
    }

    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node> {
        let event = self.0.clone();
        let file: Arc<dyn ControlFile> = match *self.has().iter().find(|known| **known == name)? {
            "enable" => Arc::new(Enable(Group::Event(event))),
            "filter" => Arc::new(FilterFile(Group::Event(event))),
            "format" => Arc::new(EventFormatFile(event)),
            "id" => Arc::new(Id(event)),
            _ => Arc::new(TriggerFile(event)),
        };
        Some(Node::file(array, file))
    }
}
