//! What `lookback install` understands.

use super::{BudgetOption, SessionArguments};
use clap::Args;
use std::path::PathBuf;

/// Attach systemd services, or a container, to a session.
///
/// Writes a drop-in for each service, which sets LD_PRELOAD and LOOKBACK_SESSION, and gives the service
/// access to the session if the unit restricts its access; and a unit that makes the session at each boot,
/// before the services start. Nothing is restarted.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lookback install nginx && systemctl daemon-reload && systemctl restart nginx
  lookback install --persist /var/lib/lookback nginx
                                    the trace survives a crash of the machine
  lookback install --save-to /var/lib/lookback nginx
                                    snapshots of errors are saved there
  lookback install --remove nginx
  podman run $(lookback install --container) debian ls")]
pub(crate) struct InstallArguments {
    /// The services: NAME, or NAME.service
    #[arg(value_name = "SERVICE", required_unless_present = "container")]
    pub(crate) services: Vec<String>,

    /// Have the session's unit copy what is recorded to DIR, by `lookback persist`
    #[arg(long, value_name = "DIR")]
    pub(crate) persist: Option<PathBuf>,

    /// Have the session's snapshots saved as files in DIR, by `lookback snapshots watch`, or by `lookback
    /// persist` where there is --persist
    #[arg(long, value_name = "DIR")]
    pub(crate) save_to: Option<PathBuf>,

    /// How many percent of each CPU's time recording may take in the session, or none for all
    #[arg(long, value_name = "PERCENT", default_value = "1")]
    pub(crate) budget: BudgetOption,

    /// Print options for podman or docker instead, by which a container's programs are attached
    #[arg(long, conflicts_with_all = ["services", "persist", "save_to", "user", "root", "remove"])]
    pub(crate) container: bool,

    /// A unit of the calling user's own service manager
    #[arg(long, conflicts_with = "root")]
    pub(crate) user: bool,

    /// Units of the system below this directory
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) root: Option<PathBuf>,

    /// Remove the drop-ins; and the session's unit, if no other service needs it
    #[arg(long, conflicts_with_all = ["persist", "save_to"])]
    pub(crate) remove: bool,

    #[command(flatten)]
    pub(crate) which: SessionArguments,
}
