//! `function_graph`: functions as calls within calls, and how long they take.

use super::Tracer;
use crate::TraceOption;

/// The tracer `function_graph`. Nothing records for it yet.
pub const FUNCTION_GRAPH: Tracer = Tracer {
    name: trace_data::text::FUNCTION_GRAPH,
    help: "records the calls of functions, nested, with their durations",
    options: &[
        TraceOption::FuncgraphOverrun,
        TraceOption::FuncgraphCpu,
        TraceOption::FuncgraphOverhead,
        TraceOption::FuncgraphProc,
        TraceOption::FuncgraphDuration,
        TraceOption::FuncgraphAbstime,
        TraceOption::FuncgraphTail,
        TraceOption::FuncgraphRetval,
        TraceOption::FuncgraphRetvalHex,
        TraceOption::FuncgraphRetaddr,
    ],
    call: None,
};
