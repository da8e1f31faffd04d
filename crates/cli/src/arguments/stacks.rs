//! Whether stacks are recorded.

use crate::failure::Done;
use clap::Args;
use session::{LEAST_STACK_BYTES, MOST_STACK_BYTES, Session};
use std::ops::RangeInclusive;

/// How many bytes can be asked for.
const RANGE: RangeInclusive<i64> = LEAST_STACK_BYTES as i64..=MOST_STACK_BYTES as i64;

/// Whether stacks are recorded.
#[derive(Debug, Args)]
pub(crate) struct Stacks {
    /// Record the stack behind each event: who has called whom
    #[arg(short = 'T', long)]
    stacktrace: bool,

    /// Bytes of the stack that are kept for each, 96 to 3968 [default: 3968]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(RANGE))]
    stack_bytes: Option<u32>,
}

impl Stacks {
    /// Has a session record as is asked for; what isn't stays as it is.
    pub(crate) fn apply(&self, session: &Session) -> Done<()> {
        if let Some(bytes) = self.stack_bytes {
            session.set_stack_bytes(bytes)?;
        }
        if self.stacktrace {
            session.set_option(session::TraceOption::Stacktrace, true)?;
        }
        Ok(())
    }
}
