//! Events that the kernel's tracer has of itself, with its ids, names and fields.
//!
//! Source: `kernel/trace/trace_entries.h` of Linux 6.18, and `enum trace_type` in `kernel/trace/trace.h`.

use crate::field::field;
use crate::{EventField, EventType, FieldKind};

const fn event(id: u16, name: &'static str, fields: &'static [EventField], print: &'static str) -> EventType {
    EventType { id, system: SYSTEM, name, class: None, fields, print: Some(print) }
}

/// The system of all of them.
pub const SYSTEM: &str = abi::site::PRINT.0;

/// A message, and where the program comes from that writes it.
pub const PRINT: EventType = event(
    PRINT_ID,
    abi::site::PRINT.1,
    &[field("ip", FieldKind::Symbol), field("buf", FieldKind::Tail)],
    "\"%ps: %s\", (void *)REC->ip, REC->buf",
);
/// An integer and bytes, which somebody writes.
pub const RAW_DATA: EventType = event(
    RAW_DATA_ID,
    "raw_data",
    &[field("id", FieldKind::U32), field("buf", FieldKind::Tail)],
    "\"id:%04x %08x\", REC->id, (int)REC->buf[0]",
);
/// The stack of the event before it, as readers see it. In a session's buffers such a record has, after its
/// common fields, an address that a call returns to, the stack pointer and rbp as they are then, and the
/// memory at the stack pointer.
pub const KERNEL_STACK: EventType = event(
    KERNEL_STACK_ID,
    "kernel_stack",
    &[field("size", FieldKind::I32), field("caller", FieldKind::Callers)],
    "\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \
     \"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], (void *)REC->caller[1], (void *)REC->caller[2], \
     (void *)REC->caller[3], (void *)REC->caller[4], (void *)REC->caller[5], (void *)REC->caller[6], \
     (void *)REC->caller[7]",
);

/// All of them.
pub(crate) const ALL: [EventType; 3] = [PRINT, RAW_DATA, KERNEL_STACK];

/// The id of [`PRINT`].
pub const PRINT_ID: u16 = 5;
/// The id of [`RAW_DATA`].
pub const RAW_DATA_ID: u16 = 19;
/// The id of [`KERNEL_STACK`].
pub const KERNEL_STACK_ID: u16 = 4;
