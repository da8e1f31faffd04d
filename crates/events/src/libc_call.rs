//! Events of libc's functions: one at the entry and one at the exit of each call in the table.

use crate::argument::*;
use crate::field::field;
use crate::{EventField, EventType, FieldKind, names, switch};

/// The system of all of them.
pub const SYSTEM: &str = "libc";

/// The id of an event that does not exist: the exit of a call that returns nothing.
const NONE: u16 = 0;

/// The id of the first call's first event.
const FIRST: u16 = switch::CONTEXT_SWITCH_ID + 1;

/// The most fields that an event of a call can have: ret, error, what may be there of seven arguments, and
/// duration.
const MOST: usize = 10;

/// The fields that exist.
const fn present<const N: usize>(fields: [Option<EventField>; MOST]) -> [EventField; N] {
    let mut all = [field("", FieldKind::I32); N];
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

const fn count(fields: [Option<EventField>; MOST]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < MOST {
        count += fields[at].is_some() as usize;
        at += 1;
    }
    count
}

/// Fills up with fields that don't exist.
const fn padded<const N: usize>(fields: [Option<EventField>; N]) -> [Option<EventField>; MOST] {
    let mut all = [None; MOST];
    let mut at = 0;
    while at < N {
        all[at] = fields[at];
        at += 1;
    }
    all
}

const fn optional(name: &'static str, kind: Option<FieldKind>) -> Option<EventField> {
    match kind {
        Some(kind) => Some(field(name, kind)),
        None => None,
    }
}

const fn at_exit(pointee: Option<Pointee>) -> Option<FieldKind> {
    match pointee {
        Some(pointee) => Some(pointee.field()),
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
        pub(crate) const ON_REQUEST: &[&str] = &[$($(libc_events!(@first $class $request),)?)*];

        /// The ids of the events at the exits of calls that say when they have failed.
        pub(crate) const FAILING: &[u16] = &[$($(match <$outcome as CallResult>::FAILURE {
            FailureSign::Never => NONE,
            _ => Call::$call.exit(),
        }),*),*];

        /// Entry and exit of every call, those that don't exist included.
        pub(crate) const EVERY: &[EventType] = &[$($(
            EventType {
                id: Call::$call.entry(),
                system: SYSTEM,
                name: stringify!($call),
                class: Some(stringify!($class)),
                fields: {
                    const FIELDS: [Option<EventField>; MOST] = padded([
                        $(optional(stringify!($argument), Some(<$kind as Argument>::ENTRY)),)*
                        optional("caller", Some(FieldKind::Symbol)),
                    ]);
                    &present::<{ count(FIELDS) }>(FIELDS)
                },
                print: None,
            },
            EventType {
                id: if <$outcome as CallResult>::FIELD.is_some() { Call::$call.exit() } else { NONE },
                system: SYSTEM,
                name: concat!(stringify!($call), "_exit"),
                class: Some(stringify!($class)),
                fields: {
                    const FIELDS: [Option<EventField>; MOST] = padded([
                        optional("ret", <$outcome as CallResult>::FIELD),
                        optional("error", Some(FieldKind::Named(names::ERROR))),
                        $(optional(stringify!($argument), at_exit(<$kind as Argument>::EXIT)),)*
                        optional("duration", Some(FieldKind::Duration)),
                    ]);
                    &present::<{ count(FIELDS) }>(FIELDS)
                },
                print: None,
            },
        )*)*];
    };
}

crate::calls!(libc_events);

/// The id after that of the last call's last event.
pub(crate) const END: u16 = FIRST + EVERY.len() as u16;

impl Call {
    /// The id of the event at the call's entry.
    pub const fn entry(self) -> u16 {
        FIRST + 2 * self as u16
    }

    /// The id of the event at the call's exit.
    pub const fn exit(self) -> u16 {
        self.entry() + 1
    }
}

/// All of them, in the order of their ids.
pub(crate) fn all() -> impl Iterator<Item = EventType> {
    EVERY.iter().copied().filter(|event| event.id != NONE)
}
