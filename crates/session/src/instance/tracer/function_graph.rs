//! `function_graph`: functions as calls within calls, and how long they take.

use super::Tracer;
use crate::TraceOption;
use events::ftrace::{FGRAPH_RETADDR_ENTRY_ID, FUNCGRAPH_ENTRY_ID, FUNCGRAPH_EXIT_ID};

/// The tracer `function_graph`.
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
        TraceOption::FuncgraphIrqs,
        TraceOption::FuncgraphTail,
        TraceOption::FuncgraphRetval,
        TraceOption::FuncgraphRetvalHex,
        TraceOption::FuncgraphRetaddr,
        TraceOption::FuncgraphArgs,
        TraceOption::SleepTime,
        TraceOption::GraphTime,
    ],
    events: &[FUNCGRAPH_ENTRY_ID, FGRAPH_RETADDR_ENTRY_ID, FUNCGRAPH_EXIT_ID],
    alone: None,
    states: 0,
};
