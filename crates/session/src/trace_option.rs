//! The options of a session, by the kernel's names.

use crate::{Error, Session};
use abi::instance::{FIRST_MADE, INSTANCES, MARKER_COPIES, NO_MARKER_COPIES, NO_MARKERS, STACKS};

/// An option of a session, by the kernel's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TraceOption {
    /// Of functions, also who has called them.
    PrintParent,
    /// Names of functions with the offset in them.
    SymOffset,
    /// Names of functions with their addresses.
    SymAddr,
    /// More in front of an event's own text, and no legend.
    Verbose,
    /// Numbers instead of text.
    Raw,
    /// The same in hexadecimal.
    Hex,
    /// The same as bytes.
    Bin,
    /// poll(2) says of `trace_pipe` that it can be read, always.
    Block,
    /// An event's fields instead of its own text.
    Fields,
    /// A line of text where a CPU's buffer starts, if its start was overwritten.
    Annotate,
    /// Of messages nothing but the message.
    PrintkMsgOnly,
    /// Everything in front of an event's own text.
    ContextInfo,
    /// The form for those who look for delays.
    LatencyFormat,
    /// The names of threads.
    RecordCmd,
    /// The column with the process.
    RecordTgid,
    /// Full buffers overwrite their oldest events.
    Overwrite,
    /// Recording stops when `free_buffer` is closed.
    DisableOnFree,
    /// The five characters of flags.
    IrqInfo,
    /// `trace_marker` and `trace_marker_raw` may be written.
    Markers,
    /// Lists of threads follow forks and exits.
    EventFork,
    /// What is written to the session's own `trace_marker` and `trace_marker_raw` is recorded here.
    CopyTraceMarker,
    /// Nothing is recorded while `trace` is open.
    PauseOnTrace,
    /// The stack is recorded behind each event.
    Stacktrace,
}

impl TraceOption {
    /// All, in the kernel's order.
    pub const ALL: [TraceOption; 23] = [
        TraceOption::PrintParent,
        TraceOption::SymOffset,
        TraceOption::SymAddr,
        TraceOption::Verbose,
        TraceOption::Raw,
        TraceOption::Hex,
        TraceOption::Bin,
        TraceOption::Block,
        TraceOption::Fields,
        TraceOption::Annotate,
        TraceOption::PrintkMsgOnly,
        TraceOption::ContextInfo,
        TraceOption::LatencyFormat,
        TraceOption::RecordCmd,
        TraceOption::RecordTgid,
        TraceOption::Overwrite,
        TraceOption::DisableOnFree,
        TraceOption::IrqInfo,
        TraceOption::Markers,
        TraceOption::EventFork,
        TraceOption::CopyTraceMarker,
        TraceOption::PauseOnTrace,
        TraceOption::Stacktrace,
    ];

    /// Those that are on where nobody has switched them.
    pub(crate) const ON: [TraceOption; 8] = [
        TraceOption::PrintParent,
        TraceOption::Annotate,
        TraceOption::ContextInfo,
        TraceOption::RecordCmd,
        TraceOption::Overwrite,
        TraceOption::IrqInfo,
        TraceOption::Markers,
        TraceOption::CopyTraceMarker,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            TraceOption::PrintParent => "print-parent",
            TraceOption::SymOffset => "sym-offset",
            TraceOption::SymAddr => "sym-addr",
            TraceOption::Verbose => "verbose",
            TraceOption::Raw => "raw",
            TraceOption::Hex => "hex",
            TraceOption::Bin => "bin",
            TraceOption::Block => "block",
            TraceOption::Fields => "fields",
            TraceOption::Annotate => "annotate",
            TraceOption::PrintkMsgOnly => "printk-msg-only",
            TraceOption::ContextInfo => "context-info",
            TraceOption::LatencyFormat => "latency-format",
            TraceOption::RecordCmd => "record-cmd",
            TraceOption::RecordTgid => "record-tgid",
            TraceOption::Overwrite => "overwrite",
            TraceOption::DisableOnFree => "disable_on_free",
            TraceOption::IrqInfo => "irq-info",
            TraceOption::Markers => "markers",
            TraceOption::EventFork => "event-fork",
            TraceOption::CopyTraceMarker => "copy_trace_marker",
            TraceOption::PauseOnTrace => "pause-on-trace",
            TraceOption::Stacktrace => "stacktrace",
        }
    }

    /// The option of this name.
    pub fn named(name: &str) -> Option<TraceOption> {
        TraceOption::ALL.into_iter().find(|option| option.name() == name)
    }

    /// Whether it has a file only in the session's own tree, as the kernel has it.
    pub const fn is_once(self) -> bool {
        matches!(self, TraceOption::PrintkMsgOnly | TraceOption::RecordCmd)
    }

    pub(crate) const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// The flag of an instance that it is, if traced programs or other trees have to know it, or it is looked
    /// at often; and what it is when the option is on. What is on by default is no flag then: any makes each
    /// event slower.
    const fn flag(self, instance: usize) -> Option<(u32, bool)> {
        match (self, instance) {
            (TraceOption::Stacktrace, _) => Some((STACKS, true)),
            (TraceOption::Markers, _) => Some((NO_MARKERS, false)),
            (TraceOption::CopyTraceMarker, FIRST_MADE..) => Some((MARKER_COPIES, true)),
            (TraceOption::CopyTraceMarker, _) => Some((NO_MARKER_COPIES, false)),
            _ => None,
        }
    }
}

impl Session {
    /// Whether an option is on.
    pub fn option(&self, option: TraceOption) -> bool {
        match option.flag(self.instance()) {
            Some((flag, when_on)) => (self.control().instance_flags(self.instance()) & flag != 0) == when_on,
            None if option == TraceOption::Overwrite => !self.buffer().control().no_overwrite(),
            None if option == TraceOption::EventFork => self.follows_forks(),
            None => self.preferences().is_on(option),
        }
    }

    /// Gives a new instance the options of `other` that the kernel gives it, for who has
    /// [`Session::lock_settings`].
    pub(crate) fn inherit_options(&self, other: &Session) -> Result<(), Error> {
        let (control, instance) = (self.control(), self.instance());
        control.set_stack_bytes(instance, control.stack_bytes(other.instance()));
        control.set_instance_flags(instance, STACKS, other.option(TraceOption::Stacktrace));
        control.set_instance_flags(instance, NO_MARKERS, !other.option(TraceOption::Markers));
        self.buffer().set_overwrite(other.option(TraceOption::Overwrite));
        self.prefer_locked(self.preferences().with_options_of(&other.preferences()))
    }

    /// The names of the others that get what is written to the session's own markers. Cost: a load for each
    /// that there can be.
    pub fn instances_with_marker_copies(&self) -> impl Iterator<Item = String> {
        let wants = |index: &usize| self.control().instance_flags(*index) & MARKER_COPIES != 0;
        (FIRST_MADE..INSTANCES).filter(wants).filter_map(|index| self.name_of(index))
    }

    /// Switches an option.
    pub fn set_option(&self, option: TraceOption, on: bool) -> Result<(), Error> {
        match option.flag(self.instance()) {
            Some((flag, when_on)) => {
                let _lock = self.lock_settings()?;
                self.control().set_instance_flags(self.instance(), flag, on == when_on);
            }
            None if option == TraceOption::Overwrite => self.buffer().set_overwrite(on),
            None if option == TraceOption::EventFork => self.follow_forks(on)?,
            None => self.prefer(|preferred| preferred.set(option, on))?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    #[test]
    fn all_who_use_the_session_see_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let options = Options { buffer_kb: 64, ..Options::default() };
        let one = Session::create(&path, &options).unwrap();
        let other = Session::open(&path).unwrap();
        for option in TraceOption::ALL {
            let was = other.option(option);
            assert_eq!(was, TraceOption::ON.contains(&option), "{option:?}");
            one.set_option(option, !was).unwrap();
            assert_eq!(other.option(option), !was, "{option:?}");
        }
        assert!(one.buffer().control().no_overwrite());
    }
}
