//! The tasks around a session that stands.

use super::{Choice, FileFormat, Kept, Stacks, Triggers};
use clap::Args;
use session::{FilteredSelection, TraceClock};
use std::ffi::OsString;
use std::path::PathBuf;

/// Which session is meant.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// The session with this name, or at this path with a / [default: $LOOKBACK_SESSION, or default]
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<OsString>,
}

/// Which of its instances.
#[derive(Debug, Args)]
pub(crate) struct Instance {
    /// The session's instance with this name: a buffer of its own, with the events that are on there. The
    /// recording itself is `flight` [default: flight]
    #[arg(short = 'B', long = "instance", value_name = "INSTANCE")]
    pub(crate) name: Option<String>,
}

/// Start a session that stands, or switch one on again.
///
/// The session stays until `lookback delete`, or the next boot; nothing runs for it. Programs take part that
/// are started by `lookback run`, or by a unit of systemd that `lookback install` has changed, with all that
/// they start. What they do is kept in memory, the oldest overwritten, until somebody looks.
///
/// A session that is there already is switched on: what is attached to it records again.
///
/// With -B it is one of its instances, which is made if it isn't there: a buffer of its own, for rare events
/// that a flood of others is not to overwrite. All that is attached takes part at once.
#[derive(Debug, Args)]
#[command(after_help = "\
Memory:
  (CPUs + 1) x KB x (1 + snapshots) in /dev/shm. The first part is taken now,
  that of a snapshot with the first that is taken.

Examples:
  lookback start                    everything, 4 MB for each CPU
  lookback start -e @net -b 1024    calls on sockets, 1 MB for each CPU
  lookback start -e 'libc:*_exit if ret < 0'    calls that fail
  lookback start -e libc:open_exit -R 'snapshot:1 if error == 13'
                                    keep what led to the first EACCES
  lookback start -P 4711 -c         this process and its children
  lookback start --group www-data   for services of several users
  lookback start -B rare -e @process   these in a buffer of their own as well")]
pub(crate) struct Start {
    // Before the events: it counts those that stand before it.
    #[command(flatten)]
    pub(crate) triggers: Triggers,

    /// Record these events, given as for record, and no others [default: all, in a new session]
    #[arg(short = 'e', long = "event", value_name = "EVENT", display_order = 0)]
    pub(crate) events: Vec<FilteredSelection>,

    /// Record events of this thread alone, and of others that are named so: the first of a process has its
    /// PID
    #[arg(short = 'P', long = "pid", value_name = "PID")]
    pub(crate) pids: Vec<u32>,

    /// With -P: also of those that it makes, and of their children
    #[arg(short = 'c', long, requires = "pids")]
    pub(crate) children: bool,

    /// KB of buffer for each CPU [default: 4096, or less where memory is short]
    #[arg(short, long, value_name = "KB")]
    pub(crate) buffer_size: Option<u64>,

    /// Show times of this clock, one of those that record takes [default: mono]
    #[arg(short = 'C', long, value_name = "CLOCK", value_parser = session::trace_clock)]
    pub(crate) clock: Option<TraceClock>,

    #[command(flatten)]
    pub(crate) stacks: Stacks,

    /// How many snapshots can be kept at a time, 0 to 7 [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) snapshots: Option<u32>,

    /// Let members of this group take part: all of them can read everything, and damage the recording
    #[arg(long, value_name = "GROUP")]
    pub(crate) group: Option<String>,

    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,

    /// Say nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Stop recording: what is attached stays attached, what was recorded stays.
///
/// The same as `tracing_on` 0 in the kernel. `lookback start` goes on.
#[derive(Debug, Args)]
pub(crate) struct Stop {
    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,
}

/// Run a program that takes part in a session, without a file.
///
/// The program takes the place of this process: it has its PID, and gets its arguments, files and signals as
/// without lookback. There has to be a session: `lookback start` makes one.
#[derive(Debug, Args)]
#[command(override_usage = "lookback run [OPTIONS] -- CMD [ARGUMENT]...")]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) which: Which,

    /// Don't say when nothing will be recorded
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// The program to run, and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// Show what a session holds, as the kernel's `trace` file does.
///
/// Everything stays where it is, and recording goes on. With -p it is taken out, and shown as it comes, as by
/// the kernel's `trace_pipe`: that goes on until Control-C, or until recording is stopped and all was shown.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lookback show | less
  lookback show -p -e '*_exit' | grep ENOENT
  lookback snapshot -s && lookback show -s")]
pub(crate) struct Show {
    /// Take the events out, and go on with those that come
    #[arg(short, long, conflicts_with = "snapshot")]
    pub(crate) pipe: bool,

    #[command(flatten)]
    pub(crate) snapshot: Kept,

    /// Only of this CPU. With -p others are left where they are
    #[arg(short = 'c', value_name = "CPU", conflicts_with = "cpu")]
    pub(crate) only_cpu: Option<u32>,

    #[command(flatten)]
    pub(crate) choice: Choice,

    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,
}

/// Write what a session holds to a trace.dat file.
///
/// It is one as `lookback record` writes. Everything stays where it is, and recording goes on.
#[derive(Debug, Args)]
pub(crate) struct Extract {
    /// Write to FILE
    #[arg(short, long, value_name = "FILE", default_value = "trace.dat")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) format: FileFormat,

    #[command(flatten)]
    pub(crate) snapshot: Kept,

    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,

    /// Say nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Empty the buffers. Snapshots and settings stay.
#[derive(Debug, Args)]
pub(crate) struct Clear {
    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,
}

/// Switch all events off, empty the buffers and give up all snapshots.
///
/// The session stays, and what is attached stays attached, at the cost of one load for each call.
#[derive(Debug, Args)]
pub(crate) struct Reset {
    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,
}

/// Remove a session, with all that it holds.
///
/// What is attached to it runs on unharmed and unrecorded.
#[derive(Debug, Args)]
pub(crate) struct Delete {
    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,
}

/// List who takes part in a session, and who does not and why.
///
/// Who does not is found out as far as one may look: among the processes that have the session in their
/// environment.
#[derive(Debug, Args)]
pub(crate) struct List {
    /// List the events instead, and whether they are on
    #[arg(short, long, conflicts_with = "sessions")]
    pub(crate) events: bool,

    /// List the sessions of this user instead
    #[arg(long, conflicts_with = "session")]
    pub(crate) sessions: bool,

    #[command(flatten)]
    pub(crate) which: Which,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what a session has recorded, lost and kept, and its memory.
#[derive(Debug, Args)]
#[command(after_help = "\
Columns:
  those of the kernel's per_cpu/cpuN/stats: events that are there, overwritten,
  bytes in use, the time of the oldest page and now, events that could not be
  written, events taken out; and events per second just now. Rows of writers
  without rseq (lanes) are shown where there were any.")]
pub(crate) struct Stat {
    /// For so many milliseconds events are counted, for their rate; 0 for none
    #[arg(long, value_name = "MS", default_value = "200")]
    pub(crate) interval: u64,

    #[command(flatten)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) instance: Instance,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Have a service of systemd take part in a session.
///
/// Writes a drop-in for the unit, which sets LD_PRELOAD and LOOKBACK_SESSION, and gives the service access to
/// the session where the unit takes that away. Nothing is restarted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lookback install --unit nginx && systemctl daemon-reload && systemctl restart nginx
  lookback install --unit nginx --remove")]
pub(crate) struct Install {
    /// The unit: NAME, or NAME.service
    #[arg(long, value_name = "NAME")]
    pub(crate) unit: String,

    /// A unit of the calling user's own service manager
    #[arg(long, conflicts_with = "root")]
    pub(crate) user: bool,

    /// Units of the system below this directory
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) root: Option<PathBuf>,

    /// Remove the drop-in
    #[arg(long)]
    pub(crate) remove: bool,

    #[command(flatten)]
    pub(crate) which: Which,
}
