//! `lookback snapshots`.

use super::{
    ExtractArguments, FromOption, InstanceArguments, OutputArguments, ShowArguments, SnapshotOption,
    ViewArguments,
};
use clap::{Args, Subcommand};
use session::SnapshotNumber;

/// List the snapshots that are kept, show one, or save one to a file.
///
/// Each has a number, and says when it was taken, by whom, and why.
#[derive(Debug, Args)]
#[command(subcommand_value_name = "TASK", override_usage = "lookback snapshots [OPTIONS] [TASK]")]
#[command(after_long_help = "\
Examples:
  lookback snapshots                which are kept, and why
  lookback snapshots show 3         the events of number 3
  lookback snapshots save 3 -o crash.dat
  lookback snapshots watch          saves each to where `start --save-to` says")]
pub(crate) struct SnapshotsArguments {
    #[command(subcommand)]
    pub(crate) task: Option<SnapshotsTask>,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SnapshotsTask {
    Show(Box<SnapshotsShowArguments>),
    Save(SnapshotsSaveArguments),
    Watch(SnapshotsWatchArguments),
}

/// Save each new snapshot to the directory of `start --save-to`.
///
/// It goes on until Control-C, or until the session is deleted. `lookback persist` does so, too; and each
/// command that looks at the session saves those that nobody has saved yet.
#[derive(Debug, Args)]
pub(crate) struct SnapshotsWatchArguments {
    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
}

/// Show the events of a snapshot, as `lookback show --snapshot=NUMBER` does.
#[derive(Debug, Args)]
pub(crate) struct SnapshotsShowArguments {
    /// The snapshot's number
    #[arg(value_name = "NUMBER")]
    number: SnapshotNumber,

    #[command(flatten)]
    pub(crate) view: ViewArguments,

    #[command(flatten)]
    instance: InstanceArguments,
}

/// Write a snapshot to a trace.dat file, as `lookback extract --snapshot=NUMBER` does.
#[derive(Debug, Args)]
pub(crate) struct SnapshotsSaveArguments {
    /// The snapshot's number
    #[arg(value_name = "NUMBER")]
    number: SnapshotNumber,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    instance: InstanceArguments,
}

impl SnapshotsShowArguments {
    /// What they are for `lookback show`; of the instance `before` where they choose none.
    pub(crate) fn whole(self, before: InstanceArguments) -> ShowArguments {
        let SnapshotsShowArguments { number, view, instance } = self;
        let instance = instance.or(before);
        ShowArguments { pipe: false, snapshot: SnapshotOption::of(number), only_cpu: None, view, instance }
    }
}

impl SnapshotsSaveArguments {
    /// What they are for `lookback extract`; of the instance `before` where they choose none.
    pub(crate) fn whole(self, before: InstanceArguments) -> ExtractArguments {
        let SnapshotsSaveArguments { number, output, instance } = self;
        ExtractArguments {
            output,
            from: FromOption::default(),
            snapshot: SnapshotOption::of(number),
            instance: instance.or(before),
        }
    }
}
