//! What `lookback report` understands.

use super::Choice;
use crate::report::{PairOption, RedactOption};
use clap::Args;
use std::path::PathBuf;

/// Show what was recorded, as text in the form of the kernel's `trace` file.
#[derive(Debug, Default, Args)]
#[command(after_help = "\
Lines:
  the thread's name and number, the CPU, flags, the time in seconds of the
  recording's clock (a number where that is counter, uptime or x86-tsc), and the
  event with its fields. ret and error are the result of a call; caller is the
  function that made it, sa_handler the one that is called for a signal.

Filters:
  FIELD OPERATOR VALUE, joined by && || ! and parentheses.
  == != < <= > >= & for numbers; == != ~ for strings, ~ with * ? [a-z].
  Besides an event's fields: common_pid, COMM, CPU, CPU & CPUS{0,2-3}.
  `lookback events --format` shows fields.

Examples:
  lookback report -e 'libc:open*' -e sched
  lookback report -F 'read_exit,write_exit: ret < 0' -t 'python*'
  lookback report -F '@file: error == 2'    what calls on files did not find
  lookback report --time +1.5..+2 other.dat | grep ENOENT
  lookback report --pair 'libc:*'           how long each call took
  lookback report --json | jq 'select(.event == \"openat\").fields'")]
pub(crate) struct Report {
    /// The recording
    #[arg(value_name = "FILE", default_value = "trace.dat")]
    pub(crate) file: PathBuf,

    /// Show the events of this instance [default: the top buffer, or the first one that has events]
    #[arg(short = 'B', long, value_name = "NAME")]
    pub(crate) buffer: Option<String>,

    #[command(flatten)]
    pub(crate) choice: Choice,

    #[command(flatten)]
    pub(crate) form: Form,

    /// Show the process of each thread
    #[arg(long)]
    pub(crate) show_tgid: bool,

    /// Show times as dates, in UTC
    #[arg(long)]
    pub(crate) wall_clock: bool,

    /// Show names of C++ and Rust as they stand in the source
    #[arg(long)]
    pub(crate) demangle: bool,

    /// Show the file and line of callers and handlers, where the programs' debug information is there
    #[arg(long)]
    pub(crate) lines: bool,

    /// Show *** for strings of these fields: 'EVENT.FIELD', with * and ? in both; or only for those that fit
    /// a pattern: 'EVENT.FIELD~*PATTERN*'; can be given several times
    #[arg(long, value_name = "EVENT.FIELD[~PATTERN]")]
    pub(crate) redact: Vec<RedactOption>,
}

/// What is made of the events, if not text.
#[derive(Debug, Default, Args)]
pub(crate) struct Form {
    /// Show an object for each event, one on a line
    #[arg(long, group = "form")]
    pub(crate) json: bool,

    /// Count events instead: by kind, by thread, by CPU
    #[arg(long, group = "form")]
    pub(crate) stat: bool,

    /// Show how long it took from one event to another of the same thread: 'A..B', or 'A' up to 'A_exit'
    #[arg(long, group = "form", value_name = "EVENTS")]
    pub(crate) pair: Option<PairOption>,

    /// With --pair: pair events with the same FIELD, rather than of the same thread
    #[arg(long, value_name = "FIELD", requires = "pair")]
    pub(crate) key: Option<String>,
}

impl Form {
    /// Whether it is text.
    pub(crate) fn is_text(&self) -> bool {
        !self.json && !self.stat && self.pair.is_none()
    }
}
