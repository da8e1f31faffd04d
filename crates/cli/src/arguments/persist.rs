//! `lookback persist`, and the option that reads what it has written.

use super::InstanceArguments;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Copy the events of a session to disk, as they come.
///
/// What is recorded is in memory, and gone when the machine stops. This task follows a session and copies its
/// events, and what describes them, to files in DIR, until Control-C, or until the session is deleted.
/// Nothing is consumed, and traced programs don't wait for the disk. `lookback extract --from DIR` reads the
/// files.
///
/// DIR has a directory for each session, with files that are only appended to. When all take as much as
/// --size allows, or the disk is full, the oldest is dropped. If this task is killed and started again it
/// goes on where it was. Which thread runs (@switch) is recorded as long as this task runs.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lookback persist /var/lib/lookback
  lookback persist --interval 0.2 --size 1024 /var/lib/lookback
  lookback extract --from /var/lib/lookback -o before-the-crash.dat

What is lost when the machine crashes: what was recorded after the last time
that the disk has got it, which is --interval ago at most.")]
pub(crate) struct PersistArguments {
    /// The directory for the files; it is made if it doesn't exist
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,

    /// Have the disk keep what was copied every so many seconds, at least 0.01
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = interval)]
    pub(crate) interval: Duration,

    /// The most that all files in DIR may take, in MB, at least 16
    #[arg(long, value_name = "MB", default_value = "256")]
    #[arg(value_parser = clap::value_parser!(u64).range(16..=1 << 24))]
    pub(crate) size: u64,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
}

fn interval(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.01..=3600.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "expected seconds from 0.01 to 3600".to_owned())
}

/// Files of `lookback persist` to read instead of a session.
#[derive(Debug, Default, Args)]
pub(crate) struct FromOption {
    /// Read what `lookback persist` has written to DIR: of the session that was copied there last, or of that
    /// whose directory DIR is
    #[arg(long, value_name = "DIR", conflicts_with_all = ["snapshot", "with_snapshots", "session", "name"])]
    pub(crate) from: Option<PathBuf>,
}
