//! The tasks that reach the control tree.

use super::{Instance, Which};
use clap::Args;

/// Show what a control file has: the state that it stands for, or the events in `trace`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lookback get trace
  lookback get events/libc/openat/format
  lookback get per_cpu/cpu0/stats

The files are those of the kernel's tracefs: `lookback get README`.")]
pub(crate) struct Get {
    /// The file, as `lookback ls` shows it
    #[arg(value_name = "PATH")]
    pub(crate) path: String,

    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,
}

/// Show what a control file has, and go on with what comes: for `trace_pipe`, until Control-C or until
/// recording is off.
#[derive(Debug, Args)]
pub(crate) struct Cat {
    /// The file, as `lookback ls` shows it
    #[arg(value_name = "PATH")]
    pub(crate) path: String,

    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,
}

/// List the control files, and the directories with a / behind their names.
#[derive(Debug, Args)]
pub(crate) struct Ls {
    /// The directory
    #[arg(value_name = "PATH", default_value = "/", hide_default_value = true)]
    pub(crate) path: String,

    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,
}
