//! Events about signals, with the kernel's names and fields.

use crate::field::field;
use crate::{EventField, EventType, FieldKind, names, sched};

const fn event(id: u16, name: &'static str, fields: &'static [EventField]) -> EventType {
    EventType { id, system: "signal", name, class: Some("signal"), fields, print: None }
}

/// A signal was sent by a call of the program's own.
pub const GENERATE: EventType = event(
    GENERATE_ID,
    "signal_generate",
    &[
        field("sig", FieldKind::Named(names::SIGNAL)),
        field("errno", FieldKind::I32),
        field("code", FieldKind::I32),
        field("comm", FieldKind::Comm),
        field("pid", FieldKind::Pid),
        field("group", FieldKind::I32),
        field("result", FieldKind::I32),
    ],
);
/// A handler of the program's is entered. Recorded by the thread that it interrupts.
pub const DELIVER: EventType = event(
    DELIVER_ID,
    "signal_deliver",
    &[
        field("sig", FieldKind::Named(names::SIGNAL)),
        field("errno", FieldKind::I32),
        field("code", FieldKind::I32),
        field("sa_handler", FieldKind::Function),
        field("sa_flags", FieldKind::Flags(names::ACTION)),
    ],
);

/// All of them, in the order of their ids.
pub(crate) const ALL: [EventType; 2] = [GENERATE, DELIVER];

/// The id of [`GENERATE`].
pub const GENERATE_ID: u16 = sched::WAIT_ID + 1;
/// The id of [`DELIVER`].
pub const DELIVER_ID: u16 = GENERATE_ID + 1;
