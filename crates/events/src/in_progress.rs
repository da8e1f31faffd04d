//! The event of calls that have not ended.

use crate::field::field;
use crate::{EventType, FieldKind, signal};

/// A thread is in a call. Recorded by whoever takes a snapshot, ends a recording or finds a process killed,
/// for each thread that is in one then, as that thread.
pub const CALL_IN_PROGRESS: EventType = EventType {
    id: CALL_IN_PROGRESS_ID,
    system: "lookback",
    name: "call_in_progress",
    class: Some("process"),
    fields: &[
        field("call", FieldKind::Text),
        field("argument", FieldKind::Text),
        field("duration", FieldKind::Duration),
    ],
    print: Some(
        "\"in %s(%s) for %llu.%06llu s\", __get_str(call), __get_str(argument), \
         REC->duration / 1000000000, REC->duration / 1000 % 1000000",
    ),
};

/// All of them, in the order of their ids.
pub(crate) const ALL: [EventType; 1] = [CALL_IN_PROGRESS];

/// The id of [`CALL_IN_PROGRESS`].
pub const CALL_IN_PROGRESS_ID: u16 = signal::DELIVER_ID + 1;
