//! Which events are meant.
//!
//! `SYSTEM:EVENT`, with `*`, `?` and `[...]` as in the shell; `SYSTEM:` or `SYSTEM` for all of a system;
//! `EVENT` in any system; `@CLASS` for all events of a class, `@CLASS:PART` for a part of it; `@default` for
//! all but the classes on request. As the kernel's `set_event`, and more.

use control::{glob, selects};
use std::str::FromStr;

/// How many events are suggested for one that doesn't exist.
const SUGGESTIONS: usize = 4;

/// A choice of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    text: String,
    kind: SelectionKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SelectionKind {
    Class(String),
    Event { system: String, name: String },
    SystemOrEvent(String),
}

/// Why a text is not a selection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} names no events: expected SYSTEM:EVENT, SYSTEM, EVENT or @CLASS, with * and ? as in the shell"
)]
pub struct BadSelection {
    text: String,
}

impl FromStr for Selection {
    type Err = BadSelection;

    fn from_str(text: &str) -> Result<Selection, BadSelection> {
        let bad = || BadSelection { text: text.to_string() };
        let is_pattern = |part: &str| {
            part.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-*?[]!^".contains(letter))
        };
        let kind = if let Some(class) = text.strip_prefix('@') {
            SelectionKind::Class(class.to_string())
        } else if let Some((system, name)) = text.split_once(':') {
            let name = if name.is_empty() { "*" } else { name };
            SelectionKind::Event { system: system.to_string(), name: name.to_string() }
        } else {
            SelectionKind::SystemOrEvent(text.to_string())
        };
        let parts: Vec<&str> = match &kind {
            SelectionKind::Class(class) => class.splitn(2, ':').collect(),
            SelectionKind::Event { system, name } => vec![system, name],
            SelectionKind::SystemOrEvent(either) => vec![either],
        };
        if parts.iter().all(|part| !part.is_empty() && is_pattern(part)) {
            Ok(Selection { text: text.to_string(), kind })
        } else {
            Err(bad())
        }
    }
}

/// What is recorded where nothing else is asked for.
const DEFAULT: &str = "default";

impl Default for Selection {
    fn default() -> Selection {
        Selection { text: format!("@{DEFAULT}"), kind: SelectionKind::Class(DEFAULT.into()) }
    }
}

impl Selection {
    /// The text that it was made from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether an event is meant.
    pub fn matches(&self, system: &str, name: &str, class: Option<&str>) -> bool {
        match &self.kind {
            SelectionKind::Class(name) if name == DEFAULT => !class.is_some_and(events::is_on_request),
            SelectionKind::Class(pattern) => class.is_some_and(|class| {
                glob(pattern, class) || class.split_once(':').is_some_and(|(whole, _)| glob(pattern, whole))
            }),
            SelectionKind::Event { .. } | SelectionKind::SystemOrEvent(_) => {
                selects(&self.text, system, name)
            }
        }
    }

    /// What it is as a rule of [`control::ControlArea::set_rules`]: of events that programs bring. They are
    /// in no class, so none of them is on request.
    pub(crate) fn pattern(&self) -> Option<String> {
        match &self.kind {
            SelectionKind::Class(name) if name == DEFAULT => Some("*:*".to_string()),
            SelectionKind::Class(_) => None,
            SelectionKind::Event { system, name } => Some(format!("{system}:{name}")),
            SelectionKind::SystemOrEvent(pattern) => Some(pattern.clone()),
        }
    }

    /// Whether it says of which system the events are.
    pub(crate) fn names_system(&self) -> bool {
        matches!(self.kind, SelectionKind::Event { .. })
    }

    /// Whether it is of this system and of no other.
    pub(crate) fn is_of_system(&self, system: &str) -> bool {
        matches!(&self.kind, SelectionKind::Event { system: of, .. } if of == system)
    }

    /// Whether it says that, and means this system, but for a typing error.
    pub(crate) fn nearly_names(&self, system: &str) -> bool {
        match &self.kind {
            SelectionKind::Event { system: of, .. } => glob(of, system) || edit_distance(of, system) <= 1,
            _ => false,
        }
    }

    /// Those of some events, given by system and name, that may be meant where nothing matches.
    pub fn similar<'a>(&self, events: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
        let near = |(system, name)| Some((self.distance(system, name)?, format!("{system}:{name}")));
        let mut similar: Vec<(usize, String)> = events.filter_map(near).collect();
        similar.sort();
        similar.into_iter().map(|(_, name)| name).take(SUGGESTIONS).collect()
    }

    /// How different a name is from what is meant: for suggestions. None when it is quite another.
    fn distance(&self, system: &str, name: &str) -> Option<usize> {
        let wanted = self.text.rsplit(':').next().unwrap_or(&self.text);
        let distance = edit_distance(wanted, name).min(edit_distance(&self.text, system));
        let contained = wanted.len() > 2 && name.contains(wanted);
        (contained || distance <= 2).then_some(if contained { 1 } else { distance })
    }
}

/// How many letters have to be inserted, deleted or replaced to make one of the other.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for column in 0..to.len() {
            let change = diagonal + usize::from(letter != to[column]);
            diagonal = row[column + 1];
            row[column + 1] = change.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(text: &str, system: &str, name: &str, class: &str) -> bool {
        text.parse::<Selection>().unwrap().matches(system, name, Some(class))
    }

    #[test]
    fn every_form_selects_what_it_says() {
        assert!(selects("libc:open", "libc", "open", "file"));
        assert!(!selects("libc:open", "libc", "openat", "file"));
        assert!(selects("libc:open*", "libc", "openat_exit", "file"));
        assert!(selects("libc", "libc", "read", "file"));
        assert!(selects("libc:", "libc", "read", "file"));
        assert!(selects("read", "libc", "read", "file"));
        assert!(selects("*:*", "sched", "sched_process_exit", "process"));
        assert!(selects("@file", "libc", "read", "file"));
        assert!(!selects("@net", "libc", "read", "file"));
        assert!(selects("@default", "libc", "read", "file"));
        assert!(!selects("@default", "libc", "malloc", "mem"));
        assert!(selects("@mem", "libc", "malloc", "mem") && selects("libc", "libc", "malloc", "mem"));
        assert!(selects("@syscalls", "syscalls", "sys_enter_read", "syscalls:file"));
        assert!(selects("@syscalls:f*", "syscalls", "sys_enter_read", "syscalls:file"));
        assert!(!selects("@syscalls:net", "syscalls", "sys_enter_read", "syscalls:file"));
        assert!(!selects("@file", "syscalls", "sys_enter_read", "syscalls:file"));
        assert!(!selects("@default", "syscalls", "sys_enter_read", "syscalls:file"));
        assert!(selects("libc:p[or]*ll", "libc", "poll", "poll"));
        assert!(selects("libc:[!a-c]*", "libc", "read", "file"));
        assert!(!selects("libc:[!a-r]*", "libc", "read", "file"));
        assert!(selects("libc:?ead", "libc", "read", "file"));
    }

    #[test]
    fn what_is_no_selection_is_refused() {
        for bad in ["", ":", "@", "@a:", "@:a", "@a:b:c", ":open", "a:b:c", "a b", "libc:open,close"] {
            assert!(bad.parse::<Selection>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn typing_errors_are_near() {
        let near = |text: &str, name: &str| text.parse::<Selection>().unwrap().distance("libc", name);
        assert_eq!(near("libc:opne", "open"), Some(2));
        assert_eq!(near("libc:recieve", "socket"), None);
        assert_eq!(near("libc:epoll", "epoll_wait"), Some(1));
    }
}
