//! What is recorded, for all tasks that begin a recording.

use super::function::FunctionArguments;
use super::trigger::TriggerArguments;
use crate::failure::Done;
use crate::number::kilobytes;
use clap::Args;
use session::{FilteredSelection, Instance, LEAST_STACK_BYTES, MOST_STACK_BYTES, TraceClock};
use std::ops::RangeInclusive;

/// The range of `--stack-bytes`.
const STACK_BYTES: RangeInclusive<i64> = LEAST_STACK_BYTES as i64..=MOST_STACK_BYTES as i64;

/// What is recorded.
#[derive(Debug, Args)]
pub(crate) struct RecordingArguments {
    // Before the events: it counts those that stand before it.
    #[command(flatten)]
    pub(crate) triggers: TriggerArguments,

    /// Record these events, and no others
    ///
    /// Can be given several times.
    #[arg(short = 'e', long = "event", value_name = "EVENT", display_order = 0)]
    pub(crate) events: Vec<FilteredSelection>,

    /// Define this probe and record its event
    ///
    /// 'FILE:FUNC [ARG]...' as for lookback probe; without -e no other events; can be given several times.
    #[arg(long = "probe", value_name = "PROBE", display_order = 0)]
    pub(crate) probes: Vec<String>,

    #[command(flatten)]
    pub(crate) functions: FunctionArguments,

    /// KB of buffer for each CPU, or 64M, 4G
    ///
    /// The default is 4096, or less where memory is short.
    #[arg(short, long, value_name = "KB", value_parser = kilobytes)]
    pub(crate) buffer_size: Option<u64>,

    /// Show times of this clock [default: mono]
    ///
    /// One of those of the kernel's trace_clock.
    #[arg(short = 'C', long, value_name = "CLOCK", value_parser = session::trace_clock)]
    pub(crate) clock: Option<TraceClock>,

    /// Record a stack trace after each event
    #[arg(short = 'T', long)]
    stacktrace: bool,

    /// Bytes of the stack for each trace
    ///
    /// So many are recorded at most, 96 to 3968, the default.
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(STACK_BYTES))]
    stack_bytes: Option<u32>,
}

impl RecordingArguments {
    /// The events that are recorded: if none was named the default ones, or none at all where functions are
    /// traced, or probes were given.
    pub(crate) fn wanted_events(&self) -> Vec<FilteredSelection> {
        match self.events.as_slice() {
            [] if self.functions.tracer.is_some() || !self.probes.is_empty() => Vec::new(),
            [] => vec![FilteredSelection::default()],
            events => events.to_vec(),
        }
    }

    /// Sets the options for stack traces that were given; others stay as they are.
    pub(crate) fn apply_stack_options(&self, session: &Instance) -> Done<()> {
        if let Some(bytes) = self.stack_bytes {
            session.set_stack_bytes(bytes)?;
        }
        if self.stacktrace {
            session.set_option(session::TraceOption::Stacktrace, true)?;
        }
        Ok(())
    }
}
