//! `nop`: events, and nothing else.

use super::Tracer;

pub(super) const NOP: Tracer = Tracer {
    name: trace_data::text::NOP,
    help: "leaves recording to the events",
    options: &[],
    events: &[],
    alone: None,
    states: 0,
};
