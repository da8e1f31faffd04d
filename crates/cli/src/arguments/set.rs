//! Switching events on and off, and writing to control files.

use super::{Instance, Which};
use clap::{Args, ValueEnum};
use std::ffi::OsString;

/// Switch events on or off, or write to a control file.
///
/// EVENT on|off is for now and for programs that are still to come: the pattern is kept, and events that a
/// program brings later go by the last one that fits.
///
/// With a filter only those events are recorded of which it is true; the traced programs look, and what is
/// refused costs no room. FILTER is one for report -F, in the kernel's grammar. It belongs to the events that
/// there are now and have its fields; others stay as they were. It stays with them while they are off;
/// without `if`, on takes it away.
///
/// PATH VALUE does what `echo VALUE > PATH` does in the kernel's tracefs. What has a / in it, or is the name
/// of a file that `lookback ls` shows, is a PATH; anything else is an EVENT.
#[derive(Debug, Args)]
#[command(override_usage = "lookback set [OPTIONS] EVENT on|off\n       \
    lookback set [OPTIONS] EVENT on if FILTER\n       lookback set [OPTIONS] PATH VALUE")]
#[command(after_help = "\
Examples:
  lookback set 'libc:*stat*' off
  lookback set @net on
  lookback set 'shop:*' on          a program's own events, before it runs
  lookback set 'libc:*_exit' on if 'ret < 0'
  lookback set libc:openat_exit on if 'pathname ~ \"*.conf\" && COMM != \"make\"'
  lookback set tracing_on 0
  lookback set events/libc/openat/enable 1
  lookback set -a set_event '!sched:sched_process_exit'
  lookback set trace ''             empties the buffers")]
pub(crate) struct Set {
    /// The events, given as for record; or the file, as `lookback ls` shows it
    #[arg(value_name = "EVENT|PATH")]
    pub(crate) what: String,

    /// on or off; or what to write, with a line end behind it: standard input as it is for -
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) value: OsString,

    /// Before a filter
    #[arg(value_name = "if", hide_possible_values = true, requires = "filter")]
    pub(crate) condition: Option<If>,

    /// Record only what it is true of: FIELD OPERATOR VALUE, joined by && || ! and parentheses
    #[arg(value_name = "FILTER")]
    pub(crate) filter: Option<String>,

    /// Append to the file, as `>>` does: what is set stays
    #[arg(short, long)]
    pub(crate) append: bool,

    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,

    /// Say nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// The word before a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum If {
    If,
}
