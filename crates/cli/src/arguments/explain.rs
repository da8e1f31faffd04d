//! The arguments of `lookback explain`.

use super::{SourceArguments, ViewArguments};
use clap::Args;
use query::{TimeBound, TimeRange};

/// Say on one screen what ran, failed, was slow, and waited for whom.
///
/// For programs it says how they have ended, those first that have failed. Of calls that have failed those
/// come first whose errors are less usual, with the path or the peer that they were about, and where the last
/// was made. The slowest calls are those that don't wait for work, for others or for a lock; each with how
/// long half of such calls take. Waits are those for locks and for others, with who held the lock or has
/// ended them.
///
/// Without options it reads a file, as report does. With --session or a snapshot it reads what a
/// session holds.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lookback record -- make && lookback explain
  lookback explain --session=default -s          the newest snapshot
  lookback explain slow.dat --around 32545.904   100 ms before and after
  lookback explain -g 4711 --from -2s            a process, in the last 2 s
  lookback explain --json | jq '.failed[].about'")]
pub(crate) struct ExplainArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,

    /// Read the 100 ms before TIME and after it; TIME is given as for --from
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with_all = ["from", "to", "time"])]
    pub(crate) around: Option<TimeBound>,

    /// Print a JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Show times as dates, in UTC
    #[arg(long)]
    pub(crate) wall_clock: bool,
}

/// Nanoseconds before and after a time that are around it.
const AROUND: u64 = 100_000_000;

impl ExplainArguments {
    /// What is shown, and how.
    pub(crate) fn view(&self) -> ViewArguments {
        let mut view = self.source.view();
        if let Some(time) = self.around {
            view.choice.time = Some(TimeRange::around(time, AROUND));
        }
        (view.form.explain, view.form.json, view.times.wall_clock) = (true, self.json, self.wall_clock);
        view
    }
}
