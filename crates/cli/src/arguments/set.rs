//! Switching events on and off.

use super::{Instance, Which};
use clap::{Args, ValueEnum};
use session::Selection;

/// Switch events on or off, now and in programs that are still to come.
///
/// The pattern is kept: events that a program brings later go by the last one that fits.
///
/// With a filter only those events are recorded of which it is true; the traced programs look, and what is
/// refused costs no room. FILTER is one for report -F, in the kernel's grammar. It belongs to the events that
/// there are now and have its fields; others stay as they were. It stays with them while they are off;
/// without `if`, on takes it away.
#[derive(Debug, Args)]
#[command(
    override_usage = "lookback set [OPTIONS] EVENT on|off\n       lookback set [OPTIONS] EVENT on if FILTER"
)]
#[command(after_help = "\
Examples:
  lookback set 'libc:*stat*' off
  lookback set @net on
  lookback set 'shop:*' on          a program's own events, before it runs
  lookback set 'libc:*_exit' on if 'ret < 0'
  lookback set libc:openat_exit on if 'pathname ~ \"*.conf\" && COMM != \"make\"'")]
pub(crate) struct Set {
    /// Which, given as for record
    #[arg(value_name = "EVENT")]
    pub(crate) event: Selection,

    /// What they are to be
    #[arg(value_name = "on|off", hide_possible_values = true)]
    pub(crate) state: Switch,

    /// Before a filter
    #[arg(value_name = "if", hide_possible_values = true, requires = "filter")]
    pub(crate) condition: Option<If>,

    /// Record only what it is true of: FIELD OPERATOR VALUE, joined by && || ! and parentheses
    #[arg(value_name = "FILTER")]
    pub(crate) filter: Option<String>,

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

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}
