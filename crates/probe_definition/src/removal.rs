//! Removing probes by their names.

use crate::definition::ProbeDefinition;
use std::iter::zip;

/// Which probes are to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    group: Option<String>,
    /// Empty for all of the group.
    event: String,
    /// The place and the arguments that they have to have, as they are shown.
    rest: Vec<String>,
}

impl Removal {
    /// What `-:[GRP/]EVENT` says, or a definition after a `!`. None for what says nothing.
    pub fn parse(line: &str) -> Option<Removal> {
        let mut words = line.split_ascii_whitespace();
        let first = words.next()?;
        let name = match first.strip_prefix('-') {
            Some(rest) => rest.strip_prefix(':')?,
            None => first.split_once(':')?.1,
        };
        let (group, event) = match name.split_once('/') {
            Some((group, event)) => (Some(group.to_string()), event),
            None => (None, name),
        };
        let is_named = group.is_some() || !event.is_empty();
        let rest = words.map(str::to_string).collect();
        is_named.then(|| Removal { group, event: event.to_string(), rest })
    }

    /// Whether it means a probe.
    pub fn matches(&self, probe: &ProbeDefinition) -> bool {
        let shown = probe.to_string();
        let mut words = shown.split_ascii_whitespace().skip(1);
        (self.event.is_empty() || self.event == probe.event)
            && self.group.as_ref().is_none_or(|group| *group == probe.group)
            && self.rest.len() <= probe.arguments.len() + 1
            && zip(&self.rest, words.by_ref()).all(|(wanted, found)| wanted == found)
    }
}
