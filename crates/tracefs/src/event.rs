//! `events`: systems, their events, and what each has.

mod enable;
mod filter;
mod format;
mod header_event;
mod header_page;
mod id;
mod trigger;

use crate::catalog::{self, Group};
use crate::tree::{Directory, Node, Tree};
use enable::Enable;
use events::ftrace::{PRINT_ID, SYSTEM as FTRACE};
use filter::Filter;
use format::Format;
use header_event::HeaderEvent;
use header_page::HeaderPage;
use id::Id;
use trigger::Trigger;

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Its id.
    pub id: u16,
    /// Its system.
    pub system: String,
    /// Its name in it.
    pub event: String,
}

/// What `events` has.
pub(crate) fn names(tree: &Tree) -> Vec<String> {
    let mut names: Vec<String> = catalog::events(tree).into_iter().map(|name| name.system).collect();
    names.sort();
    names.dedup();
    names.extend(["enable", "header_event", "header_page"].map(String::from));
    names
}

/// What `events` has of this name.
pub(crate) fn entry(tree: &Tree, name: &str) -> Option<Node> {
    match name {
        "enable" => Some(Node::File(Box::new(Enable(Group::All)))),
        "header_event" => Some(Node::File(Box::new(HeaderEvent))),
        "header_page" => Some(Node::File(Box::new(HeaderPage))),
        system => {
            catalog::has_system(tree, system).then(|| Node::Directory(Directory::System(system.to_string())))
        }
    }
}

/// What a system has.
pub(crate) fn names_of_system(tree: &Tree, system: &str) -> Vec<String> {
    let events = catalog::events(tree).into_iter().filter(|name| name.system == system);
    let mut names: Vec<String> = events.map(|name| name.event).collect();
    if system != FTRACE {
        names.extend(["enable", "filter"].map(String::from));
    }
    names
}

/// What a system has of this name.
pub(crate) fn entry_of_system(tree: &Tree, system: &str, name: &str) -> Option<Node> {
    let group = || Group::System(system.to_string());
    match name {
        "enable" if system != FTRACE => return Some(Node::File(Box::new(Enable(group())))),
        "filter" if system != FTRACE => return Some(Node::File(Box::new(Filter(group())))),
        _ => {}
    }
    catalog::event(tree, system, name).map(|event| Node::Directory(Directory::Event(event)))
}

/// What an event has.
pub(crate) fn names_of_event(event: &Name) -> Vec<String> {
    let names: &[&str] = match event {
        Name { id: PRINT_ID, .. } => &["format", "id", "trigger"],
        event if event.system == FTRACE => &["format"],
        _ => &["enable", "filter", "format", "id", "trigger"],
    };
    names.iter().map(ToString::to_string).collect()
}

/// What an event has of this name.
pub(crate) fn entry_of_event(event: &Name, name: &str) -> Option<Node> {
    if !names_of_event(event).iter().any(|known| known == name) {
        return None;
    }
    match name {
        "enable" => Some(Node::File(Box::new(Enable(Group::Event(event.clone()))))),
        "filter" => Some(Node::File(Box::new(Filter(Group::Event(event.clone()))))),
        "format" => Some(Node::File(Box::new(Format(event.clone())))),
        "id" => Some(Node::File(Box::new(Id(event.clone())))),
        "trigger" => Some(Node::File(Box::new(Trigger(event.clone())))),
        _ => None,
    }
}
