//! Events about which thread runs: the kernel's to the letter, as clients compare their fields, and our own.
//!
//! No traced process records them. Who reads a session has them from the kernel.

use crate::field::field;
use crate::{EventField, EventType, FieldKind, exceptions};

const fn event(id: u16, name: &'static str, fields: &'static [EventField], print: &'static str) -> EventType {
    EventType { id, system: "sched", name, class: Some(CLASS), fields, print: Some(print) }
}

/// The class of all of them.
pub const CLASS: &str = "switch";

/// A CPU goes on with another thread.
pub const SWITCH: EventType = event(
    SWITCH_ID,
    "sched_switch",
    &[
        field("prev_comm", FieldKind::Comm),
        field("prev_pid", FieldKind::Pid),
        field("prev_prio", FieldKind::I32),
        field("prev_state", FieldKind::I64),
        field("next_comm", FieldKind::Comm),
        field("next_pid", FieldKind::Pid),
        field("next_prio", FieldKind::I32),
    ],
    "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d\", \
     REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & ((((0x00000000 | 0x00000001 | \
     0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1)) ? \
     __print_flags(REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | \
     0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, \
     { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, \
     { 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\", REC->prev_state & (((0x00000000 | 0x00000001 | \
     0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? \"+\" : \"\", \
     REC->next_comm, REC->next_pid, REC->next_prio",
);

const WOKEN: &[EventField] = &[
    field("comm", FieldKind::Comm),
    field("pid", FieldKind::Pid),
    field("prio", FieldKind::I32),
    field("target_cpu", FieldKind::I32),
];
const WOKEN_PRINT: &str =
    "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu";

/// A thread wakes another one. Recorded by the one that wakes.
pub const WAKING: EventType = event(WAKING_ID, "sched_waking", WOKEN, WOKEN_PRINT);
/// A thread is ready to run. Recorded on the CPU that has made it so.
pub const WAKEUP: EventType = event(WAKEUP_ID, "sched_wakeup", WOKEN, WOKEN_PRINT);

/// A thread begins to run or stops: what is known of that without the kernel's own events.
pub const CONTEXT_SWITCH: EventType = EventType {
    id: CONTEXT_SWITCH_ID,
    system: "lookback",
    name: "context_switch",
    class: Some(CLASS),
    fields: &[field("direction", FieldKind::Named(DIRECTIONS))],
    print: None,
};

const DIRECTIONS: &[(i64, &str)] = &[(IN as i64, "in"), (OUT as i64, "out"), (PREEMPTED as i64, "preempted")];
/// It begins to run.
pub const IN: u32 = 0;
/// It waits for something.
pub const OUT: u32 = 1;
/// Others run instead of it.
pub const PREEMPTED: u32 = 2;

/// The kernel's own.
pub const KERNELS: [EventType; 3] = [SWITCH, WAKING, WAKEUP];

/// All of them, in the order of their ids.
pub const ALL: [EventType; 4] = [SWITCH, WAKING, WAKEUP, CONTEXT_SWITCH];

/// The id of [`SWITCH`].
pub const SWITCH_ID: u16 = exceptions::PAGE_FAULT_ID + 1;
/// The id of [`WAKING`].
pub const WAKING_ID: u16 = SWITCH_ID + 1;
/// The id of [`WAKEUP`].
pub const WAKEUP_ID: u16 = WAKING_ID + 1;
/// The id of [`CONTEXT_SWITCH`].
pub const CONTEXT_SWITCH_ID: u16 = WAKEUP_ID + 1;

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    /// What Linux 6.18 says of it, from the first field that is not common on.
    const SWITCH_FORMAT: &str = r#"	field:char prev_comm[16];	offset:8;	size:16;	signed:0;
	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;
	field:int prev_prio;	offset:28;	size:4;	signed:1;
	field:long prev_state;	offset:32;	size:8;	signed:1;
	field:char next_comm[16];	offset:40;	size:16;	signed:0;
	field:pid_t next_pid;	offset:56;	size:4;	signed:1;
	field:int next_prio;	offset:60;	size:4;	signed:1;

print fmt: "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1), "|", { 0x00000001, "S" }, { 0x00000002, "D" }, { 0x00000004, "T" }, { 0x00000008, "t" }, { 0x00000010, "X" }, { 0x00000020, "Z" }, { 0x00000040, "P" }, { 0x00000080, "I" }) : "R", REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? "+" : "", REC->next_comm, REC->next_pid, REC->next_prio
"#;
    const WAKING_FORMAT: &str = r#"	field:char comm[16];	offset:8;	size:16;	signed:0;
	field:pid_t pid;	offset:24;	size:4;	signed:1;
	field:int prio;	offset:28;	size:4;	signed:1;
	field:int target_cpu;	offset:32;	size:4;	signed:1;

print fmt: "comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu
"#;

    #[test]
    fn formats_are_the_kernels() {
        assert_eq!(SWITCH.own_format().to_string(), SWITCH_FORMAT);
        assert_eq!(WAKING.own_format().to_string(), WAKING_FORMAT);
        assert_eq!(WAKEUP.own_format().to_string(), WAKING_FORMAT);
    }
}
