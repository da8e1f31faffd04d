//! The options of a session, by the kernel's names.
//!
//! [`options!`] has one row for each: the files `options/*`, `trace_options`, and the table in
//! `docs/control-tree.md` are made from those.

use crate::{Error, Instance};
use abi::instance::{
    ARGUMENTS, FIRST_MADE, FUNCTION_STACKS, GRAPH_ARGUMENTS, MARKER_COPIES, NO_GRAPH_TIME, NO_HANDLERS,
    NO_MARKER_COPIES, NO_MARKERS, NO_REPEATS, RETURN_ADDRESSES, STACKS,
};
use control::Filtered;

/// What belongs to an option.
#[derive(Clone, Copy)]
struct OptionRow {
    name: &'static str,
    is_on: bool,
    storage: Storage,
    is_at_top_only: bool,
    help: &'static str,
}

/// Where an option is kept, which depends on who uses it.
#[derive(Clone, Copy)]
enum Storage {
    /// In [`crate::Preferences`]: readers use it.
    Preferences,
    /// Nowhere.
    AlwaysOn,
    /// In the control word of the buffer.
    Buffer,
    /// In the PID filters.
    PidFilters(Filtered),
    /// In a flag of the instance, since traced programs or other instances use it, or it is looked at often:
    /// with the flag's value when the option is on. Options that are on by default are no flag then: any
    /// makes each event slower.
    Flag {
        /// In the default instance and the top level's own.
        own: (u32, bool),
        /// In a named instance.
        named: (u32, bool),
    },
}

const PREFERENCE: Storage = Storage::Preferences;

const fn flag(flag: u32, when_on: bool) -> Storage {
    Storage::Flag { own: (flag, when_on), named: (flag, when_on) }
}

/// Whether an option has a file in the trees of instances, too, as the kernel has it.
const EVERYWHERE: bool = false;
const TOP_LEVEL: bool = true;

macro_rules! options {
    ($(#[doc = $help:literal] $option:ident = $name:literal, $on:literal, $storage:expr, $place:ident;)*) => {
        /// An option of a session, by the kernel's name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum TraceOption {
            $(#[doc = $help] $option,)*
        }

        impl TraceOption {
            /// All, in the kernel's order.
            pub const ALL: &[TraceOption] = &[$(TraceOption::$option),*];

            const fn row(self) -> OptionRow {
                match self {
                    $(TraceOption::$option => OptionRow {
                        name: $name,
                        is_on: $on == 1,
                        storage: $storage,
                        is_at_top_only: $place,
                        help: $help,
                    },)*
                }
            }
        }
    };
}

// Each with its default.
options! {
    /// Functions are shown with their callers.
    PrintParent = "print-parent", 1, PREFERENCE, EVERYWHERE;
    /// Names of functions have the offset in the function after them.
    SymOffset = "sym-offset", 0, PREFERENCE, EVERYWHERE;
    /// Names of functions have their addresses after them.
    SymAddr = "sym-addr", 0, PREFERENCE, EVERYWHERE;
    /// With `latency-format`: more before an event's own text, and no legend.
    Verbose = "verbose", 0, PREFERENCE, EVERYWHERE;
    /// Events are shown as the values of their fields.
    Raw = "raw", 0, PREFERENCE, EVERYWHERE;
    /// Events are shown as the values of their fields, in hexadecimal.
    Hex = "hex", 0, PREFERENCE, EVERYWHERE;
    /// Events are shown as the values of their fields, in bytes.
    Bin = "bin", 0, PREFERENCE, EVERYWHERE;
    /// poll(2) always says that `trace_pipe` is readable.
    Block = "block", 0, PREFERENCE, EVERYWHERE;
    /// Events are shown by the names and values of their fields.
    Fields = "fields", 0, PREFERENCE, EVERYWHERE;
    /// A line of text says where a CPU's buffer starts, if events were overwritten.
    Annotate = "annotate", 1, PREFERENCE, EVERYWHERE;
    /// Messages and markers are shown without anything else.
    PrintkMsgOnly = "printk-msg-only", 0, PREFERENCE, TOP_LEVEL;
    /// Thread, CPU, flags and time stand before an event's own text.
    ContextInfo = "context-info", 1, PREFERENCE, EVERYWHERE;
    /// Text has the form of the latency tracers.
    LatencyFormat = "latency-format", 0, PREFERENCE, EVERYWHERE;
    /// Threads have names; without it they are `<...>`.
    RecordCmd = "record-cmd", 1, PREFERENCE, TOP_LEVEL;
    /// A column has the PID of the thread's process.
    RecordTgid = "record-tgid", 0, PREFERENCE, EVERYWHERE;
    /// Full buffers overwrite their oldest events.
    Overwrite = "overwrite", 1, Storage::Buffer, EVERYWHERE;
    /// Recording stops when `free_buffer` is closed.
    DisableOnFree = "disable_on_free", 0, PREFERENCE, EVERYWHERE;
    /// A column has the five characters of flags.
    IrqInfo = "irq-info", 1, PREFERENCE, EVERYWHERE;
    /// `trace_marker` and `trace_marker_raw` may be written.
    Markers = "markers", 1, flag(NO_MARKERS, false), EVERYWHERE;
    /// PID filters of events follow forks and exits.
    EventFork = "event-fork", 0, Storage::PidFilters(Filtered::Events), EVERYWHERE;
    /// An instance gets what is written to the markers of the top level; ENODEV there if nobody gets it.
    CopyTraceMarker = "copy_trace_marker", 1,
        Storage::Flag { own: (NO_MARKER_COPIES, false), named: (MARKER_COPIES, true) }, EVERYWHERE;
    /// Nothing is recorded while `trace` is open.
    PauseOnTrace = "pause-on-trace", 0, PREFERENCE, EVERYWHERE;
    /// Latency tracers record calls of functions, those of sections only within them.
    FunctionTrace = "function-trace", 1, PREFERENCE, EVERYWHERE;
    /// PID filters of functions follow forks and exits.
    FunctionFork = "function-fork", 0, Storage::PidFilters(Filtered::Functions), EVERYWHERE;
    /// Latency tracers record functions as calls within calls, and how long they took.
    DisplayGraph = "display-graph", 0, PREFERENCE, EVERYWHERE;
    /// The stack is recorded after each event.
    Stacktrace = "stacktrace", 0, flag(STACKS, true), EVERYWHERE;
    /// The stack is recorded after each call of a function.
    FuncStackTrace = "func_stack_trace", 0, flag(FUNCTION_STACKS, true), EVERYWHERE;
    /// Of calls that are the same as the thread's last one only the first is recorded, and how many followed.
    FuncNoRepeats = "func-no-repeats", 0, flag(NO_REPEATS, true), EVERYWHERE;
    /// Calls of functions have what they are called with.
    FuncArgs = "func-args", 0, flag(ARGUMENTS, true), EVERYWHERE;
    /// Ends of calls say how many calls were too deeply nested to be recorded.
    FuncgraphOverrun = "funcgraph-overrun", 0, PREFERENCE, EVERYWHERE;
    /// A column has the CPU.
    FuncgraphCpu = "funcgraph-cpu", 1, PREFERENCE, EVERYWHERE;
    /// Durations have a mark: `+` above 10 us, `!` 100 us, `#` 1 ms, `*` 10 ms, `@` 100 ms, `$` 1 s.
    FuncgraphOverhead = "funcgraph-overhead", 1, PREFERENCE, EVERYWHERE;
    /// A column has the thread.
    FuncgraphProc = "funcgraph-proc", 0, PREFERENCE, EVERYWHERE;
    /// A column has how long functions took.
    FuncgraphDuration = "funcgraph-duration", 1, PREFERENCE, EVERYWHERE;
    /// A column has the time.
    FuncgraphAbstime = "funcgraph-abstime", 0, PREFERENCE, EVERYWHERE;
    /// Functions are recorded in handlers of signals, too.
    FuncgraphIrqs = "funcgraph-irqs", 1, flag(NO_HANDLERS, false), EVERYWHERE;
    /// Closing braces have the function's name after them.
    FuncgraphTail = "funcgraph-tail", 0, PREFERENCE, EVERYWHERE;
    /// Calls have after them what they return.
    FuncgraphRetval = "funcgraph-retval", 0, PREFERENCE, EVERYWHERE;
    /// Error numbers that functions return are in hexadecimal, too.
    FuncgraphRetvalHex = "funcgraph-retval-hex", 0, PREFERENCE, EVERYWHERE;
    /// Calls have after them where they return to.
    FuncgraphRetaddr = "funcgraph-retaddr", 0, flag(RETURN_ADDRESSES, true), EVERYWHERE;
    /// Functions have what they are called with.
    FuncgraphArgs = "funcgraph-args", 0, flag(GRAPH_ARGUMENTS, true), EVERYWHERE;
    /// Durations have the time that the thread has slept. Can't be disabled.
    SleepTime = "sleep-time", 1, Storage::AlwaysOn, EVERYWHERE;
    /// In the profile, which goes by the top level's, times have that of functions called within.
    GraphTime = "graph-time", 1, flag(NO_GRAPH_TIME, false), EVERYWHERE;
}

impl TraceOption {
    /// Its name.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// What it does, in a sentence.
    pub fn help(self) -> &'static str {
        self.row().help.trim_ascii()
    }

    /// Whether it is on until somebody changes it.
    pub const fn is_on_by_default(self) -> bool {
        self.row().is_on
    }

    /// The option of this name.
    pub fn named(name: &str) -> Option<TraceOption> {
        TraceOption::ALL.iter().copied().find(|option| option.name() == name)
    }

    /// Whether it has a file only at the top level, as the kernel has it.
    pub const fn is_at_top_only(self) -> bool {
        self.row().is_at_top_only
    }

    pub(crate) const fn bit(self) -> u64 {
        1 << self as u32
    }

    const fn storage(self) -> Storage {
        self.row().storage
    }
}

impl Instance {
    /// Whether an option is on.
    pub fn option(&self, option: TraceOption) -> bool {
        match option.storage() {
            Storage::Preferences => self.preferences().is_on(option),
            Storage::AlwaysOn => true,
            Storage::Buffer => !self.buffer().control().no_overwrite(),
            Storage::PidFilters(filtered) => self.follows_forks(filtered),
            Storage::Flag { .. } => {
                let (flag, when_on) = self.flag_of(option);
                (self.control().instance_flags(self.index) & flag != 0) == when_on
            }
        }
    }

    /// Gives a new instance the options of `other` that the kernel gives it, for one who has
    /// [`crate::Session::lock_settings`].
    pub(crate) fn inherit_options(&self, other: &Instance) -> Result<(), Error> {
        let (control, instance) = (self.control(), self.index);
        control.set_stack_bytes(instance, control.stack_bytes(other.index));
        control.set_instance_flags(instance, STACKS, other.option(TraceOption::Stacktrace));
        control.set_instance_flags(instance, NO_MARKERS, !other.option(TraceOption::Markers));
        self.buffer().set_overwrite(other.option(TraceOption::Overwrite));
        self.prefer_locked(self.preferences().with_options_of(&other.preferences()))
    }

    /// Gives a new instance the options of tracers that `other` has, for one who has
    /// [`crate::Session::lock_settings`].
    pub(crate) fn take_tracing_options(&self, other: &Instance) {
        for option in TraceOption::ALL.iter().filter(|option| option.tracer().is_some()) {
            if matches!(option.storage(), Storage::Flag { .. }) {
                self.set_flag(*option, other.option(*option));
            }
        }
    }

    /// Switches an option. One of the current tracer's that can't be combined with others of it is refused.
    pub fn set_option(&self, option: TraceOption, on: bool) -> Result<(), Error> {
        match option.storage() {
            Storage::Preferences
                if matches!(option, TraceOption::FunctionTrace | TraceOption::DisplayGraph) =>
            {
                self.set_latency_functions(option, on)?;
            }
            Storage::Preferences => self.prefer(|preferred| preferred.set(option, on))?,
            Storage::AlwaysOn if on => {}
            Storage::AlwaysOn => return Err(Error::AlwaysOn { option: option.name() }),
            Storage::Buffer => self.buffer().set_overwrite(on),
            Storage::PidFilters(filtered) => self.follow_forks(filtered, on)?,
            Storage::Flag { .. } => {
                let lock = self.session.lock_settings()?;
                let tracer = self.tracer();
                let is_own = tracer.options.contains(&option);
                if on && is_own {
                    tracer.check(|other| other == option || self.option(other))?;
                }
                self.set_flag(option, on);
                // Processes look at those of function_graph only when they are called.
                if is_own && tracer.traces_functions() {
                    self.session.call_for_functions(&lock);
                }
            }
        }
        Ok(())
    }

    /// Switches an option that is a flag, for one who has [`crate::Session::lock_settings`].
    pub(super) fn set_flag(&self, option: TraceOption, on: bool) {
        let (flag, when_on) = self.flag_of(option);
        self.control().set_instance_flags(self.index, flag, on == when_on);
    }

    /// The flag of an option, and its value when that is on; no flag for options that are none.
    fn flag_of(&self, option: TraceOption) -> (u32, bool) {
        match option.storage() {
            Storage::Flag { own, named } => {
                if self.index < FIRST_MADE {
                    own
                } else {
                    named
                }
            }
            _ => (0, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};

    #[test]
    fn all_who_use_the_session_see_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
        let one = Session::create(&path, &options).unwrap();
        let other = Instance::open(&path).unwrap();
        let can_change = |option: &TraceOption| !matches!(option.storage(), Storage::AlwaysOn);
        for option in TraceOption::ALL.iter().copied().filter(can_change) {
            let was = other.option(option);
            assert_eq!(was, option.is_on_by_default(), "{option:?}");
            one.set_option(option, !was).unwrap();
            assert_eq!(other.option(option), !was, "{option:?}");
        }
        assert!(one.buffer().control().no_overwrite());
        one.set_option(TraceOption::SleepTime, true).unwrap();
        assert!(matches!(one.set_option(TraceOption::SleepTime, false), Err(Error::AlwaysOn { .. })));
        assert!(one.option(TraceOption::SleepTime));
    }

    #[test]
    fn the_documentation_has_the_table() {
        let page = include_str!("../../../../docs/control-tree.md");
        let row = |option: &TraceOption| {
            let default = u32::from(option.is_on_by_default());
            let place = if option.is_at_top_only() { " Its file is at the top level only." } else { "" };
            format!("| `{}` | {default} | {}{place} |\n", option.name(), option.help())
        };
        let table: String = TraceOption::ALL.iter().map(row).collect();
        assert!(page.contains(&table), "expected in docs/control-tree.md:\n{table}");
    }
}
