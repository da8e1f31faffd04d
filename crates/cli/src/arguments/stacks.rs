//! The options for stack traces.

use crate::failure::Done;
use clap::Args;
use session::{Instance, LEAST_STACK_BYTES, MOST_STACK_BYTES};
use std::ops::RangeInclusive;

/// The range of `--stack-bytes`.
const RANGE: RangeInclusive<i64> = LEAST_STACK_BYTES as i64..=MOST_STACK_BYTES as i64;

/// The options for stack traces.
#[derive(Debug, Args)]
pub(crate) struct StackArguments {
    /// Record a stack trace after each event
    #[arg(short = 'T', long)]
    stacktrace: bool,

    /// Bytes of the stack that are recorded for each trace, 96 to 3968 [default: 3968]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(RANGE))]
    stack_bytes: Option<u32>,
}

impl StackArguments {
    /// Sets the session's options that were given; others stay as they are.
    pub(crate) fn apply(&self, session: &Instance) -> Done<()> {
        if let Some(bytes) = self.stack_bytes {
            session.set_stack_bytes(bytes)?;
        }
        if self.stacktrace {
            session.set_option(session::TraceOption::Stacktrace, true)?;
        }
        Ok(())
    }
}
