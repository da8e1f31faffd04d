//! Events about processes, with the kernel's names and fields.

use super::field;
use abi::control::FIRST_EVENT;
use trace_event::{Event, Field, Kind};

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
