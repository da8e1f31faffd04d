//! The arguments of `lookback explain`.

use super::{ChoiceArguments, FormArguments, InstanceArguments, SnapshotOption, ViewArguments};
use clap::Args;
use query::{RedactRule, TimeBound, TimeRange};
use std::path::PathBuf;

/// Say on one screen what ran, failed, was slow, and waited for whom.
///
/// For programs it says how they have ended, those first that have failed. Of calls that have failed those
/// come first whose errors are less usual, with the path or the peer that they were about, and where the last
/// was made. The slowest calls are those that don't wait for work, for others or for a lock; each with how
/// long half of such calls take. Waits are those for locks and for others, with who held the lock or has
/// ended them.
///
/// Without options it reads a file, as report does. With --session, --instance or a snapshot it reads what a
/// session holds.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lookback record -- make && lookback explain
  lookback explain --session=default -s          the newest snapshot
  lookback explain slow.dat --around 32545.904   100 ms before and after
  lookback explain -g 4711 --from -2s            a process, in the last 2 s
  lookback explain --json | jq '.failed[].about'")]
pub(crate) struct ExplainArguments {
    /// The trace.dat file [default: trace.dat]
    #[arg(value_name = "FILE", conflicts_with_all = ["session", "snapshot", "with_snapshots"])]
    pub(crate) file: Option<PathBuf>,

    /// Read the 100 ms before TIME and after it; TIME is given as for --from
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with_all = ["from", "to", "time"])]
    pub(crate) around: Option<TimeBound>,

    /// Print a JSON object
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) snapshot: SnapshotOption,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,

    #[command(flatten)]
    pub(crate) choice: ChoiceArguments,

    /// Show times as dates, in UTC
    #[arg(long)]
    pub(crate) wall_clock: bool,

    /// Show names of C++ and Rust as linkers know them, not as in the source
    #[arg(long)]
    pub(crate) no_demangle: bool,

    /// Show *** for strings of these fields, as for report; can be given several times
    #[arg(long, value_name = "EVENT.FIELD[~PATTERN]")]
    pub(crate) redact: Vec<RedactRule>,
}

/// Nanoseconds before and after a time that are around it.
const AROUND: u64 = 100_000_000;

impl ExplainArguments {
    /// Whether a session is read: with `-B` alone it is a file, whose buffers have names, too.
    pub(crate) fn is_of_session(&self) -> bool {
        let SnapshotOption { snapshot, with_snapshots } = &self.snapshot;
        self.instance.which.session.is_some() || snapshot.is_some() || *with_snapshots
    }

    /// What is shown, and how.
    pub(crate) fn view(&self) -> ViewArguments {
        let time = self.around.map(|time| TimeRange::around(time, AROUND)).or(self.choice.time);
        ViewArguments {
            choice: ChoiceArguments { time, ..self.choice.clone() },
            form: FormArguments { explain: true, json: self.json, ..FormArguments::default() },
            wall_clock: self.wall_clock,
            no_demangle: self.no_demangle,
            redact: self.redact.clone(),
            ..ViewArguments::default()
        }
    }
}
