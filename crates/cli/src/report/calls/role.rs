//! What an event says of a call.

use query::{entry_of, exit_of};
use trace_data::event::Event;
use trace_data::info::TraceInfo;

/// What an event says of a call.
#[derive(Debug, Clone, Copy)]
pub(super) enum CallRole {
    Entry,
    /// Of a call that never returns.
    Last,
    /// Of the call with this id.
    Exit(u16),
    /// A thread or its process ends.
    ThreadEnd,
    /// A thread goes on with another program.
    Exec,
    Other,
}

impl CallRole {
    pub(super) fn of(event: &Event, trace: &TraceInfo<'_>) -> CallRole {
        let format = event.format();
        if let Some(entry) = entry_of(format, trace.events) {
            return CallRole::Exit(entry.format().id);
        }
        if exit_of(format, trace.events).is_some() {
            return CallRole::Entry;
        }
        match (format.system.as_str(), format.name.as_str()) {
            ("sched", "sched_process_exit") => CallRole::ThreadEnd,
            ("sched", "sched_process_exec") => CallRole::Exec,
            ("ftrace", _) => CallRole::Other,
            _ if format.field("caller").is_some() => CallRole::Last,
            _ => CallRole::Other,
        }
    }
}
