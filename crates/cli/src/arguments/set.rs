//! `lookback set`: enables and disables events, and writes to control files.

use super::InstanceArguments;
use clap::{Args, ValueEnum};
use std::ffi::OsString;

/// Enable or disable events, or write to a control file.
///
/// EVENT on|off also applies to programs that start later: the session keeps the pattern, and the last
/// pattern that matches an event decides whether it is enabled.
///
/// With a filter only events that match it are recorded. The traced programs evaluate it; an event that it
/// rejects takes no space in the buffers. FILTER has the kernel's grammar, as for report -F. It is set for
/// the events that exist now and have its fields; others stay as they were. An event keeps its filter while
/// it is disabled; `on` without `if` removes the filter.
///
/// Programs follow a change of the functions that are traced when they next make a call that is wrapped.
/// With --now those that sleep, or make no calls, are interrupted, for about a millisecond and without
/// noticing it. That needs the right to trace them (ptrace).
///
/// PATH VALUE does what `echo VALUE > PATH` does in the kernel's tracefs. An argument with a / in it, or that
/// is the name of a file that `lookback ls` shows, is a PATH; any other is an EVENT.
#[derive(Debug, Args)]
#[command(override_usage = "lookback set [OPTIONS] EVENT on|off\n       \
    lookback set [OPTIONS] EVENT on if FILTER\n       lookback set [OPTIONS] PATH VALUE\n       lookback set --now")]
#[command(after_long_help = "\
Examples:
  lookback set 'libc:*stat*' off
  lookback set @net on
  lookback set 'shop:*' on          a program's own events, before it starts
  lookback set 'libc:*_exit' on if 'ret < 0'
  lookback set libc:openat_exit on if 'pathname ~ \"*.conf\" && COMM != \"make\"'
  lookback set tracing_on 0
  lookback set events/libc/openat/enable 1
  lookback set -a set_event '!sched:sched_process_exit'
  lookback set --now set_ftrace_filter 'cart_*'   also in programs that sleep
  lookback set trace ''             empties the buffers")]
pub(crate) struct SetArguments {
    #[command(flatten)]
    pub(crate) change: Option<ChangeArguments>,

    /// Append to the file, as `>>` does, and keep what is set
    #[arg(short, long, requires = "what")]
    pub(crate) append: bool,

    /// Interrupt programs that don't trace the functions which are wanted, and don't follow by themselves
    #[arg(long)]
    pub(crate) now: bool,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
}

/// What is changed, and how.
#[derive(Debug, Args)]
pub(crate) struct ChangeArguments {
    /// The events, given as for record; or a control file, as `lookback ls` shows it
    #[arg(value_name = "EVENT|PATH", required = false, required_unless_present = "now")]
    pub(crate) what: String,

    /// on or off; or the value to write, to which a line end is added; - writes standard input, unchanged
    #[arg(
        value_name = "VALUE",
        required = false,
        required_unless_present = "now",
        allow_hyphen_values = true
    )]
    pub(crate) value: OsString,

    /// The word before a filter
    #[arg(value_name = "if", hide_possible_values = true, requires = "filter")]
    pub(crate) condition: Option<If>,

    /// Record only events that match it: FIELD OPERATOR VALUE, joined by && || ! and parentheses
    #[arg(value_name = "FILTER")]
    pub(crate) filter: Option<String>,
}

/// The word before a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum If {
    If,
}
