//! Stacks of events.

use crate::FTRACE;
use trace_event::{STACK_FORMAT, STACK_ID};

/// The id, name and format of stacks. Nobody switches them: they follow events.
pub(crate) const STACK: (u16, (&str, &str), &str) = (STACK_ID, (FTRACE, "kernel_stack"), STACK_FORMAT);
