//! `set_event` and `available_events`: which events are enabled, by name, and which can be.

use crate::catalog::EventName;
use crate::control_file::Change;
use crate::group::{self, Group};
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::token;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads `SYSTEM:EVENT` for each event that is enabled, has a trigger, or is one that a trigger is about.
/// Opening it with `O_TRUNC` disables all. A write takes one word: `SYSTEM:EVENT`, `SYSTEM:`, `SYSTEM:*`,
/// `*:EVENT`, `*:*`, or a name of either, with `!` before it to disable. Names are names: no other `*`
/// stands for anything.
///
/// Source: `ftrace_event_write` and `ftrace_set_clr_event` in `kernel/trace/trace_events.c` of Linux 6.18.
#[derive(Clone, Default)]
struct SetEvent;

pub(super) const LISTED: Listed = Listed::of::<SetEvent>(
    "set_event",
    "the events that are enabled: echo SYSTEM:EVENT >> set_event, !SYSTEM:EVENT disables",
);

/// The most bytes of a word.
const MOST: usize = 127;

impl TextFile for SetEvent {
    const IS_KEPT: bool = true;

    fn takes_away(&self, change: Change<'_>) -> bool {
        let disables = |bytes: &[u8]| bytes.trim_ascii_start().starts_with(b"!");
        change.is_truncation() || matches!(change, Change::Written(bytes) if disables(bytes))
    }

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let soft = array.instance().soft_events();
        let mut on = array.catalog().events().to_vec();
        on.retain(|name| soft.contains(&name.id) || name.is_switchable() && group::is_enabled(array, name));
        Ok(on.iter().map(EventName::line).collect::<String>())
    }

    fn store_some(&self, array: &TraceArray, bytes: &[u8]) -> Result<usize, Errno> {
        let (word, taken) = token::first(bytes, MOST)?;
        if let Some(word) = word {
            let (word, on) = word.strip_prefix(b"!").map_or((word, true), |word| (word, false));
            let chosen = Chosen::parse(std::str::from_utf8(word).map_err(|_| Errno::INVAL)?);
            let groups = chosen.groups(array);
            if groups.is_empty() {
                return Err(Errno::INVAL);
            }
            groups.iter().try_for_each(|group| group.set(array, on))?;
        }
        Ok(taken)
    }

    fn truncate(&self, array: &TraceArray) -> Result<(), Errno> {
        Group::All.set(array, false)
    }
}

/// What a word means.
#[derive(Debug, PartialEq, Eq)]
enum Chosen<'a> {
    /// A system, or events of any system.
    Either(&'a str),
    /// Events of a system; None is any.
    Both(Option<&'a str>, Option<&'a str>),
}

impl<'a> Chosen<'a> {
    fn parse(word: &'a str) -> Chosen<'a> {
        let any = |name: &'a str| Some(name).filter(|name| !matches!(*name, "" | "*"));
        match word.split_once(':') {
            Some((system, event)) => Chosen::Both(any(system), any(event)),
            None => Chosen::Either(word),
        }
    }

    /// Those that exist, together where all of a system are meant.
    fn groups(&self, array: &TraceArray) -> Vec<Group> {
        let catalog = array.catalog();
        let found = catalog.switchable().filter(|name| self.matches(name));
        let system = match self {
            Chosen::Either(system) | Chosen::Both(Some(system), None) => Some(*system),
            Chosen::Both(..) => None,
        };
        let mut groups: Vec<Group> = found
            .map(|name| match self {
                Chosen::Both(None, None) => Group::All,
                _ if system == Some(name.system.as_str()) => Group::System(name.system.clone()),
                _ => Group::Event(name.clone()),
            })
            .collect();
        groups.dedup();
        groups
    }

    fn matches(&self, name: &EventName) -> bool {
        match self {
            Chosen::Either(either) => name.system == *either || name.event == *either,
            Chosen::Both(system, event) => {
                system.is_none_or(|system| name.system == system)
                    && event.is_none_or(|event| name.event == event)
            }
        }
    }
}

/// Reads `SYSTEM:EVENT`, a line for each.
#[derive(Clone, Default)]
struct AvailableEvents;

pub(super) const AVAILABLE: Listed =
    Listed::of::<AvailableEvents>("available_events", "the events that set_event takes");

impl TextFile for AvailableEvents {
    const MODE: u32 = 0o440;
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(array.catalog().switchable().map(EventName::line).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::Author;

    #[test]
    fn a_write_adds_and_truncation_starts_over() {
        let (_directory, tree) = tree();
        let author = Author::current();
        let mut file = tree.open("set_event", OFlags::WRONLY).unwrap();
        file.write_all(author, b"libc:read sched_process_exec").unwrap();
        assert_eq!(read(&tree, "set_event"), "sched:sched_process_exec\nlibc:read\n");
        file.write_all(author, b"!read").unwrap();
        assert_eq!(read(&tree, "set_event"), "sched:sched_process_exec\n");
        write(&tree, "set_event", "libc:write").unwrap();
        assert_eq!(read(&tree, "set_event"), "libc:write\n");
    }

    #[test]
    fn a_bad_word_changes_nothing_and_what_was_before_it_stays() {
        let (_directory, tree) = tree();
        assert_eq!(write(&tree, "set_event", "libc:read nothing:like_this libc:write"), Err(Errno::INVAL));
        assert_eq!(read(&tree, "set_event"), "libc:read\n");
        for word in ["libc:rea", "libc:rea*", "LIBC:read", "libc:read:x", "!", "ftrace:print"] {
            assert_eq!(write(&tree, "set_event", word), Err(Errno::INVAL), "{word}");
        }
    }

    #[test]
    fn a_word_can_mean_many() {
        let (_directory, tree) = tree();
        let on = |word: &str| {
            write(&tree, "set_event", word).unwrap();
            read(&tree, "set_event").lines().count()
        };
        let all = read(&tree, "available_events").lines().count();
        for word in [":", "*:*", "*:", ":*"] {
            assert_eq!(on(word), all, "{word}");
        }
        let sched = on("sched:");
        assert!(sched > 1 && [on("sched"), on("sched:*")] == [sched; 2]);
        assert_eq!([on("*:read"), on(":read"), on("read")], [1; 3]);
    }
}
