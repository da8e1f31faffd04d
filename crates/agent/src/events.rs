//! The events that the agent records, all of them, with fixed ids.

use crate::argument::*;
use crate::calls::calls;
use crate::names;
use abi::control::FIRST_EVENT;
use trace_event::{Event, Field, Kind};

/// An event with its id and the class that it belongs to: what `@class` stands for.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// Its id.
    pub id: u16,
    /// The event.
    pub event: Event,
    /// Its class.
    pub class: &'static str,
}

const fn field(name: &'static str, kind: Kind) -> Field {
    Field { name, kind }
}

/// Events about processes, with the kernel's names and fields.
pub mod sched {
    use super::*;

    const fn event(name: &'static str, fields: &'static [Field]) -> Event {
        Event { system: "sched", name, fields }
    }

    /// A process or thread was made. Recorded by the new one, as its parent.
    pub const FORK: Event = event(
        "sched_process_fork",
        &[
            field("parent_comm", Kind::Text),
            field("parent_pid", Kind::Pid),
            field("child_comm", Kind::Text),
            field("child_pid", Kind::Pid),
        ],
    );
    /// A process runs another program. Recorded by that program.
    pub const EXEC: Event = event(
        "sched_process_exec",
        &[field("filename", Kind::Text), field("pid", Kind::Pid), field("old_pid", Kind::Pid)],
    );
    /// A thread ends; with `group_dead`, its process. Of a process that was killed: recorded by who
    /// learns of it first.
    pub const EXIT: Event = event(
        "sched_process_exit",
        &[
            field("comm", Kind::Comm),
            field("pid", Kind::Pid),
            field("prio", Kind::I32),
            field("group_dead", Kind::Bool),
        ],
    );
    /// A process waits for a child.
    pub const WAIT: Event = event(
        "sched_process_wait",
        &[field("comm", Kind::Text), field("pid", Kind::Pid), field("prio", Kind::I32)],
    );

    /// All of them, in the order of their ids.
    pub(super) const ALL: [Event; 4] = [FORK, EXEC, EXIT, WAIT];

    /// The id of [`FORK`].
    pub const FORK_ID: u16 = FIRST_EVENT;
    /// The id of [`EXEC`].
    pub const EXEC_ID: u16 = FIRST_EVENT + 1;
    /// The id of [`EXIT`].
    pub const EXIT_ID: u16 = FIRST_EVENT + 2;
    /// The id of [`WAIT`].
    pub const WAIT_ID: u16 = FIRST_EVENT + 3;
}

/// The id of an event that there isn't: the exit of a call that never returns.
const NONE: u16 = 0;

/// The most fields that an event of a call has.
const MOST: usize = 8;

/// The fields that are there.
const fn present<const N: usize>(fields: [Option<Field>; MOST]) -> [Field; N] {
    let mut all = [field("", Kind::I32); N];
    let (mut from, mut to) = (0, 0);
    while from < MOST {
        if let Some(field) = fields[from] {
            all[to] = field;
            to += 1;
        }
        from += 1;
    }
    all
}

const fn count(fields: [Option<Field>; MOST]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < MOST {
        count += fields[at].is_some() as usize;
        at += 1;
    }
    count
}

/// Fills up with fields that aren't there.
const fn padded<const N: usize>(fields: [Option<Field>; N]) -> [Option<Field>; MOST] {
    let mut all = [None; MOST];
    let mut at = 0;
    while at < N {
        all[at] = fields[at];
        at += 1;
    }
    all
}

const fn optional(name: &'static str, kind: Option<Kind>) -> Option<Field> {
    match kind {
        Some(kind) => Some(field(name, kind)),
        None => None,
    }
}

macro_rules! libc_events {
    ($($class:ident { $($call:ident ($($argument:ident: $kind:ident $(= $value:expr)?),*) -> $outcome:ident
        as [$($symbol:ident),*]
        $(or $variant:ident $parameters:tt)*
        $(around $($hooks:ident)::+)?;)* })*) => {
        /// The calls, in the order of their ids.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(non_camel_case_types, reason = "they are libc's names")]
        #[allow(missing_docs, reason = "they are documented by libc")]
        #[repr(u16)]
        pub enum Call {
            $($($call),*),*
        }

        /// Entry and exit of every call.
        const LIBC: &[Listed] = &[$($(
            Listed {
                id: Call::$call.entry(),
                event: Event {
                    system: "libc",
                    name: stringify!($call),
                    fields: {
                        const FIELDS: [Option<Field>; MOST] = padded([
                            $(optional(stringify!($argument), Some(<$kind as Argument>::ENTRY)),)*
                            optional("caller", Some(Kind::Symbol)),
                        ]);
                        &present::<{ count(FIELDS) }>(FIELDS)
                    },
                },
                class: stringify!($class),
            },
            Listed {
                id: if <$outcome as Outcome>::FIELD.is_some() { Call::$call.exit() } else { NONE },
                event: Event {
                    system: "libc",
                    name: concat!(stringify!($call), "_exit"),
                    fields: {
                        const FIELDS: [Option<Field>; MOST] = padded([
                            optional("ret", <$outcome as Outcome>::FIELD),
                            optional("error", Some(Kind::Named(names::ERROR))),
                            $(optional(stringify!($argument), <$kind as Argument>::EXIT),)*
                        ]);
                        &present::<{ count(FIELDS) }>(FIELDS)
                    },
                },
                class: stringify!($class),
            },
        )*)*];
    };
}

calls!(libc_events);

impl Call {
    /// The id of the event at the call's entry.
    pub const fn entry(self) -> u16 {
        FIRST_EVENT + sched::ALL.len() as u16 + 2 * self as u16
    }

    /// The id of the event at the call's exit.
    pub const fn exit(self) -> u16 {
        self.entry() + 1
    }
}

/// All events, in the order of their ids.
pub fn events() -> impl Iterator<Item = Listed> {
    let ids = FIRST_EVENT..;
    let sched = ids.zip(sched::ALL).map(|(id, event)| Listed { id, event, class: "process" });
    sched.chain(LIBC.iter().copied().filter(|listed| listed.id != NONE))
}

/// A number that depends on all events: sessions and agents with different events don't fit.
pub const FINGERPRINT: u64 = {
    let mut hash = fingerprint(0xcbf2_9ce4_8422_2325, env!("CARGO_PKG_VERSION").as_bytes());
    let mut at = 0;
    while at < LIBC.len() {
        hash = fingerprint(hash, LIBC[at].event.name.as_bytes());
        let fields = LIBC[at].event.fields;
        let mut index = 0;
        while index < fields.len() {
            hash = fingerprint(hash, fields[index].name.as_bytes());
            hash = (hash ^ LIBC[at].event.offset(index) as u64).wrapping_mul(0x100_0000_01b3);
            index += 1;
        }
        at += 1;
    }
    hash
};

/// FNV-1a.
const fn fingerprint(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x100_0000_01b3);
        at += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::string::ToString;

    #[test]
    fn ids_and_names_are_unique() {
        let all: std::vec::Vec<Listed> = events().collect();
        let name = |id: u16| all.iter().find(|listed| listed.id == id).map(|found| found.event.name);
        assert_eq!(name(sched::EXIT_ID), Some("sched_process_exit"));
        assert_eq!(name(Call::open.entry()), Some("open"));
        assert_eq!(name(Call::open.exit()), Some("open_exit"));
        assert_eq!(name(Call::_exit.exit()), None, "it doesn't return");
        let unique = |count: usize| assert_eq!(count, all.len());
        unique(all.iter().map(|listed| listed.event.name).collect::<HashSet<_>>().len());
        unique(all.iter().map(|listed| listed.id).collect::<HashSet<_>>().len());
        assert!(all.len() > 4 + 2 * 40);
    }

    #[test]
    fn every_format_is_short_enough_for_a_page() {
        for listed in events() {
            let text = listed.event.format().to_string();
            assert!(text.len() < 4000, "{}: {} bytes", listed.event.name, text.len());
        }
    }
}
