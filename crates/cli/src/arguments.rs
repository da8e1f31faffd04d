//! The command's arguments. Its help and its man pages are made from this.

mod attach;
mod budget;
mod choice;
mod convert;
mod diff;
mod explain;
mod function;
mod install;
mod kernel;
mod latency;
mod mounting;
mod output;
mod persist;
mod persistent;
mod probe;
mod recording;
mod report;
mod set;
mod snapshot;
mod snapshots;
mod source;
mod tree;
mod trigger;
mod view;

pub(crate) use attach::{AttachArguments, DetachArguments, MeantArguments};
pub(crate) use budget::BudgetOption;
pub(crate) use choice::ChoiceArguments;
pub(crate) use convert::{ConvertArguments, ConvertFormat, FlameArguments, FlameWeight};
pub(crate) use diff::DiffArguments;
pub(crate) use explain::ExplainArguments;
pub(crate) use install::InstallArguments;
pub(crate) use latency::LatencyArguments;
pub(crate) use mounting::{ExecArguments, MountArguments};
pub(crate) use output::OutputArguments;
pub(crate) use persist::{FromOption, PersistArguments};
pub(crate) use persistent::*;
pub(crate) use probe::ProbeArguments;
pub(crate) use recording::RecordingArguments;
pub(crate) use report::{ReportArguments, TimeArguments, ViewArguments};
pub(crate) use set::{ChangeArguments, SetArguments};
pub(crate) use snapshot::{SnapshotArguments, SnapshotOption};
pub(crate) use snapshots::{SnapshotsArguments, SnapshotsTask};
pub(crate) use source::{PartArguments, SourceArguments};
pub(crate) use tree::{FileArguments, LsArguments};
pub(crate) use view::TimelineArguments;

use clap::{Args, Parser, Subcommand};
use kernel::KernelArguments;
use session::Selection;
use sql_arguments::SqlArguments;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Record what programs do, and look back.
///
/// A flight recorder for programs that use libc. It writes their calls into libc, and the start and end of
/// their processes, to per-CPU ring buffers in memory that all processes share.
#[derive(Debug, Parser)]
#[command(name = "lookback", version, propagate_version = false, subcommand_value_name = "TASK")]
#[command(after_long_help = "\
Examples:
  lookback record -- make -j2       record a build, with all its processes
  lookback report | less            read the trace, in order of time
  trace-cmd report                  read it with trace-cmd

  lookback start                    make a persistent session
  lookback run -- ./server          run a program that is recorded there
  lookback snapshot -s              keep the latest events, and go on recording
  lookback show -s | less           read them

Exit status:
  that of the program that record or run starts; lookback's own is 0, or
  125  when it fails, or its arguments are wrong
  126  when the program can't be executed
  127  when the program is not found")]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) task: TaskArguments,

    /// Print errors only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TaskArguments {
    Record(RecordArguments),
    Report(Box<ReportArguments>),
    Explain(Box<ExplainArguments>),
    View(Box<TimelineArguments>),
    Convert(Box<ConvertArguments>),
    Flame(Box<FlameArguments>),
    Diff(Box<DiffArguments>),
    Sql(Box<SqlArguments>),
    Start(StartArguments),
    /// Stop recording.
    ///
    /// Attached programs stay attached, and recorded events stay. It sets the kernel's `tracing_on` to 0.
    /// `lookback start` goes on recording.
    Stop(InstanceArguments),
    Run(RunArguments),
    Attach(AttachArguments),
    Detach(DetachArguments),
    Show(Box<ShowArguments>),
    Snapshot(SnapshotArguments),
    Snapshots(Box<SnapshotsArguments>),
    Latency(LatencyArguments),
    Extract(ExtractArguments),
    Persist(PersistArguments),
    Set(SetArguments),
    Probe(ProbeArguments),
    /// Print the contents of a control file.
    #[command(after_long_help = "\
Examples:
  lookback get trace
  lookback get events/libc/openat/format
  lookback get per_cpu/cpu0/stats

The files are those of the kernel's tracefs: `lookback get README`.")]
    Get(FileArguments),
    /// Print the contents of a control file, and go on as more arrives.
    ///
    /// Of `trace_pipe` it prints events until Control-C, or until recording is stopped and all were printed.
    Cat(FileArguments),
    Ls(LsArguments),
    Mount(MountArguments),
    /// Unmount a session's control tree.
    Umount {
        /// The directory
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    Exec(ExecArguments),
    List(ListArguments),
    Stat(StatArguments),
    /// Empty the buffers. Snapshots and settings stay.
    Clear(InstanceArguments),
    /// Disable all events, empty the buffers and drop all snapshots.
    ///
    /// The session stays, and attached programs stay attached, at the cost of one load for each call.
    Reset(InstanceArguments),
    /// Remove a session, with all its events and snapshots.
    ///
    /// Attached programs run on, unharmed and unrecorded.
    Delete(InstanceArguments),
    Install(InstallArguments),
    Events(EventsArguments),
    /// Print a script that makes a shell complete lookback's arguments.
    #[command(after_long_help = "\
Examples:
  d=~/.local/share/bash-completion/completions
  lookback completions bash > $d/lookback
  lookback completions zsh > ~/.zfunc/_lookback
  lookback completions fish > ~/.config/fish/completions/lookback.fish")]
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Show the version
    Version,
    /// Install the shared object that traced programs load, and print its path.
    #[command(hide = true)]
    Preload,
    /// Write the man pages into a directory.
    #[command(hide = true)]
    Manual {
        /// The directory.
        directory: PathBuf,
    },
}

/// Run a program and record it, or record programs that run already.
///
/// The program need not be rebuilt. Its arguments, files, signals and exit status are as without lookback.
/// The events are written to a trace.dat file, which `lookback report`, trace-cmd and KernelShark read. At
/// the end a summary is printed on standard error.
#[derive(Debug, Args)]
#[command(override_usage = "lookback record [OPTIONS] -- CMD [ARGUMENT]...
       lookback record [OPTIONS] --pid PID[,PID]... [--duration SECONDS]")]
#[command(after_long_help = "\
Events:
  SYSTEM:EVENT, SYSTEM, EVENT or @CLASS, with * ? and [a-z] as in the shell.
  Without -e all events are recorded except those of the classes @mem, @lock and
  @clock, whose calls are too frequent, of @syscalls, system calls, and of
  @switch, which thread runs: the kernel records that, and all of it only for
  root; `lookback events` shows them.
  -e libc:open -e 'libc:*stat*'   some calls
  -e @file -e @process            calls on files; process events
  -e @default -e @mem             the events of the default, and calls on memory
  -e @syscalls:file               system calls on files
  -e shop: -e ftrace:print        a program's own events; its messages
  -e '*_exit if ret < 0'          events that match a filter, as for report -F;
                                  see lookback-set(1)
  --kernel 'sched:*'              events of the kernel, as root
  If several match an event, the last one applies.

Clocks:
  mono, local, global, perf    nanoseconds of CLOCK_MONOTONIC
  mono_raw, boot, tai          of CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_TAI
  uptime                       hundredths of a second
  x86-tsc                      ticks of the time stamp counter
  counter                      no time: a count of events

Memory:
  (CPUs + 1) x KB in /dev/shm, while it records.")]
pub(crate) struct RecordArguments {
    #[command(flatten)]
    pub(crate) recording: RecordingArguments,

    #[command(flatten)]
    pub(crate) kernel: KernelArguments,

    #[command(flatten)]
    pub(crate) output: OutputArguments,

    /// Record into the session of this name
    ///
    /// Or of this path if it has a /; it is made if it doesn't exist.
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<OsString>,

    /// Record these processes, which run already
    ///
    /// Until they end or Control-C; they are attached as by lookback attach, and detached at the end.
    #[arg(short = 'P', long = "pid", value_name = "PID", value_delimiter = ',', conflicts_with = "command")]
    pub(crate) pids: Vec<String>,

    /// With -P: record for so long at most
    #[arg(long, value_name = "SECONDS", value_parser = limit, requires = "pids")]
    pub(crate) duration: Option<Duration>,

    /// The program to run, and its arguments
    #[arg(trailing_var_arg = true, required_unless_present = "pids", value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// A time in seconds.
fn limit(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.filter(|time| !time.is_zero()).ok_or_else(|| "expected seconds, as 10 or 0.5".to_owned())
}

/// Show the events that can be recorded.
#[derive(Debug, Args)]
pub(crate) struct EventsArguments {
    /// Show only these, given as for record
    #[arg(value_name = "EVENT")]
    pub(crate) events: Vec<Selection>,

    /// Show the format of each: its fields and how they are printed
    #[arg(short, long)]
    pub(crate) format: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        CommandLine::command().debug_assert();
    }
}
