//! The events that the agent records, all of them, with fixed ids.

pub mod sched;
pub mod signal;

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

/// Whether a class is recorded only where someone asks for it: programs make such calls all the time.
pub const fn is_on_request(class: &str) -> bool {
    let mut at = 0;
    while at < ON_REQUEST.len() {
        if is_equal(ON_REQUEST[at].as_bytes(), class.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

const fn field(name: &'static str, kind: Kind) -> Field {
    Field { name, kind }
}

/// The id of an event that there isn't: the exit of a call that returns nothing.
const NONE: u16 = 0;

/// The id of the first call's first event.
const FIRST_LIBC: u16 = FIRST_EVENT + (sched::ALL.len() + signal::ALL.len()) as u16;

/// The most fields that an event of a call can have: ret, error, and what may be there of seven arguments.
const MOST: usize = 9;

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
    (@first $class:ident $request:ident) => { stringify!($class) };
    ($($class:ident $(on $request:ident)? {
        $($call:ident ($($argument:ident: $kind:ident $(= $value:expr)?),*) -> $outcome:ident
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

        /// The classes on request.
        const ON_REQUEST: &[&str] = &[$($(libc_events!(@first $class $request),)?)*];

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
        FIRST_LIBC + 2 * self as u16
    }

    /// The id of the event at the call's exit.
    pub const fn exit(self) -> u16 {
        self.entry() + 1
    }
}

/// All events, in the order of their ids.
pub fn events() -> impl Iterator<Item = Listed> {
    let sched = sched::ALL.map(|event| (event, "process")).into_iter();
    let own = sched.chain(signal::ALL.map(|event| (event, "signal")));
    let own = (FIRST_EVENT..).zip(own);
    let own = own.map(|(id, (event, class))| Listed { id, event, class });
    own.chain(LIBC.iter().copied().filter(|listed| listed.id != NONE))
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
        assert_eq!(name(signal::DELIVER_ID), Some("signal_deliver"));
        let unique = |count: usize| assert_eq!(count, all.len());
        unique(all.iter().map(|listed| listed.event.name).collect::<HashSet<_>>().len());
        unique(all.iter().map(|listed| listed.id).collect::<HashSet<_>>().len());
        assert!(all.len() > 4 + 2 * 40);
    }

    #[test]
    fn what_floods_is_recorded_on_request() {
        let class = |name: &str| events().find(|listed| listed.event.name == name).unwrap().class;
        let on_request = |name: &str| is_on_request(class(name));
        assert!(on_request("malloc") && on_request("pthread_mutex_lock_exit") && on_request("time"));
        assert!(!on_request("read") && !on_request("signal_deliver") && !on_request("sched_process_fork"));
    }

    #[test]
    fn every_format_is_short_enough_for_a_page() {
        for listed in events() {
            let text = listed.event.format().to_string();
            assert!(text.len() < 4000, "{}: {} bytes", listed.event.name, text.len());
        }
    }
}
