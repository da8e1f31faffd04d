//! Events about signals, with the kernel's names and fields.

use super::{field, sched};
use crate::names;
use abi::control::FIRST_EVENT;
use trace_event::{Event, Field, Kind};

const fn event(name: &'static str, fields: &'static [Field]) -> Event {
    Event { system: "signal", name, fields }
}

/// A signal was sent by a call of the program's own.
pub const GENERATE: Event = event(
    "signal_generate",
    &[
        field("sig", Kind::Named(names::SIGNAL)),
        field("errno", Kind::I32),
        field("code", Kind::I32),
        field("comm", Kind::Comm),
        field("pid", Kind::Pid),
        field("group", Kind::I32),
        field("result", Kind::I32),
    ],
);
/// A handler of the program's is entered. Recorded by the thread that it interrupts.
pub const DELIVER: Event = event(
    "signal_deliver",
    &[
        field("sig", Kind::Named(names::SIGNAL)),
        field("errno", Kind::I32),
        field("code", Kind::I32),
        field("sa_handler", Kind::Function),
        field("sa_flags", Kind::Flags(names::ACTION)),
    ],
);

/// All of them, in the order of their ids.
pub(super) const ALL: [Event; 2] = [GENERATE, DELIVER];

/// The id of the first.
const FIRST: u16 = FIRST_EVENT + sched::ALL.len() as u16;

/// The id of [`GENERATE`].
pub const GENERATE_ID: u16 = FIRST;
/// The id of [`DELIVER`].
pub const DELIVER_ID: u16 = FIRST + 1;
