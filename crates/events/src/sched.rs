//! Events about processes, with the kernel's names and fields.

use crate::field::field;
use crate::{EventField, EventType, FieldKind, names};
use abi::control::FIRST_EVENT;

const fn event(id: u16, name: &'static str, fields: &'static [EventField]) -> EventType {
    EventType { id, system: "sched", name, class: Some("process"), fields, print: None }
}

/// A process or thread was made. Recorded by the new one, as its parent.
pub const FORK: EventType = event(
    FORK_ID,
    "sched_process_fork",
    &[
        field("parent_comm", FieldKind::Text),
        field("parent_pid", FieldKind::Pid),
        field("child_comm", FieldKind::Text),
        field("child_pid", FieldKind::Pid),
    ],
);
/// A process runs another program. Recorded by that program. In addition to the kernel's fields it has the
/// arguments, as a shell would take them.
pub const EXEC: EventType = event(
    EXEC_ID,
    "sched_process_exec",
    &[
        field("filename", FieldKind::Text),
        field("pid", FieldKind::Pid),
        field("old_pid", FieldKind::Pid),
        field("argv", FieldKind::Text),
    ],
);
/// A thread ends; with `group_dead`, its process. The end of a process that was killed is recorded by
/// whoever learns of it first, and has the time of that: [`NOTICED_BY`] says by whom, and `signal` what has
/// killed it ([`UNKNOWN_SIGNAL`] if that can't be known, 0 if it was not killed).
pub const EXIT: EventType = event(
    EXIT_ID,
    "sched_process_exit",
    &[
        field("comm", FieldKind::Comm),
        field("pid", FieldKind::Pid),
        field("prio", FieldKind::I32),
        field("group_dead", FieldKind::Bool),
        field("noticed_by", FieldKind::Named(NOTICED_BY)),
        field("signal", FieldKind::Named(names::DEATH)),
    ],
);
/// A process waits for a child.
pub const WAIT: EventType = event(
    WAIT_ID,
    "sched_process_wait",
    &[field("comm", FieldKind::Text), field("pid", FieldKind::Pid), field("prio", FieldKind::I32)],
);

/// Who has recorded the end of a process.
pub const NOTICED_BY: &[(i64, &str)] =
    &[(ITSELF as i64, "itself"), (PARENT as i64, "parent"), (OBSERVER as i64, "observer")];
/// It has recorded it itself.
pub const ITSELF: u32 = 0;
/// Its parent, when it waited for it.
pub const PARENT: u32 = 1;
/// One who looked at the session, and found it gone.
pub const OBSERVER: u32 = 2;
/// The signal of a process of which it can't be known whether it was killed.
pub const UNKNOWN_SIGNAL: u32 = names::UNKNOWN_SIGNAL;

/// The name of a signal that has killed a process.
pub fn death(signal: u32) -> Option<&'static str> {
    names::DEATH.iter().find(|(number, _)| *number == i64::from(signal)).map(|(_, name)| *name)
}

/// All of them, in the order of their ids.
pub(crate) const ALL: [EventType; 4] = [FORK, EXEC, EXIT, WAIT];

/// The id of [`FORK`].
pub const FORK_ID: u16 = FIRST_EVENT;
/// The id of [`EXEC`].
pub const EXEC_ID: u16 = FIRST_EVENT + 1;
/// The id of [`EXIT`].
pub const EXIT_ID: u16 = FIRST_EVENT + 2;
/// The id of [`WAIT`].
pub const WAIT_ID: u16 = FIRST_EVENT + 3;
