//! What `lookback view` understands.

use super::SourceArguments;
use clap::Args;

/// Show a trace as a timeline in the browser.
///
/// It is Perfetto's interface, served on this machine with the trace that it shows: nothing leaves the
/// machine, and no network is needed. Threads stand under their processes, and calls are slices with their
/// arguments, results and errors. What to look at first is selected: the fault that a process has died of;
/// of a snapshot, the time at which it was taken; else the slowest call. The threads of all of these, and of
/// the least usual error, are pinned to the top.
///
/// The interface has to be fetched once: `lookback view --fetch-ui`. With --online the public one is used
/// instead, at https://ui.perfetto.dev; it reads the trace from this machine, and sends it nowhere.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Server:
  It answers on 127.0.0.1 alone, to a browser that knows the token in the
  address, and ends with Control-C, or when the page was closed for a minute
  (--linger). With --online it ends when the page has read the trace.

  --fetch-ui runs `python3 -m pip download` once: 16 MB, of which 31 MB are
  kept, unpacked, in $XDG_DATA_HOME/lookback, or ~/.local/share/lookback.

Examples:
  lookback view --fetch-ui          once
  lookback view                     trace.dat, in the browser
  lookback view -s                  the newest snapshot of a session
  lookback view --time +1..+2 big.dat")]
pub(crate) struct TimelineArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,

    /// Fetch the interface, by pip, and show nothing
    #[arg(long, exclusive = true)]
    pub(crate) fetch_ui: bool,

    /// Use the public interface, at https://ui.perfetto.dev
    #[arg(long)]
    pub(crate) online: bool,

    /// Print the address only, without opening a browser
    #[arg(long)]
    pub(crate) no_browser: bool,

    /// End so long after the page was closed
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) linger: u64,
}
