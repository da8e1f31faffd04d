//! The command's arguments. Its help and its man pages are made from this.

mod choice;
mod file_format;
mod mounting;
mod persistent;
mod report;
mod set;
mod snapshot;
mod stacks;
mod tree;
mod trigger;

pub(crate) use choice::ChoiceArguments;
pub(crate) use file_format::FileFormatArguments;
pub(crate) use mounting::{ExecArguments, MountArguments, UmountArguments};
pub(crate) use report::ReportArguments;
pub(crate) use set::SetArguments;
pub(crate) use snapshot::{SnapshotArguments, SnapshotOption};
pub(crate) use stacks::StackArguments;

use clap::{Args, Parser, Subcommand};
use session::{FilteredSelection, Selection, TraceClock};
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) use persistent::*;
pub(crate) use tree::{CatArguments, GetArguments, LsArguments};
pub(crate) use trigger::TriggerArguments;

/// Record what programs do, and look back.
///
/// A flight recorder for programs that use libc. It writes their calls into libc, and the start and end of
/// their processes, to per-CPU ring buffers in memory that all processes share.
#[derive(Debug, Parser)]
#[command(name = "lookback", version, propagate_version = false, disable_help_subcommand = true)]
#[command(after_help = "\
Examples:
  lookback record -- make -j2       record a build, with all processes that it starts
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
}

#[derive(Debug, Subcommand)]
pub(crate) enum TaskArguments {
    Record(RecordArguments),
    Report(Box<ReportArguments>),
    Start(StartArguments),
    Stop(StopArguments),
    Run(RunArguments),
    Show(ShowArguments),
    Snapshot(SnapshotArguments),
    Extract(ExtractArguments),
    Set(SetArguments),
    Get(GetArguments),
    Cat(CatArguments),
    Ls(LsArguments),
    Mount(MountArguments),
    Umount(UmountArguments),
    Exec(ExecArguments),
    List(ListArguments),
    Stat(StatArguments),
    Clear(ClearArguments),
    Reset(ResetArguments),
    Delete(DeleteArguments),
    Install(InstallArguments),
    Events(EventsArguments),
    Completions(CompletionsArguments),
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

/// Run a program and record what it and its children do.
///
/// The program need not be rebuilt. Its arguments, files, signals and exit status are as without lookback.
/// The events are written to a trace.dat file, which `lookback report`, trace-cmd and KernelShark read. At
/// the end a summary is printed on standard error.
#[derive(Debug, Args)]
#[command(override_usage = "lookback record [OPTIONS] -- CMD [ARGUMENT]...")]
#[command(after_help = "\
Events:
  SYSTEM:EVENT, SYSTEM, EVENT or @CLASS, with * ? and [a-z] as in the shell.
  Without -e all events are recorded except those of the classes @mem, @lock and
  @clock, whose calls are too frequent; `lookback events` shows them.
  -e libc:open -e 'libc:*stat*'   some calls
  -e @file -e sched               calls on files; process events
  -e @default -e @mem             the events of the default, and calls on memory
  -e shop: -e ftrace:print        a program's own events; its messages
  -e '*_exit if ret < 0'          events that match a filter, as for report -F;
                                  see lookback-set(1)
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
    // Before the events: it counts those that stand before it.
    #[command(flatten)]
    pub(crate) triggers: TriggerArguments,

    /// Record these events; can be given several times
    #[arg(short = 'e', long = "event", value_name = "EVENT", display_order = 0)]
    pub(crate) events: Vec<FilteredSelection>,

    /// KB of buffer for each CPU [default: 4096, or less where memory is short]
    #[arg(short, long, value_name = "KB")]
    pub(crate) buffer_size: Option<u64>,

    /// Show times of this clock, one of those of the kernel's trace_clock [default: mono]
    #[arg(short = 'C', long, value_name = "CLOCK", value_parser = session::trace_clock)]
    pub(crate) clock: Option<TraceClock>,

    #[command(flatten)]
    pub(crate) stacks: StackArguments,

    /// Write the trace to FILE
    #[arg(short, long, value_name = "FILE", default_value = "trace.dat")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) format: FileFormatArguments,

    /// Record into the session of this name, or of this path if it has a /; it is made if it doesn't exist
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<OsString>,

    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// The program to run, and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
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

/// Print a script that makes a shell complete lookback's arguments.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lookback completions bash > ~/.local/share/bash-completion/completions/lookback
  lookback completions zsh > ~/.zfunc/_lookback
  lookback completions fish > ~/.config/fish/completions/lookback.fish")]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
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
