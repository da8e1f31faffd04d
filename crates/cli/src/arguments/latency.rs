//! `lookback latency`.

use super::InstanceArguments;
use clap::Args;

/// Show the longest section that a latency tracer has measured.
///
/// Which thread's it was, how long, where it began and ended, with which stack, and who has waited for it, as
/// far as that is recorded: -e @lock has waits for locks. `lookback set current_tracer` chooses a latency
/// tracer, which keeps the trace of that section.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lookback set -B flight current_tracer preemptoff && lookback latency -p
  lookback latency --json           the longest so far, for programs
  lookback get -B flight trace      its whole trace")]
pub(crate) struct LatencyArguments {
    /// Go on, and show each new maximum, until interrupted
    #[arg(short, long)]
    pub(crate) pipe: bool,

    /// Print JSON, one object to a line
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
}
