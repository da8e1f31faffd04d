//! A system call in the tables, the ids of its events, and how the tables are written.

use crate::{EventType, libc_call};

/// The system of the events that each call has of its own.
pub const SYSTEM: &str = "syscalls";

/// The id of the event at the entries of all calls.
pub const ENTER_ID: u16 = libc_call::END;
/// The id of the event at their exits.
pub const EXIT_ID: u16 = ENTER_ID + 1;
/// The id of the first call's first event.
pub(super) const FIRST: u16 = EXIT_ID + 1;

/// The id of the event at the entry of the call of a number.
pub(crate) const fn enter_id(number: u32) -> u16 {
    FIRST + 2 * number as u16
}

/// The id of the event at its exit.
pub(crate) const fn exit_id(number: u32) -> u16 {
    enter_id(number) + 1
}

/// A system call: its number, and its two events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemCall {
    pub(crate) number: u32,
    pub(crate) enter: EventType,
    pub(crate) exit: EventType,
}

/// A table of system calls by their classes: number, name, and each argument's C type and name.
///
/// ```text
/// class {
///     number name("type" argument, "type" argument);
/// }
/// ```
macro_rules! system_calls {
    ($($class:ident { $($number:literal $name:ident ($($type:literal $argument:ident),*);)* })*) => {
        &[$($(
            $crate::system_call::entry::SystemCall {
                number: $number,
                enter: $crate::EventType {
                    id: $crate::system_call::entry::enter_id($number),
                    system: $crate::system_call::entry::SYSTEM,
                    name: concat!("sys_enter_", stringify!($name)),
                    class: Some(concat!("syscalls:", stringify!($class))),
                    fields: &[
                        $crate::field::field("__syscall_nr", $crate::FieldKind::I32),
                        $($crate::field::field(
                            stringify!($argument),
                            $crate::FieldKind::SystemCallArgument($type),
                        )),*
                    ],
                    print: Some(system_calls!(@print $($argument)*)),
                },
                exit: $crate::EventType {
                    id: $crate::system_call::entry::exit_id($number),
                    system: $crate::system_call::entry::SYSTEM,
                    name: concat!("sys_exit_", stringify!($name)),
                    class: Some(concat!("syscalls:", stringify!($class))),
                    fields: &[
                        $crate::field::field("__syscall_nr", $crate::FieldKind::I32),
                        $crate::field::field("ret", $crate::FieldKind::I64),
                    ],
                    print: Some("\"0x%lx\", REC->ret"),
                },
            },
        )*)*]
    };
    (@print) => { "\"\"" };
    (@print $first:ident $($next:ident)*) => {
        concat!(
            "\"", stringify!($first), ": 0x%08lx",
            $(", ", stringify!($next), ": 0x%08lx",)*
            "\", ((unsigned long)(REC->", stringify!($first), "))",
            $(", ((unsigned long)(REC->", stringify!($next), "))",)*
        )
    };
}
