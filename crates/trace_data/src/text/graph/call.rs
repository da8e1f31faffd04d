//! Calls and their ends, as the tracer records them.

use crate::event::{Event, EventTable};
use crate::text::ftrace::{bytes, word};

/// What an event is in such a text.
pub(in crate::text) enum Call<'a> {
    /// A function begins.
    Entry(Entry<'a>),
    /// A function returns.
    Exit(Exit),
    /// Anything else: a comment.
    Comment,
    /// What is shown as in any other text: stacks, and functions of the other tracer.
    Apart,
}

/// The beginning of a call.
pub(in crate::text) struct Entry<'a> {
    pub(super) function: u64,
    pub(super) depth: u64,
    /// Where it returns to.
    pub(super) return_address: Option<u64>,
    /// Its arguments, in registers. None where they were not recorded.
    pub(super) registers: &'a [u8],
}

/// The end of a call.
pub(in crate::text) struct Exit {
    pub(super) function: u64,
    pub(super) depth: u64,
    /// Calls that were too deeply nested to be recorded.
    pub(super) overrun: u64,
    /// Nanoseconds from its entry to its exit.
    pub(super) duration: u64,
    /// What it returns.
    pub(super) value: Option<u64>,
}

impl<'a> Call<'a> {
    pub(in crate::text) fn of(events: &EventTable, payload: &'a [u8]) -> Call<'a> {
        let Some(event) = events.of(payload).filter(|event| event.format().system == "ftrace") else {
            return Call::Comment;
        };
        match event.format().name.as_str() {
            "funcgraph_entry" | "fgraph_retaddr_entry" => Call::Entry(Entry::new(event, payload)),
            "funcgraph_exit" => Call::Exit(Exit::new(event, payload)),
            "kernel_stack" | "function" => Call::Apart,
            _ => Call::Comment,
        }
    }
}

impl<'a> Entry<'a> {
    fn new(event: &Event, payload: &'a [u8]) -> Entry<'a> {
        let has = |name| event.format().field(name).is_some();
        Entry {
            function: word(event, "func", payload),
            depth: word(event, "depth", payload),
            return_address: has("retaddr").then(|| word(event, "retaddr", payload)),
            registers: bytes(event, "args", payload),
        }
    }
}

impl Exit {
    fn new(event: &Event, payload: &[u8]) -> Exit {
        let number = |name| word(event, name, payload);
        Exit {
            function: number("func"),
            depth: number("depth"),
            overrun: number("overrun"),
            duration: number("rettime").wrapping_sub(number("calltime")),
            value: event.format().field("retval").is_some().then(|| number("retval")),
        }
    }
}
