//! Events about errors that end a process.

use crate::field::field;
use crate::{EventField, EventType, FieldKind, lock};

const ADDRESSES: &[EventField] = &[
    field("address", FieldKind::Pointer),
    field("ip", FieldKind::Function),
    field("error_code", FieldKind::Pointer),
];

/// A page fault that ends the process, with the kernel's fields. Recorded by the thread that has faulted.
pub const PAGE_FAULT: EventType = EventType {
    id: PAGE_FAULT_ID,
    system: "exceptions",
    name: "page_fault_user",
    class: Some("signal"),
    fields: ADDRESSES,
    print: Some(
        "\"address=%ps ip=%ps error_code=0x%lx\", (void *)REC->address, (void *)REC->ip, REC->error_code",
    ),
};

/// All of them, in the order of their ids.
pub(crate) const ALL: [EventType; 1] = [PAGE_FAULT];

/// The id of [`PAGE_FAULT`].
pub const PAGE_FAULT_ID: u16 = lock::CONTENTION_HOLDER_ID + 1;
