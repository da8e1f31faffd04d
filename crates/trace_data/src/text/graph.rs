//! The text of the tracer `function_graph`: which functions call which, and how long they took.
//!
//! ```text
//! # tracer: function_graph
//! #
//! # CPU  DURATION                  FUNCTION CALLS
//! # |     |   |                     |   |   |   |
//!  0)               |  main() {
//!  0)   1.222 us    |    parse();
//!  0)               |    /* open: path=/etc/passwd */
//!  0) + 12.829 us   |  }
//! ```
//!
//! A call without anything within is one line: it waits for the next event of its CPU.
//!
//! Source: `kernel/trace/trace_functions_graph.c` of Linux 6.18.

mod call;
mod header;
mod lines;
mod waiting;

pub(super) use call::Call;
pub(super) use header::print as header;
pub(super) use lines::{Lines, OnCpu};
use std::collections::BTreeMap;
pub(super) use waiting::Waiting;

/// The columns of such a text. The kernel's options `funcgraph-*`, at their defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphColumns {
    /// How many CPUs there are: the column of CPUs is as wide as the number of the last.
    pub cpus: u64,
    /// `funcgraph-cpu`: the CPU. On.
    pub cpu: bool,
    /// `funcgraph-overhead`: marks where much time passes. On.
    pub overhead: bool,
    /// `funcgraph-proc`: the thread. Off.
    pub thread: bool,
    /// `funcgraph-duration`: how long functions took. On.
    pub duration: bool,
    /// `funcgraph-abstime`: the time. Off.
    pub time: bool,
    /// The time since a section began, as latency tracers show it. Off.
    pub relative_time: bool,
    /// `funcgraph-tail`: a function's name at its closing brace. Off.
    pub tail: bool,
    /// `funcgraph-overrun`: how many calls were too deeply nested to be recorded. Off.
    pub overrun: bool,
    /// `funcgraph-retval`: what functions return. Off.
    pub return_value: bool,
    /// `funcgraph-retval-hex`: that in hexadecimal, always. Off.
    pub return_value_hex: bool,
    /// `funcgraph-retaddr`: where calls return to. Off.
    pub return_address: bool,
}

impl GraphColumns {
    /// Those of a section that a latency tracer has measured.
    pub fn of_sections(cpus: u64) -> GraphColumns {
        GraphColumns { cpus, thread: true, relative_time: true, ..GraphColumns::default() }
    }
}

impl Default for GraphColumns {
    fn default() -> GraphColumns {
        GraphColumns {
            cpus: 1,
            cpu: true,
            overhead: true,
            thread: false,
            duration: true,
            time: false,
            relative_time: false,
            tail: false,
            overrun: false,
            return_value: false,
            return_value_hex: false,
            return_address: false,
        }
    }
}

/// What the lines so far leave to those that follow.
#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    pub(super) waiting: Waiting,
    pub(super) cpus: BTreeMap<u32, OnCpu>,
}
