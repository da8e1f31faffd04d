//! The text of a recording, as the kernel's `trace` file has it.
//!
//! ```text
//! # tracer: nop
//! #
//! # entries-in-buffer/entries-written: 2/2   #P:2
//! #
//! #                                _-----=> irqs-off/BH-disabled
//! #                               / _----=> need-resched
//! #                              | / _---=> hardirq/softirq
//! #                              || / _--=> preempt-depth
//! #                              ||| / _-=> migrate-disable
//! #                              |||| /     delay
//! #           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
//! #              | |         |   |||||     |         |
//!          program-77      [000] .....     1.000123: open: path=/etc/passwd
//! CPU:1 [LOST 1160 EVENTS]
//!          program-78      [001] ...1.     1.000456: close: fd=3
//! ```
//!
//! Byte for byte what Linux 6.18 prints; this crate's tests compare with the kernel they run on.
//! Sources: `kernel/trace/trace.c` and `trace_output.c`.

mod date;
mod duration;
mod escape;
mod fields;
mod flags;
mod ftrace;
mod graph;
mod header;
mod latency;
mod mark;
mod message;
mod numbers;
mod probe;
mod system_call;
mod thread_name;
mod time;
mod writer;

pub use date::{date_to_the_second, parse_date, print_date};
pub use duration::print_duration;
pub use escape::printable;
pub use ftrace::callers;
pub use graph::GraphColumns;
pub use header::{FUNCTION, FUNCTION_GRAPH, Header, Longest, NOP, tracer_lines};
pub use writer::{Seen, TextWriter};

/// Which columns there are. The kernel's options of the same names, at their defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// `irq-info`: the five characters of flags. On.
    pub irq_info: bool,
    /// `record-cmd`: the names of threads. On.
    pub comm: bool,
    /// `record-tgid`: the process a thread belongs to. Off.
    pub tgid: bool,
    /// `context-info`: everything before the message. On.
    pub context_info: bool,
    /// Functions as calls within calls: the form of the tracer `function_graph`. None.
    pub graph: Option<GraphColumns>,
    /// `latency-format`: another form, with microseconds, and a mark where much time passes. Off.
    pub latency: bool,
    /// The time from which [`Layout::latency`] counts. 0.
    pub latency_start: u64,
    /// `verbose`: no legend, of system calls the types of arguments, and in [`Layout::latency`] more before
    /// the message. Off.
    pub verbose: bool,
    /// `raw`, `hex` and `bin`: numbers instead of text.
    pub form: Form,
    /// `fields`: the event's fields instead of what its print format makes of them. Off.
    pub fields: bool,
    /// `printk-msg-only`: of messages nothing but the message. Off.
    pub message_only: bool,
    /// `print-parent`: of functions, who has called them. On.
    pub parent: bool,
    /// `sym-offset`: in the events of the system `ftrace`, names of functions with the offset in them. Off.
    pub symbol_offset: bool,
    /// `sym-addr`: there, names with their addresses. Off.
    pub symbol_address: bool,
    /// `annotate`: a line where a CPU's first event follows those of others, in a buffer that has
    /// lost its start. Set it when events have been overwritten. Off.
    pub annotate: bool,
    /// Whether times are nanoseconds, shown as seconds; otherwise they are shown as they are. See
    /// [`is_nanoseconds`]. On.
    pub nanoseconds: bool,
    /// Whether times are nanoseconds since 1970 and shown as dates, which the kernel can't. Off.
    pub date: bool,
    /// Whether control characters of names and strings are [printable], which the kernel's are not. Off.
    pub escape: bool,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            irq_info: true,
            comm: true,
            tgid: false,
            context_info: true,
            graph: None,
            latency: false,
            latency_start: 0,
            verbose: false,
            form: Form::Text,
            fields: false,
            message_only: false,
            parent: true,
            symbol_offset: false,
            symbol_address: false,
            annotate: false,
            nanoseconds: true,
            date: false,
            escape: false,
        }
    }
}

/// What an event is shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text.
    Text,
    /// Decimal numbers.
    Raw,
    /// Numbers in hexadecimal.
    Hex,
    /// Numbers as bytes.
    Bin,
}

/// Whether a clock of this name counts nanoseconds: all but `counter`, `uptime` and the
/// architecture's cycles, `x86-tsc`.
pub fn is_nanoseconds(clock: &str) -> bool {
    !matches!(clock, "counter" | "uptime" | "x86-tsc")
}

/// Something that knows threads.
///
/// `()` knows none.
pub trait Tasks {
    /// The name of the thread `pid`.
    fn comm(&self, pid: i32) -> Option<&str>;

    /// The process that it belongs to.
    fn tgid(&self, pid: i32) -> Option<i32> {
        let _ = pid;
        None
    }
}

impl Tasks for () {
    fn comm(&self, _pid: i32) -> Option<&str> {
        None
    }
}
