//! `function`: which functions are called, and by whom.

use super::Tracer;
use crate::TraceOption;
use events::ftrace::FUNCTION_ID;

/// The tracer `function`.
pub const FUNCTION: Tracer = Tracer {
    name: trace_data::text::FUNCTION,
    help: "records calls of functions, and who calls them",
    options: &[TraceOption::FuncStackTrace, TraceOption::FuncNoRepeats, TraceOption::FuncArgs],
    events: &[FUNCTION_ID],
    alone: Some((TraceOption::FuncArgs, &[TraceOption::FuncStackTrace, TraceOption::FuncNoRepeats])),
    states: 0,
};
