//! What events say of processes.

use super::ProcessOutcome;
use crate::call_events::{ErrorField, entry_of, exit_of};
use foldhash::HashMap;
use trace_data::event::Event;
use trace_data::format::{Field, Format};
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// What an event says of processes.
#[derive(Debug)]
pub(super) enum ProcessEvent {
    /// The process, or a thread of it, has made a child.
    Fork { child: i32, name: Option<String> },
    /// It executes a program.
    Exec { filename: Option<String>, argv: Option<String> },
    /// A thread has ended: the last one of its process, where that is said.
    Exit { pid: i32, name: Option<String>, is_last: Option<bool>, is_noticed: bool, signal: Option<u32> },
    /// It asks to be ended.
    Leave { status: i64 },
    /// It has waited for a child that has ended.
    Reap { child: i32, outcome: ProcessOutcome },
    /// Nothing.
    Other,
}

/// The formats of the events of a trace, as far as they matter here: looked up once for each.
#[derive(Debug, Default)]
pub(super) struct ProcessEvents {
    known: HashMap<u16, EventShape>,
}

#[derive(Debug, Default)]
struct EventShape {
    role: ProcessRole,
    /// The call that it is the entry or, with true, the exit of.
    call: Option<(u16, bool)>,
    /// The error that a call has ended with.
    error: Option<ErrorField>,
    fields: HashMap<&'static str, Field>,
}

#[derive(Debug, Clone, Copy, Default)]
enum ProcessRole {
    Fork,
    Exec,
    Exit,
    Leave,
    Wait,
    /// The return of a call that makes a process.
    Birth,
    #[default]
    Other,
}

impl ProcessEvents {
    /// What a record says.
    pub(super) fn of(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> ProcessEvent {
        let shape = self.known.entry(record.id()).or_insert_with(|| {
            trace.events.get(record.id()).map_or_else(EventShape::default, |event| shape(event, trace))
        });
        shape.read(record.payload).unwrap_or(ProcessEvent::Other)
    }

    /// The call that a record is of the entry or, with true, of the exit of. The return of a fork in
    /// the child is of its parent's call.
    pub(super) fn call(&self, record: &Record<'_>) -> Option<(u16, bool)> {
        let shape = self.known.get(&record.id())?;
        let returned = || shape.fields.get("ret").and_then(|ret| ret.integer(record.payload));
        shape.call.filter(|_| !(matches!(shape.role, ProcessRole::Birth) && returned() == Some(0)))
    }

    /// Whether a record is of a call that has failed.
    pub(super) fn has_failed(&self, record: &Record<'_>) -> bool {
        let error = self.known.get(&record.id()).and_then(|shape| shape.error.as_ref());
        error.is_some_and(|error| error.read(record.payload).is_some())
    }
}

impl EventShape {
    fn read(&self, payload: &[u8]) -> Option<ProcessEvent> {
        let integer = |name: &str| self.fields.get(name).and_then(|field| field.integer(payload));
        let text = |name: &str| {
            let text = self.fields.get(name).and_then(|field| field.string(payload));
            text.filter(|text| !text.is_empty()).map(|text| text.into_owned())
        };
        Some(match self.role {
            ProcessRole::Fork => {
                ProcessEvent::Fork { child: integer("child_pid")? as i32, name: text("child_comm") }
            }
            ProcessRole::Exec => ProcessEvent::Exec { filename: text("filename"), argv: text("argv") },
            ProcessRole::Exit => ProcessEvent::Exit {
                pid: integer("pid")? as i32,
                name: text("comm"),
                is_last: integer("group_dead").map(|is_last| is_last != 0),
                is_noticed: integer("noticed_by").is_some_and(|by| by != i64::from(events::sched::ITSELF)),
                signal: integer("signal").map(|signal| signal as u32),
            },
            ProcessRole::Leave => ProcessEvent::Leave { status: integer("status")? },
            ProcessRole::Wait => {
                let child = integer("ret").filter(|child| *child > 0)? as i32;
                ProcessEvent::Reap { child, outcome: outcome(integer("wstatus")?)? }
            }
            ProcessRole::Birth | ProcessRole::Other => return None,
        })
    }
}

fn shape(event: &Event, trace: &TraceInfo<'_>) -> EventShape {
    let format = event.format();
    let role = match (format.system.as_str(), format.name.as_str()) {
        ("sched", "sched_process_fork") => ProcessRole::Fork,
        ("sched", "sched_process_exec") => ProcessRole::Exec,
        ("sched", "sched_process_exit") => ProcessRole::Exit,
        (events::LIBC, "exit" | "_exit") => ProcessRole::Leave,
        (events::LIBC, "fork_exit" | "vfork_exit") => ProcessRole::Birth,
        (events::LIBC, name) if name.starts_with("wait") && name.ends_with("_exit") => ProcessRole::Wait,
        _ => ProcessRole::Other,
    };
    const FIELDS: [&str; 12] = [
        "child_pid",
        "child_comm",
        "filename",
        "argv",
        "pid",
        "comm",
        "group_dead",
        "noticed_by",
        "signal",
        "status",
        "ret",
        "wstatus",
    ];
    let wanted: &[&str] = if matches!(role, ProcessRole::Other) { &[] } else { &FIELDS };
    let fields = wanted.iter().filter_map(|name| Some((*name, format.field(name)?.clone()))).collect();
    let call = call(format, trace);
    let error = ErrorField::of(format).filter(|_| call.is_some_and(|(_, is_exit)| is_exit));
    EventShape { role, call, error, fields }
}

/// The call that an event is the entry or, with true, the exit of.
fn call(format: &Format, trace: &TraceInfo<'_>) -> Option<(u16, bool)> {
    let entry = entry_of(format, trace.events).map(|entry| (entry.format().id, true));
    entry.or_else(|| exit_of(format, trace.events).map(|_| (format.id, false)))
}

/// How a child has ended, of the status that wait(2) gives; none where it has not.
fn outcome(status: i64) -> Option<ProcessOutcome> {
    match status & 0x7f {
        0 => Some(ProcessOutcome::Status((status >> 8) as u8)),
        // Stopped, or continued.
        0x7f => None,
        signal => Some(ProcessOutcome::Killed(signal as u8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_of_wait_says_how_a_child_has_ended() {
        let expected = [
            (0, Some(ProcessOutcome::Status(0))),
            (3 << 8, Some(ProcessOutcome::Status(3))),
            (9, Some(ProcessOutcome::Killed(9))),
            (0x80 | 11, Some(ProcessOutcome::Killed(11))),
            (0x137f, None),
            (0xffff, None),
        ];
        expected.iter().for_each(|(status, known)| assert_eq!(outcome(*status), *known, "{status:#x}"));
    }
}
