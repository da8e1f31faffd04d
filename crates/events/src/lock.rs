//! Events about locks that aren't got at once: the kernel's, and one of our own.

use crate::field::field;
use crate::{EventField, EventType, FieldKind, governor};

const fn event(
    (id, system): (u16, &'static str),
    name: &'static str,
    fields: &'static [EventField],
    print: Option<&'static str>,
) -> EventType {
    EventType { id, system, name, class: Some("lock"), fields, print }
}

/// The kernel's system.
const SYSTEM: &str = "lock";

/// A thread begins to wait for a lock.
pub const CONTENTION_BEGIN: EventType = event(
    (CONTENTION_BEGIN_ID, SYSTEM),
    "contention_begin",
    &[field("lock_addr", FieldKind::KernelPointer), field("flags", FieldKind::U32)],
    Some(
        "\"%p (flags=%s)\", REC->lock_addr, __print_flags(REC->flags, \"|\", { (1U << 0), \"SPIN\" }, \
         { (1U << 1), \"READ\" }, { (1U << 2), \"WRITE\" }, { (1U << 3), \"RT\" }, { (1U << 4), \"PERCPU\" }, \
         { (1U << 5), \"MUTEX\" } )",
    ),
);
/// It has waited, with this result.
pub const CONTENTION_END: EventType = event(
    (CONTENTION_END_ID, SYSTEM),
    "contention_end",
    &[field("lock_addr", FieldKind::KernelPointer), field("ret", FieldKind::I32)],
    Some("\"%p (ret=%d)\", REC->lock_addr, REC->ret"),
);
/// Who holds the lock that a thread begins to wait for, as the lock itself says it; 0 where it doesn't.
pub const CONTENTION_HOLDER: EventType = event(
    (CONTENTION_HOLDER_ID, "lookback"),
    "contention_holder",
    &[field("lock_addr", FieldKind::KernelPointer), field("holder", FieldKind::Pid)],
    Some("\"%p (holder=%d)\", REC->lock_addr, REC->holder"),
);

/// All of them, in the order of their ids.
pub(crate) const ALL: [EventType; 3] = [CONTENTION_BEGIN, CONTENTION_END, CONTENTION_HOLDER];

/// The id of [`CONTENTION_BEGIN`].
pub const CONTENTION_BEGIN_ID: u16 = governor::GOVERNOR_ID + 1;
/// The id of [`CONTENTION_END`].
pub const CONTENTION_END_ID: u16 = CONTENTION_BEGIN_ID + 1;
/// The id of [`CONTENTION_HOLDER`].
pub const CONTENTION_HOLDER_ID: u16 = CONTENTION_END_ID + 1;

/// Kinds of locks in `flags`.
pub const SPIN: u32 = 1 << 0;
/// A lock that readers share.
pub const READ: u32 = 1 << 1;
/// Such a lock, for a writer.
pub const WRITE: u32 = 1 << 2;
/// A mutex.
pub const MUTEX: u32 = 1 << 5;

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn formats_are_the_kernels() {
        let begin = "\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n\
            \tfield:unsigned int flags;\toffset:16;\tsize:4;\tsigned:0;\n\n\
            print fmt: \"%p (flags=%s)\", REC->lock_addr, __print_flags(REC->flags, \"|\", \
            { (1U << 0), \"SPIN\" }, { (1U << 1), \"READ\" }, { (1U << 2), \"WRITE\" }, { (1U << 3), \"RT\" }, \
            { (1U << 4), \"PERCPU\" }, { (1U << 5), \"MUTEX\" } )\n";
        assert_eq!(CONTENTION_BEGIN.own_format().to_string(), begin);
        let end = "\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n\
            \tfield:int ret;\toffset:16;\tsize:4;\tsigned:1;\n\n\
            print fmt: \"%p (ret=%d)\", REC->lock_addr, REC->ret\n";
        assert_eq!(CONTENTION_END.own_format().to_string(), end);
    }
}
