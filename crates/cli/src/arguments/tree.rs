//! The tasks that use the control tree.

use super::InstanceArguments;
use clap::Args;

/// A control file of an instance.
#[derive(Debug, Args)]
pub(crate) struct FileArguments {
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
