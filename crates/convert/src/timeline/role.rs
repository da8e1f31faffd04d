//! What an event is on a timeline.

use super::scheduling::{SwitchFields, WakingFields};
use crate::arguments::ShownFields;
use crate::drawing::SliceName;
use query::{entry_of, exit_of, has_happened, number_of_call, system_call_field};
use std::rc::Rc;
use trace_data::event::{Event, EventTable};
use trace_data::format::{Field, Format};
use trace_data::info::TraceInfo;

/// An event on a timeline: looked up once for each.
#[derive(Debug)]
pub(super) struct TimelineEvent {
    pub(super) role: TimelineRole,
    /// What a slice or an instant of it is called.
    pub(super) name: Rc<SliceName>,
    pub(super) shape: ShownFields,
    /// Whether it is about the start or the end of a process.
    pub(super) is_of_processes: bool,
}

/// What an event is on a timeline.
#[derive(Debug)]
pub(super) enum TimelineRole {
    /// The start of a call; of several ones, with their number. Of a system call with its number in any case.
    /// Endless ones are those of which the trace has no end.
    Entry { number: Option<Field>, system_call: Option<Field>, is_endless: bool },
    /// The end of the calls that this event is the start of, and how long they took where it says so.
    Exit { entry: u16, number: Option<Field>, duration: Option<Field> },
    /// A function begins.
    FunctionEntry { function: Field },
    /// A function returns.
    FunctionExit { function: Field },
    /// The stack of the event before it.
    Stack,
    /// A thread or its process ends.
    ThreadEnd { tid: Option<Field> },
    /// A thread goes on with another program.
    Exec,
    /// A CPU goes on with another thread.
    Switch(Box<SwitchFields>),
    /// A thread wakes another one.
    Waking(Box<WakingFields>),
    /// A thread begins to run or stops.
    OwnSwitch { direction: Field },
    /// It just happens.
    Instant,
}

impl TimelineRole {
    pub(super) fn of(event: &Event, trace: &TraceInfo<'_>) -> TimelineRole {
        let format = event.format();
        let field = |name: &str| format.field(name).cloned();
        let role = match (format.system.as_str(), format.name.as_str()) {
            ("ftrace", "funcgraph_entry" | "fgraph_retaddr_entry") => {
                field("func").map(|function| TimelineRole::FunctionEntry { function })
            }
            ("ftrace", "funcgraph_exit") => {
                field("func").map(|function| TimelineRole::FunctionExit { function })
            }
            ("ftrace", "kernel_stack" | "user_stack") => Some(TimelineRole::Stack),
            ("ftrace", _) => Some(TimelineRole::Instant),
            ("sched", "sched_process_exit") => Some(TimelineRole::ThreadEnd { tid: field("pid") }),
            ("sched", "sched_process_exec") => Some(TimelineRole::Exec),
            ("sched", "sched_switch") => SwitchFields::of(format).map(Box::new).map(TimelineRole::Switch),
            ("sched", "sched_waking") => WakingFields::of(format).map(Box::new).map(TimelineRole::Waking),
            ("lookback", "context_switch") => {
                field("direction").map(|direction| TimelineRole::OwnSwitch { direction })
            }
            _ => None,
        };
        role.unwrap_or_else(|| TimelineRole::of_call(event, trace))
    }

    fn of_call(event: &Event, trace: &TraceInfo<'_>) -> TimelineRole {
        let (format, events) = (event.format(), trace.events);
        let number = number_of_call(format).cloned();
        if let Some(entry) = start_of(event, events) {
            let duration = format.field("duration").cloned();
            return TimelineRole::Exit { entry: entry.format().id, number, duration };
        }
        // A span that is made is not entered yet.
        let enter = format!("{}_enter", format.name);
        let exit = exit_of(format, events).map(Event::format);
        match exit.is_some() && events.named(&format.system, &enter).is_none() || is_span_enter(event, events)
        {
            true => TimelineRole::Entry {
                number,
                system_call: system_call_field(format).cloned(),
                is_endless: exit.is_some_and(|exit| is_missing(exit, trace)),
            },
            false => TimelineRole::Instant,
        }
    }
}

/// Whether a trace that says which events it has doesn't have this one.
fn is_missing(exit: &Format, trace: &TraceInfo<'_>) -> bool {
    !trace.metadata.systems.is_empty() && !has_happened(trace, &exit.system, &exit.name)
}

/// The event at the start of the slices that an event is at the end of: of a span, `NAME_enter`.
fn start_of<'a>(event: &Event, events: &'a EventTable) -> Option<&'a Event> {
    let format = event.format();
    let entry = entry_of(format, events)?;
    let enter = format!("{}_enter", entry.format().name);
    events.named(&format.system, &enter).or(Some(entry))
}

/// Whether a span is entered by it.
fn is_span_enter(event: &Event, events: &EventTable) -> bool {
    let format = event.format();
    let Some(span) = format.name.strip_suffix("_enter") else { return false };
    let has = |name: &str| events.named(&format.system, name).is_some();
    has(span) && has(&format!("{span}_exit"))
}

/// What slices of an event are called: without what says which end of them it is.
pub(super) fn slice_name(event: &Event, role: &TimelineRole, events: &EventTable) -> String {
    let name = &event.format().name;
    let whole = match role {
        TimelineRole::Entry { .. } if is_span_enter(event, events) => name.strip_suffix("_enter"),
        TimelineRole::Exit { .. } => match entry_of(event.format(), events) {
            Some(entry) => return call_name(&entry.format().name).to_owned(),
            None => None,
        },
        _ => None,
    };
    call_name(whole.unwrap_or(name)).to_owned()
}

/// A system call is called as the kernel's text does: `sys_openat`.
fn call_name(name: &str) -> String {
    match name.strip_prefix("sys_enter_") {
        Some(own) => format!("sys_{own}"),
        None => name.to_owned(),
    }
}
