//! What stands above the first event.

use super::Layout;
use std::io::Write;

/// The tracer of what has events and nothing else.
pub const NOP: &str = "nop";
/// The tracer of calls of functions.
pub const FUNCTION: &str = "function";
/// The tracer of functions as calls within calls: the texts with [`Layout::graph`].
pub const FUNCTION_GRAPH: &str = "function_graph";

/// The numbers of the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// The current tracer: [`NOP`] where only events are recorded.
    pub tracer: &'a str,
    /// Events in the buffer.
    pub entries: u64,
    /// Events written since the buffer was cleared, those overwritten included.
    pub written: u64,
    /// CPUs.
    pub cpus: u64,
    /// What else is to be said, a line each: since when the text is complete, who took a snapshot. The kernel
    /// says neither.
    pub notes: &'a [String],
    /// Of the kernel, for [`Layout::latency`].
    pub release: &'a str,
    /// What a latency tracer has measured, for [`Layout::latency`].
    pub longest: Option<Longest<'a>>,
}

/// The section whose trace a latency tracer has kept, and whose it was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Longest<'a> {
    /// How long it was.
    pub nanoseconds: u64,
    /// Where it ended.
    pub cpu: u32,
    /// The thread's name.
    pub comm: &'a str,
    /// The thread.
    pub tid: u32,
    /// Its user.
    pub uid: u32,
    /// How it is scheduled.
    pub nice: i64,
    /// The number of its policy.
    pub policy: u32,
    /// Its priority, with a policy for real time.
    pub rt_priority: u32,
    /// The address that the call returns to by which it began.
    pub started_at: u64,
    /// That of the call by which it ended.
    pub ended_at: u64,
}

/// The explanation of the flags.
const FLAGS: [&str; 6] = [
    "  _-----=> irqs-off/BH-disabled\n",
    " / _----=> need-resched\n",
    "| / _---=> hardirq/softirq\n",
    "|| / _--=> preempt-depth\n",
    "||| / _-=> migrate-disable\n",
    "|||| /     delay\n",
];

/// What stands above any text of a tracer, with or without events.
pub fn tracer_lines(tracer: &str) -> String {
    format!("# tracer: {tracer}\n#\n")
}

impl Header<'_> {
    /// Appends what follows the tracer's lines to `out`.
    pub(super) fn print(&self, layout: Layout, out: &mut Vec<u8>) {
        let Header { entries, written, cpus, notes, .. } = self;
        // Writing into a vector can't fail.
        let _ = writeln!(out, "# entries-in-buffer/entries-written: {entries}/{written}   #P:{cpus}");
        for note in *notes {
            let _ = writeln!(out, "# {note}");
        }
        let _ = writeln!(out, "#");
        legend(layout, out);
    }
}

fn legend(layout: Layout, out: &mut Vec<u8>) {
    let mut put = |text: &str| out.extend_from_slice(text.as_bytes());
    let choose = |shown: bool, yes: &'static str, no: &'static str| if shown { yes } else { no };
    if layout.irq_info {
        for line in FLAGS {
            put("#                              ");
            put(choose(layout.tgid, "          ", ""));
            put(line);
        }
    }
    put("#           TASK-PID     ");
    put(choose(layout.tgid, "  TGID    ", ""));
    put("CPU#");
    put(choose(layout.irq_info, "  |||||  ", "     "));
    put("TIMESTAMP  FUNCTION\n#              | |         ");
    put(choose(layout.tgid, "  |       ", ""));
    put("|");
    put(choose(layout.irq_info, "   |||||     ", "         "));
    put("|         |\n");
}
