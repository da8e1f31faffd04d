//! The event of events that recording costs too much for.

use crate::field::field;
use crate::{EventType, FieldKind, in_progress};

/// An event is dropped from the default instance, as recording has cost more than it may, or is back.
/// Recorded by the thread that has found it, whichever that is.
pub const GOVERNOR: EventType = EventType {
    id: GOVERNOR_ID,
    system: "lookback",
    name: "governor",
    class: Some("process"),
    fields: &[
        field("event", FieldKind::Text),
        field("state", FieldKind::Named(STATES)),
        field("rate", FieldKind::U32),
        field("budget", FieldKind::U32),
    ],
    print: Some(
        "\"%s is %s: %u/s, budget %u.%04u %%\", __get_str(event), \
         __print_symbolic(REC->state, { 0, \"dropped\" }, { 1, \"back\" }), REC->rate, \
         REC->budget / 10000, REC->budget % 10000",
    ),
};

/// The event is no longer recorded.
pub const DROPPED: u32 = 0;
/// It is recorded again.
pub const BACK: u32 = 1;

/// What has become of it.
const STATES: &[(i64, &str)] = &[(DROPPED as i64, "dropped"), (BACK as i64, "back")];

/// The fixed fields of one: of an event whose name has so many bytes, without the zero byte that follows it.
pub const fn fixed_fields(name: usize, state: u32, rate: u32, budget: u32) -> [u32; 4] {
    [(name as u32 + 1) << 16 | GOVERNOR.fixed_size() as u32, state, rate, budget]
}

/// All of them, in the order of their ids.
pub(crate) const ALL: [EventType; 1] = [GOVERNOR];

/// The id of [`GOVERNOR`].
pub const GOVERNOR_ID: u16 = in_progress::CALL_IN_PROGRESS_ID + 1;
