//! What `lookback report` understands.

use super::ChoiceArguments;
use abi::site::FORMAT_SYSTEM;
use clap::Args;
use query::{Choice, PairRule, RedactRule};
use session::Selection;
use std::path::PathBuf;

/// Show a trace, as text in the form of the kernel's `trace` file.
#[derive(Debug, Default, Args)]
#[command(after_long_help = "\
Lines:
  the thread's name and id, the CPU, flags, the time in seconds of the trace's
  clock (an integer if that is counter, uptime or x86-tsc), and the event with
  its fields. ret and error are the result of a call, caller is the function
  that made it, sa_handler the function that handles a signal.

Filters:
  FIELD OPERATOR VALUE, joined by && || ! and parentheses.
  == != < <= > >= & for integers and names of their values (error == ENOENT);
  == != ~ for strings, ~ with * ? [a-z].
  A call's duration, in its exit event, takes ns, us, ms, s: duration > 100ms.
  In addition to an event's fields: common_pid, COMM, CPU, CPU & CPUS{0,2-3}.
  `lookback events --format` shows fields.

Examples:
  lookback report -e 'libc:open*' -e sched
  lookback report -F 'read_exit,write_exit: ret < 0' -t 'python*'
  lookback report -F '@file: error == ENOENT'    files that aren't there
  lookback report --time +1.5..+2 other.dat | grep ENOENT
  lookback report --pair 'libc:*'           how long each call took
  lookback report --pair 'syscalls:*'       each system call, as by strace -c
  lookback report --calls -F '*_exit: ret < 0'    calls that failed, a line each
  lookback report --waits                   what threads waited for, on whom
  lookback report --ktrace                  tracepoints with formats, in short
  lookback report --tree                    who made whom, and how each ended
  lookback report --html page.html          for a ticket, or to be mailed
  lookback report --json | jq 'select(.event == \"openat\").fields'")]
pub(crate) struct ReportArguments {
    /// The trace.dat file
    #[arg(value_name = "FILE", default_value = "trace.dat")]
    pub(crate) file: PathBuf,

    /// Show the events of this instance alone
    ///
    /// By default those of all, merged by time.
    #[arg(short = 'B', long, value_name = "NAME")]
    pub(crate) buffer: Option<String>,

    #[command(flatten)]
    pub(crate) view: ViewArguments,
}

/// Which events are shown, and how.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ViewArguments {
    #[command(flatten)]
    pub(crate) choice: ChoiceArguments,

    #[command(flatten)]
    pub(crate) form: FormArguments,

    /// Show the process of each thread
    #[arg(long)]
    pub(crate) show_tgid: bool,

    #[command(flatten)]
    pub(crate) times: TimeArguments,

    /// Show names of C++ and Rust as linkers know them
    ///
    /// Not as in the source.
    #[arg(long)]
    pub(crate) no_demangle: bool,

    /// Show the source file and line of callers
    ///
    /// And of handlers, if the programs' debug information is installed.
    #[arg(long)]
    pub(crate) lines: bool,

    /// Show *** for strings of these fields
    ///
    /// 'EVENT.FIELD', with * and ? in both; or only for strings that match a pattern:
    /// 'EVENT.FIELD~*PATTERN*'; can be given several times.
    #[arg(long, value_name = "EVENT.FIELD")]
    pub(crate) redact: Vec<RedactRule>,

    /// Print on a terminal at once, without a pager
    ///
    /// A pager is LOOKBACK_PAGER, PAGER or less.
    #[arg(long)]
    pub(crate) no_pager: bool,
}

/// How times are shown, if not as the trace's clock counts them.
#[derive(Debug, Clone, Copy, Default, Args)]
#[group(multiple = false)]
pub(crate) struct TimeArguments {
    /// Show times as dates, in UTC
    #[arg(long)]
    pub(crate) wall_clock: bool,

    /// Show times since the trace's first event
    #[arg(long, conflicts_with = "json")]
    pub(crate) rel: bool,

    /// Show the time since the line before
    #[arg(long, conflicts_with_all = ["json", "stat", "tree", "waits", "tasks", "pair", "html"])]
    pub(crate) delta: bool,
}

impl TimeArguments {
    /// Whether times are shown otherwise.
    fn is_given(self) -> bool {
        self.wall_clock || self.rel || self.delta
    }
}

impl ViewArguments {
    /// Whether events are shown as the kernel's text, and nothing else.
    pub(crate) fn is_plain(&self) -> bool {
        let FormArguments { json, stat, calls, tree, waits, tasks, ktrace, pair, html, explain, .. } =
            &self.form;
        let is_named = *json || *stat || *calls || *tree || *waits || *tasks || *ktrace || *explain;
        let is_form = is_named || pair.is_some() || html.is_some();
        let is_changed = self.show_tgid || self.times.is_given() || self.no_demangle || self.lines;
        !is_form && !is_changed && self.redact.is_empty()
    }

    /// Which events are asked for.
    pub(crate) fn choice(&self) -> Choice {
        let system = self.form.ktrace.then(|| FORMAT_SYSTEM.to_owned());
        Choice { system, ..self.choice.choice() }
    }

    /// What could be enabled to have the events that are asked for.
    pub(crate) fn wanted_events(&self) -> Vec<Selection> {
        let all = || self.form.ktrace.then(|| format!("{FORMAT_SYSTEM}:*").parse().ok()).flatten();
        match self.choice.events.is_empty() {
            true => all().into_iter().collect(),
            false => self.choice.events.clone(),
        }
    }
}

/// The form in which events are shown, if not as text.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FormArguments {
    /// Show a JSON object for each event
    ///
    /// With --tree for each process, with --waits for each thing that a thread waited for, with --tasks for
    /// each task, one on a line.
    #[arg(long, conflicts_with_all = ["stat", "calls", "ktrace", "pair"])]
    pub(crate) json: bool,

    /// Show counts by event, by thread, by CPU
    #[arg(long, group = "form")]
    pub(crate) stat: bool,

    /// Show a line for each call, as strace -fT does
    ///
    /// With its arguments, result, error and duration.
    #[arg(long, group = "form")]
    pub(crate) calls: bool,

    /// Show the tree of processes
    ///
    /// When each has started and ended, and how, with its calls and errors.
    #[arg(long, group = "form")]
    pub(crate) tree: bool,

    /// Show what each thread waited for, and on whom
    ///
    /// Locks, descriptors, sleep, children; how often and how long.
    #[arg(long, group = "form")]
    pub(crate) waits: bool,

    /// Show what tasks of Tokio did
    ///
    /// Polls and wakes, how long they took to come, and by whom. The events are `tokio_task*:`, of a program
    /// that has lookback's layer of `tracing`.
    #[arg(long, group = "form")]
    pub(crate) tasks: bool,

    /// Show tracepoints with formats alone
    ///
    /// Those of DO_TRACE and do_trace!: time, CPU, name, and the text that the format makes of the arguments.
    #[arg(long, group = "form")]
    pub(crate) ktrace: bool,

    /// Show the time from one event to another
    ///
    /// 'A..B' of the same thread, or 'A' from A to its own exit.
    #[arg(long, group = "form", value_name = "EVENTS")]
    pub(crate) pair: Option<PairRule>,

    /// Write a page to FILE
    ///
    /// What ran, failed and was slow, with a timeline and a flame graph; it needs no other file, no script
    /// and no network.
    #[arg(long, group = "form", value_name = "FILE", conflicts_with = "json")]
    pub(crate) html: Option<PathBuf>,

    /// Say on one screen what the trace has: `lookback explain` does.
    #[arg(skip)]
    pub(crate) explain: bool,

    /// With --pair: pair events with the same FIELD
    ///
    /// Rather than those of the same thread.
    #[arg(long, value_name = "FIELD", requires = "pair")]
    pub(crate) key: Option<String>,
}

impl FormArguments {
    /// Whether what is shown as JSON is something else than events.
    pub(crate) fn has_own_json(&self) -> bool {
        self.tree || self.waits || self.tasks || self.explain
    }
}
