//! The records of the tracer `function_graph`: that a function is called, and that it has returned.

use crate::entered::Entered;
use events::ftrace::{FUNCGRAPH_ENTRY_ID, FUNCGRAPH_EXIT_ID};
use ring_buffer::{RecordBuffer, ShortEvent};

/// What is known of a call when it ends.
#[derive(Debug, Clone, Copy, Default)]
pub struct GraphExit {
    /// What the function returns.
    pub value: u64,
    /// How many recorded calls it was called within.
    pub depth: u32,
    /// How many calls of the thread were not recorded so far.
    pub missed: u32,
    /// When it began, by [`crate::call_time`].
    pub start: u64,
    /// When it ended.
    pub end: u64,
}

/// That a function is called, within so many other calls that are recorded.
#[inline(always)]
pub fn graph_entry(entered: Entered, function: u64, depth: u32) -> ShortEvent<20> {
    ShortEvent::of([entered.common(FUNCGRAPH_ENTRY_ID), function, u64::from(depth)])
}

/// That it has returned.
#[inline(always)]
pub fn graph_exit(entered: Entered, function: u64, exit: GraphExit) -> RecordBuffer<6> {
    let GraphExit { value, depth, missed, start, end } = exit;
    let mut record = RecordBuffer::new();
    record.push(entered.common(FUNCGRAPH_EXIT_ID));
    record.push(function);
    record.push(value);
    record.push(u64::from(missed) << 32 | u64::from(depth));
    record.push(start);
    record.push(end);
    record
}
