//! Snapshots: which one is meant, and taking them.

use super::{Instance, Which};
use clap::Args;
use session::SnapshotNumber;

/// A snapshot instead of what is recorded now.
#[derive(Debug, Args)]
pub(crate) struct Kept {
    /// Of a snapshot: the newest, or the one with this number, which `lookback stat` shows
    #[arg(short, long, value_name = "NUMBER", num_args = 0..=1, require_equals = true)]
    pub(crate) snapshot: Option<Option<SnapshotNumber>>,
}

/// Take a snapshot, show the newest, or give them up.
///
/// A snapshot keeps what was recorded, and recording goes on without a gap. The first takes memory for it.
/// With as many kept as there is room for, the oldest is given up. Without an option the newest is shown.
///
/// With -c it is of one CPU alone; what was recorded on the others stays where it is. That, too, takes the
/// place of one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lookback snapshot -s && lookback snapshot | less
  lookback snapshot -s -c 1         what CPU 1 did last
  lookback extract -s -o slow.dat   the newest, into a file")]
pub(crate) struct Snapshot {
    /// Take a snapshot
    #[arg(short = 's', long, group = "what")]
    pub(crate) take: bool,

    /// Give up all that are kept; their memory stays for others
    #[arg(short, long, group = "what")]
    pub(crate) reset: bool,

    /// Give up all that are kept, and their memory
    #[arg(short, long, group = "what")]
    pub(crate) free: bool,

    /// Of this CPU alone
    #[arg(short = 'c', value_name = "CPU", conflicts_with_all = ["reset", "free"])]
    pub(crate) only_cpu: Option<u32>,

    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,

    /// Say nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
