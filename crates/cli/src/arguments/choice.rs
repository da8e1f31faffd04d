//! Which events are shown: the same for all commands that show some.

use crate::choice::{EventFilter, List, Moment, Span};
use clap::Args;
use session::Selection;

/// Which events are shown. An event has to fit everything that is given.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Choice {
    /// Show only these events, given as for record
    #[arg(short = 'e', long = "event", value_name = "EVENT")]
    pub(crate) events: Vec<Selection>,

    /// Show only what fits a filter: 'EVENT: FILTER' or 'EVENT,EVENT: FILTER', with events given as for -e;
    /// of several, any
    #[arg(short = 'F', long = "filter", value_name = "FILTER")]
    pub(crate) filters: Vec<EventFilter>,

    /// Show what doesn't fit the filters of -F instead
    #[arg(short = 'v', long, requires = "filters")]
    pub(crate) invert: bool,

    /// Show only events of these CPUs: 0, or 0,2-3
    #[arg(short = 'C', long, value_name = "LIST")]
    pub(crate) cpu: Option<List>,

    /// Show only events of these threads: 4711, or 4711,4713-4720
    #[arg(short = 'P', long, value_name = "LIST")]
    pub(crate) pid: Option<List>,

    /// Show only events of these processes, with all their threads
    #[arg(short = 'g', long, value_name = "LIST")]
    pub(crate) tgid: Option<List>,

    /// Show only events of threads with this name, with * ? and [a-z]; of several, any
    #[arg(short = 't', long, value_name = "NAME")]
    pub(crate) comm: Vec<String>,

    /// Show only events from TIME on: seconds as shown, +1.5 after the first event, -200ms before the last,
    /// or a date like 2026-11-21T08:45:09Z
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) from: Option<Moment>,

    /// Show only events up to TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) to: Option<Moment>,

    /// The same as --from and --to, of which one can be left out
    #[arg(long, value_name = "FROM..TO", allow_hyphen_values = true, conflicts_with_all = ["from", "to"])]
    pub(crate) time: Option<Span>,
}
