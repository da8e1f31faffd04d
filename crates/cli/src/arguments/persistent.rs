//! The tasks for persistent sessions.

use super::function::rule;
use super::{BudgetOption, FromOption, OutputArguments, RecordingArguments, SnapshotOption, ViewArguments};
use clap::Args;
use session::{ErrorList, FunctionRule, Saving};
use std::ffi::OsString;
use std::path::PathBuf;

/// The option that chooses a session.
#[derive(Debug, Args)]
pub(crate) struct SessionArguments {
    /// The session of this name
    ///
    /// Or of this path if it has a /. The default is $LOOKBACK_SESSION, or `default`.
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<OsString>,
}

/// The options that choose a session, and an instance of it.
#[derive(Debug, Args)]
pub(crate) struct InstanceArguments {
    #[command(flatten)]
    pub(crate) which: SessionArguments,

    /// The session's instance of this name
    ///
    /// A buffer with its own events, filters and snapshots. The default is `flight`.
    #[arg(short = 'B', long = "instance", value_name = "INSTANCE")]
    pub(crate) name: Option<String>,
}

impl InstanceArguments {
    /// These, or of `others` what they leave open.
    pub(crate) fn or(self, others: InstanceArguments) -> InstanceArguments {
        let session = self.which.session.or(others.which.session);
        InstanceArguments { which: SessionArguments { session }, name: self.name.or(others.name) }
    }
}

/// Start a persistent session, or let one record again.
///
/// The session stays until `lookback delete`, or the next boot; no process runs for it. It records programs
/// that are started by `lookback run`, or by a systemd unit that `lookback install` has changed, and all
/// programs that these start. The events are kept in memory; when the buffers are full, new events overwrite
/// the oldest.
///
/// If the session exists already, recording is enabled in it again: the attached programs record at once.
/// Without -e it goes on with the events that it has; a new session begins with those of record.
///
/// With -B it starts an instance of the session, which is made if it doesn't exist: a buffer for rare events,
/// which frequent ones then can't overwrite. All attached programs use it at once.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Memory:
  (CPUs + 1) x KB x (1 + snapshots) in /dev/shm. The memory of the live buffer
  is reserved now, and with --snapshot-on that of a snapshot; that of others
  when they are first taken.

Errors:
  signal     a signal that ends the process, and for which it has no handler:
             SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP, SIGABRT
  panic      a Rust panic, where the program has it recorded
  abort      abort(3)
  assert     a failed assert(3)
  terminate  std::terminate of C++, as for an exception that nobody catches
  exit       an exit with another status than 0
  kill       SIGKILL, when a recorded parent waits for the process
  syslog     a record of syslog(3) of the level LOG_ERR or worse
  log        an error-level record of Rust's log, or event of its tracing, where
             the program has them recorded
  Errors less than a second after one that has taken a snapshot take none.

Examples:
  lookback start                    the default events, 4 MB for each CPU
  lookback start -e @net -b 1024    calls on sockets, 1 MB for each CPU
  lookback start -e 'libc:*_exit if ret < 0'    calls that fail
  lookback start -e 'libc:*_exit if duration > 100ms'    calls that take long
  lookback start -e libc:open_exit -R 'snapshot:1 if error == 13'
                                    keep what led to the first EACCES
  lookback start -P 4711 -c         this process and its children
  lookback start --group www-data   for services of several users
  lookback start --errors 'libc:connect > 5/s'
                                    keep what led to the sixth error in a second
  lookback start --budget 1         at most 1 % of each CPU's time for recording
  lookback start --save-to /var/lib/lookback   snapshots are saved there
  lookback start -B rare -e @process   these also in a buffer of their own")]
pub(crate) struct StartArguments {
    #[command(flatten)]
    pub(crate) recording: RecordingArguments,

    /// Record events of this thread only
    ///
    /// Can be given several times. The first thread of a process has the process's PID.
    #[arg(short = 'P', long = "pid", value_name = "PID")]
    pub(crate) pids: Vec<u32>,

    /// With -P: also record what it makes
    ///
    /// The threads and processes that it makes, and theirs.
    #[arg(short = 'c', long, requires = "pids")]
    pub(crate) children: bool,

    /// With -p: interrupt processes that don't follow
    ///
    /// As they sleep or make no calls.
    #[arg(long, requires = "tracer")]
    pub(crate) now: bool,

    /// How many snapshots are kept, 0 to 7 [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) snapshots: Option<u32>,

    /// Which errors of programs take a snapshot
    ///
    /// None, or signal, panic, abort, assert, terminate, exit, kill, syslog and log, with commas between
    /// them. The default is signal,panic,abort,assert,terminate.
    #[arg(long, value_name = "LIST")]
    pub(crate) snapshot_on: Option<ErrorList>,

    /// How much of each CPU's time recording may take
    ///
    /// In percent, or none for all, the default: what costs more is left out of the default instance for a
    /// while.
    #[arg(long, value_name = "PERCENT")]
    pub(crate) budget: Option<BudgetOption>,

    /// Have too many errors of a call take a snapshot
    ///
    /// 'libc:CALL > N/s', /m or /h; can be given several times, and none removes the rules that there are.
    #[arg(long, value_name = "RULE")]
    pub(crate) errors: Vec<String>,

    /// Have snapshots saved as files in DIR
    ///
    /// By each command that looks at the session, `lookback persist` and `lookback snapshots watch`;
    /// `lookback set snapshot_save_to ''` ends it.
    #[arg(long, value_name = "DIR")]
    pub(crate) save_to: Option<PathBuf>,

    /// The most that these take, in MB [default: 256]
    ///
    /// All snapshots that are saved in DIR; the oldest are removed.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=Saving::MOST_MB))]
    pub(crate) save_size: Option<u64>,

    /// Let members of this group use the session
    ///
    /// All of them can read the events, and damage the buffers.
    #[arg(long, value_name = "GROUP")]
    pub(crate) group: Option<String>,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
}

/// Run a program that is recorded in a persistent session.
///
/// lookback executes the program in its own place, so the program has its PID. Its arguments, files and
/// signals are as without lookback. If the session doesn't exist, or is of another version of lookback, the
/// program runs unrecorded, after a warning: services start after a reboot, too.
#[derive(Debug, Args)]
#[command(override_usage = "lookback run [OPTIONS] -- CMD [ARGUMENT]...")]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) which: SessionArguments,

    /// The program to run, and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// Show the events of a session, as the kernel's `trace` file does.
///
/// The events stay in the buffer, and recording goes on. With -p they are consumed, and shown as they arrive,
/// as by the kernel's `trace_pipe`, until Control-C, or until recording is stopped and all were shown.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lookback show | less
  lookback show -p -e '*_exit' | grep ENOENT
  lookback snapshot -s && lookback show -s
  lookback show --with-snapshots --calls   what was kept, and what came since")]
pub(crate) struct ShowArguments {
    /// Consume the events, and go on with those that arrive
    #[arg(short, long, conflicts_with_all = ["snapshot", "with_snapshots"])]
    pub(crate) pipe: bool,

    #[command(flatten)]
    pub(crate) snapshot: SnapshotOption,

    /// Show only events of this CPU
    ///
    /// With -p those of other CPUs are not consumed.
    #[arg(short = 'c', value_name = "CPU", conflicts_with = "cpu")]
    pub(crate) only_cpu: Option<u32>,

    #[command(flatten)]
    pub(crate) view: ViewArguments,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
}

/// Write the events of a session to a trace.dat file.
///
/// The file is like those of `lookback record`. The events stay in the buffer, and recording goes on.
///
/// With --from it reads what `lookback persist` has copied to disk: of a session that is gone, also after a
/// crash of the machine, and from damaged files what can be read of them.
#[derive(Debug, Args)]
pub(crate) struct ExtractArguments {
    #[command(flatten)]
    pub(crate) output: OutputArguments,

    #[command(flatten)]
    pub(crate) from: FromOption,

    #[command(flatten)]
    pub(crate) snapshot: SnapshotOption,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
}

/// List a session's processes, and why some aren't attached.
///
/// Processes that aren't attached are those that have the session in their environment and that the caller
/// may inspect.
///
/// With --threads it lists what their threads are in, and for how long: the innermost of the calls that have
/// an enabled event. A thread whose process has been killed is listed with what it was in then.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// List the events instead, and whether they are enabled
    #[arg(short, long, conflicts_with = "sessions")]
    pub(crate) events: bool,

    /// List the threads instead, and the call that each is in
    #[arg(short, long, conflicts_with_all = ["sessions", "events"])]
    pub(crate) threads: bool,

    /// List the functions that can be traced instead: those that programs were built to have traced, or of
    /// all programs those that fit a name or a pattern with * and ?, or PATTERN:mod:OBJECT
    #[arg(
        short,
        long,
        value_name = "FUNC",
        num_args = 0..=1,
        default_missing_value = "*",
        value_parser = rule,
        conflicts_with_all = ["sessions", "events", "threads"]
    )]
    pub(crate) functions: Option<FunctionRule>,

    /// Say of processes that aren't attached whether `lookback attach` can do that, or why not; with -f: how
    /// each function is traced, or why it can't be
    #[arg(long, conflicts_with_all = ["sessions", "events", "threads", "usdt", "syscalls"])]
    pub(crate) why: bool,

    /// List the places for USDT instead, of these programs and libraries, or of those that traced processes
    /// have used: the events that their authors have named, the offset in the file, that of the reference
    /// counter, and the arguments, as for lookback probe
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..,
        conflicts_with_all = ["sessions", "events", "threads", "functions"]
    )]
    pub(crate) usdt: Option<Vec<String>>,

    /// List the places that call the kernel instead, of these programs and libraries, or of those that traced
    /// processes have used: which system call, the offset in the file and the function, and whether its begin
    /// and its end are seen where events of system calls are enabled
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..,
        conflicts_with_all = ["sessions", "events", "threads", "functions", "usdt"]
    )]
    pub(crate) syscalls: Option<Vec<String>>,

    /// List the sessions of this user instead
    #[arg(long, conflicts_with = "session")]
    pub(crate) sessions: bool,

    #[command(flatten)]
    pub(crate) which: SessionArguments,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show counts of recorded and lost events, snapshots and memory.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Columns:
  those of the kernel's per_cpu/cpuN/stats: events in the buffer, events
  overwritten, bytes in use, the time of the oldest page and now, events that
  could not be written, events consumed; and the current events per second.
  Lanes, for writers without rseq, have rows if they were used.")]
pub(crate) struct StatArguments {
    /// Count events for so many milliseconds to measure their rate; 0 shows no rate
    #[arg(long, value_name = "MS", default_value = "200")]
    pub(crate) interval: u64,

    #[command(flatten)]
    pub(crate) instance: InstanceArguments,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
