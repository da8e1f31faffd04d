//! What the command understands. Its help and its man pages are made from this.

mod choice;
mod file_format;
mod mounting;
mod report;
mod set;
mod snapshot;
mod stacks;
mod standing;
mod tree;
mod trigger;

pub(crate) use choice::Choice;
pub(crate) use file_format::FileFormat;
pub(crate) use mounting::{Exec, Mount, Umount};
pub(crate) use report::Report;
pub(crate) use set::Set;
pub(crate) use snapshot::{Kept, Snapshot};
pub(crate) use stacks::Stacks;

use clap::{Args, Parser, Subcommand};
use session::{FilteredSelection, Selection, TraceClock};
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) use standing::*;
pub(crate) use tree::{Cat, Get, Ls};
pub(crate) use trigger::Triggers;

/// Record what programs do, and look back.
///
/// A flight recorder for programs that run on libc. Their calls into libc and the life of their processes are
/// written to ring buffers in memory that all processes share, one for each CPU.
#[derive(Debug, Parser)]
#[command(name = "lookback", version, propagate_version = false, disable_help_subcommand = true)]
#[command(after_help = "\
Examples:
  lookback record -- make -j2       record a build, with all processes that it starts
  lookback report | less            read it, in the order of time
  trace-cmd report                  the same, with another tool

  lookback start                    a session that stands, without a file
  lookback run -- ./server          a program that takes part in it
  lookback snapshot -s              keep the last moments, and go on
  lookback show -s | less           read them

Exit status:
  that of the program that record or run starts; of lookback itself 0, or
  125  when it fails or was called wrongly
  126  when the program can't be executed
  127  when the program is not found")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    Record(Record),
    Report(Box<Report>),
    Start(Start),
    Stop(Stop),
    Run(Run),
    Show(Show),
    Snapshot(Snapshot),
    Extract(Extract),
    Set(Set),
    Get(Get),
    Cat(Cat),
    Ls(Ls),
    Mount(Mount),
    Umount(Umount),
    Exec(Exec),
    List(List),
    Stat(Stat),
    Clear(Clear),
    Reset(Reset),
    Delete(Delete),
    Install(Install),
    Events(Events),
    Completions(Completions),
    /// Install the object that traced programs load, and print its path.
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
/// Nothing has to be rebuilt or started before. The program gets its arguments, files, signals and exit
/// status as without lookback; what was recorded is written to a file that `lookback report`, trace-cmd and
/// KernelShark read. A summary goes to standard error at the end.
#[derive(Debug, Args)]
#[command(override_usage = "lookback record [OPTIONS] -- CMD [ARGUMENT]...")]
#[command(after_help = "\
Events:
  SYSTEM:EVENT, SYSTEM, EVENT or @CLASS, with * ? and [a-z] as in the shell.
  Without -e all are recorded but those of the classes @mem, @lock and @clock, which
  programs make all the time; `lookback events` shows them.
  -e libc:open -e 'libc:*stat*'   some calls
  -e @file -e sched               calls on files; the life of processes
  -e @default -e @mem             what is recorded without -e, and calls on memory
  -e shop: -e ftrace:print        a program's own events; its messages
  -e '*_exit if ret < 0'          what a filter, as for report -F, is true of; see
                                  lookback-set(1)
  Of several that fit an event the last one counts.

Clocks:
  mono, local, global, perf    nanoseconds of CLOCK_MONOTONIC
  mono_raw, boot, tai          of CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_TAI
  uptime                       hundredths of a second
  x86-tsc                      ticks of the time stamp counter
  counter                      no time: the number of the event

Memory:
  (CPUs + 1) x KB in /dev/shm, for the time of the recording.")]
pub(crate) struct Record {
    // Before the events: it counts those that stand before it.
    #[command(flatten)]
    pub(crate) triggers: Triggers,

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
    pub(crate) stacks: Stacks,

    /// Write the recording to FILE
    #[arg(short, long, value_name = "FILE", default_value = "trace.dat")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) format: FileFormat,

    /// Record into a session with this name, or at this path with a /; it is made if it is not there
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<OsString>,

    /// Say nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// The program to run, and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// Show the events that can be recorded.
#[derive(Debug, Args)]
pub(crate) struct Events {
    /// Show only these, given as for record
    #[arg(value_name = "EVENT")]
    pub(crate) events: Vec<Selection>,

    /// Show the format of each: its fields and how they are printed
    #[arg(short, long)]
    pub(crate) format: bool,
}

/// Write what a shell needs to complete lookback's arguments to standard output.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lookback completions bash > ~/.local/share/bash-completion/completions/lookback
  lookback completions zsh > ~/.zfunc/_lookback
  lookback completions fish > ~/.config/fish/completions/lookback.fish")]
pub(crate) struct Completions {
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
        Arguments::command().debug_assert();
    }
}
