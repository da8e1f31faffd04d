//! `lookback snapshot`, and the option that chooses a snapshot.

use super::InstanceArguments;
use clap::Args;
use session::SnapshotNumber;

/// A snapshot to read instead of the live buffer, or all of them before it.
#[derive(Debug, Default, Args)]
pub(crate) struct SnapshotOption {
    /// Read a snapshot: the newest, or the one with this id, which `lookback snapshots` shows
    #[arg(short, long, value_name = "NUMBER", num_args = 0..=1, require_equals = true)]
    pub(crate) snapshot: Option<Option<SnapshotNumber>>,

    /// Read all snapshots and what has been recorded since, as one trace. Events between them that are gone
    /// are counted as lost
    #[arg(long, conflicts_with = "snapshot")]
    pub(crate) with_snapshots: bool,
}

impl SnapshotOption {
    /// That chooses the snapshot of this number.
    pub(crate) fn of(number: SnapshotNumber) -> SnapshotOption {
        SnapshotOption { snapshot: Some(Some(number)), with_snapshots: false }
    }
}

/// Take a snapshot, show the newest one, or drop all.
///
/// A snapshot keeps the events of the buffer, and recording goes on without a gap. The first snapshot
/// reserves its memory. If all slots are in use, the oldest snapshot is dropped. Without an option the newest
/// is shown.
///
/// With -c the snapshot has one CPU alone; the events of the others stay in the live buffer. It, too, takes
/// a slot.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lookback snapshot -s && lookback snapshot | less
  lookback snapshot -s -c 1         the latest events of CPU 1
  lookback extract -s -o slow.dat   write the newest to a file")]
pub(crate) struct SnapshotArguments {
    /// Take a snapshot
    #[arg(short = 's', long, group = "what")]
    pub(crate) take: bool,

    /// Drop all snapshots, and keep their memory for others
    #[arg(short, long, group = "what")]
    pub(crate) reset: bool,

    /// Drop all snapshots, and free their memory
    #[arg(short, long, group = "what")]
    pub(crate) free: bool,

    /// Take or show a snapshot of this CPU alone
    #[arg(short = 'c', value_name = "CPU", conflicts_with_all = ["reset", "free"])]
    pub(crate) only_cpu: Option<u32>,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
}
