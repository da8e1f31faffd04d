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
/// The call of a function, and who called it. Registers with arguments follow where they are recorded.
pub const FUNCTION: EventType = event(
    FUNCTION_ID,
    "function",
    &[
        field("ip", FieldKind::Function),
        field("parent_ip", FieldKind::Symbol),
        field("args", FieldKind::Words),
    ],
    "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip",
);
/// How often in a row a [`FUNCTION`] was not recorded because it was the same as the one before, and how long
/// before this record the last of them was.
pub const FUNC_REPEATS: EventType = event(
    FUNC_REPEATS_ID,
    "func_repeats",
    &[
        field("ip", FieldKind::Function),
        field("parent_ip", FieldKind::Symbol),
        field("count", FieldKind::U16),
        field("top_delta_ts", FieldKind::U16),
        field("bottom_delta_ts", FieldKind::KernelU32),
    ],
    "\" %ps <-%ps\\t(repeats:%u  delta: -%llu)\", (void *)REC->ip, (void *)REC->parent_ip, REC->count, \
     (((u64)(REC)->top_delta_ts << 32) | (REC)->bottom_delta_ts)",
);
/// A function begins, so many calls below the outermost that is traced. Registers with arguments follow where
/// they are recorded.
pub const FUNCGRAPH_ENTRY: EventType = event(
    FUNCGRAPH_ENTRY_ID,
    "funcgraph_entry",
    &[field("func", FieldKind::Function), field("depth", FieldKind::U32), field("args", FieldKind::Words)],
    "\"--> %ps (%u)\", (void *)REC->func, REC->depth",
);
/// A function begins, and the address that it returns to.
pub const FGRAPH_RETADDR_ENTRY: EventType = event(
    FGRAPH_RETADDR_ENTRY_ID,
    "fgraph_retaddr_entry",
    &[
        field("func", FieldKind::Function),
        field("depth", FieldKind::U32),
        field("retaddr", FieldKind::PackedSymbol),
    ],
    "\"--> %ps (%u) <- %ps\", (void *)REC->func, REC->depth, (void *)REC->retaddr",
);
/// A function returns: the form of a kernel that is configured to record the values that functions return.
pub const FUNCGRAPH_EXIT: EventType = event(
    FUNCGRAPH_EXIT_ID,
    "funcgraph_exit",
    &[
        field("func", FieldKind::Function),
        field("retval", FieldKind::U64),
        field("depth", FieldKind::U32),
        field("overrun", FieldKind::U32),
        field("calltime", FieldKind::Time),
        field("rettime", FieldKind::Time),
    ],
    "\"<-- %ps (%u) (start: %llx  end: %llx) over: %u retval: %lx\", (void *)REC->func, REC->depth, \
     REC->calltime, REC->rettime, REC->depth, REC->retval",
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
pub(crate) const ALL: [EventType; 8] = [
    FUNCTION,
    KERNEL_STACK,
    PRINT,
    FUNCGRAPH_EXIT,
    FUNCGRAPH_ENTRY,
    FGRAPH_RETADDR_ENTRY,
    RAW_DATA,
    FUNC_REPEATS,
];

/// The id of [`FUNCTION`].
pub const FUNCTION_ID: u16 = 1;
/// The id of [`FUNCGRAPH_EXIT`].
pub const FUNCGRAPH_EXIT_ID: u16 = 10;
/// The id of [`FUNCGRAPH_ENTRY`].
pub const FUNCGRAPH_ENTRY_ID: u16 = 11;
/// The id of [`FGRAPH_RETADDR_ENTRY`].
pub const FGRAPH_RETADDR_ENTRY_ID: u16 = 12;
/// The id of [`FUNC_REPEATS`].
pub const FUNC_REPEATS_ID: u16 = 20;

/// The id of [`PRINT`].
pub const PRINT_ID: u16 = 5;
/// The id of [`RAW_DATA`].
pub const RAW_DATA_ID: u16 = 19;
/// The id of [`KERNEL_STACK`].
pub const KERNEL_STACK_ID: u16 = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    /// The fields as `TYPE NAME@OFFSET`, and the print format.
    fn shape(event: EventType) -> (Vec<String>, String) {
        let text = event.own_format().to_string();
        let (fields, print) = text.split_once("\nprint fmt: ").unwrap();
        let field = |line: &str| {
            let parts: Vec<&str> = line.trim().split(';').map(str::trim).collect();
            let value = |part: &str| part.split_once(':').unwrap().1.to_string();
            let [name, offset, size] = [parts[0], parts[1], parts[2]].map(value);
            std::format!("{name} {offset}+{size}")
        };
        (fields.lines().map(field).collect(), print.trim_end().to_string())
    }

    #[test]
    fn the_session_knows_which_are_of_tracers() {
        let of_tracers = ALL.iter().filter(|event| event.name.starts_with('f')).map(|event| event.id);
        assert!(ALL.iter().map(|event| event.id).filter(|id| abi::control::is_of_tracer(*id)).eq(of_tracers));
    }

    #[test]
    fn tracers_events_are_the_kernels() {
        let cases = [
            (
                FUNCTION,
                &["unsigned long ip 8+8", "unsigned long parent_ip 16+8", "unsigned long args[] 24+0"][..],
                r#"" %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip"#,
            ),
            (
                FUNCGRAPH_ENTRY,
                &["unsigned long func 8+8", "unsigned int depth 16+4", "unsigned long args[] 24+0"],
                r#""--> %ps (%u)", (void *)REC->func, REC->depth"#,
            ),
            (
                FGRAPH_RETADDR_ENTRY,
                &["unsigned long func 8+8", "unsigned int depth 16+4", "unsigned long retaddr 20+8"],
                r#""--> %ps (%u) <- %ps", (void *)REC->func, REC->depth, (void *)REC->retaddr"#,
            ),
            (
                FUNCGRAPH_EXIT,
                &[
                    "unsigned long func 8+8",
                    "unsigned long retval 16+8",
                    "unsigned int depth 24+4",
                    "unsigned int overrun 28+4",
                    "unsigned long long calltime 32+8",
                    "unsigned long long rettime 40+8",
                ],
                r#""<-- %ps (%u) (start: %llx  end: %llx) over: %u retval: %lx", (void *)REC->func, REC->depth, REC->calltime, REC->rettime, REC->depth, REC->retval"#,
            ),
            (
                FUNC_REPEATS,
                &[
                    "unsigned long ip 8+8",
                    "unsigned long parent_ip 16+8",
                    "u16 count 24+2",
                    "u16 top_delta_ts 26+2",
                    "u32 bottom_delta_ts 28+4",
                ],
                r#"" %ps <-%ps\t(repeats:%u  delta: -%llu)", (void *)REC->ip, (void *)REC->parent_ip, REC->count, (((u64)(REC)->top_delta_ts << 32) | (REC)->bottom_delta_ts)"#,
            ),
        ];
        for (event, fields, print) in cases {
            let found = shape(event);
            assert_eq!(found.0, fields, "{}", event.name);
            assert_eq!(found.1, print);
        }
    }
}
