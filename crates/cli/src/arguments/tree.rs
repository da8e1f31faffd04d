//! The tasks that use the control tree.

use super::InstanceArguments;
use clap::Args;

/// Print the contents of a control file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lookback get trace
  lookback get events/libc/openat/format
  lookback get per_cpu/cpu0/stats

The files are those of the kernel's tracefs: `lookback get README`.")]
pub(crate) struct GetArguments {
    /// The file, as `lookback ls` shows it
    #[arg(value_name = "PATH")]
    pub(crate) path: String,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
}

/// Print the contents of a control file, and go on as more arrives: of `trace_pipe`, until Control-C or until
/// recording is stopped.
#[derive(Debug, Args)]
pub(crate) struct CatArguments {
    /// The file, as `lookback ls` shows it
    #[arg(value_name = "PATH")]
    pub(crate) path: String,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
}

/// List the control files; names of directories end with a /.
#[derive(Debug, Args)]
pub(crate) struct LsArguments {
    /// The directory
    #[arg(value_name = "PATH", default_value = "/", hide_default_value = true)]
    pub(crate) path: String,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
}
