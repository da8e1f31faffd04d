//! `function`: which functions are called, and by whom.

use super::Tracer;

/// The tracer `function`. Nothing records for it yet.
pub const FUNCTION: Tracer =
    Tracer { name: trace_data::text::FUNCTION, help: "records the calls of functions", options: &[] };
