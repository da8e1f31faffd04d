//! What events say of waits.

use super::WaitKind;
use super::blocking_call::{reads, waited_for, woken_from};
use events::lock::{CONTENTION_BEGIN, CONTENTION_END};
use events::{LIBC, sched, switch};
use std::rc::Rc;
use trace_data::event::{Event, EventTable};
use trace_data::format::Field;

/// What an event says of waits.
#[derive(Debug)]
pub(super) enum WaitRole {
    /// A call is entered that can block, or that wakes others.
    Entry(Box<CallEffect>),
    /// The call with this id returns.
    Exit(u16, Option<Field>),
    /// A thread makes another one.
    Make,
    /// It has: the result and the handle.
    Made(Field, Field),
    /// It has started: its maker, and itself.
    Started(Field, Field),
    /// A thread begins to wait for a lock: its address, and flags that say of which kind it is.
    Contended(Field, Field),
    /// It has waited.
    Waited,
    /// A CPU goes on with another thread: the one before, its state, the next.
    Switch(Box<[Field; 3]>),
    /// A thread begins to run, or stops: the direction.
    ContextSwitch(Field),
    /// A thread wakes another one.
    Waking(Field),
    /// A thread ends: which one, and whether with its process.
    End(Field, Option<Field>),
    Exec,
    Other,
}

/// What is known of a call from its name.
#[derive(Debug, Clone)]
pub(super) struct CallEffect {
    pub(super) call: Rc<str>,
    /// What it waits for.
    pub(super) wait: Option<(WaitKind, Option<Field>)>,
    /// What it wakes from.
    pub(super) wake: Option<(WaitKind, Field)>,
    pub(super) reads: bool,
}

impl WaitRole {
    /// Whether the thread that runs has recorded it as itself.
    pub(super) fn is_of_who_runs(&self) -> bool {
        matches!(self, WaitRole::Entry(_) | WaitRole::Exit(..) | WaitRole::Contended(..) | WaitRole::Waited)
    }

    /// What the records of an event say.
    pub(super) fn of(event: &Event, events: &EventTable) -> WaitRole {
        let format = event.format();
        let field = |name: &str| format.field(name).cloned();
        let is = |event: events::EventType| format.is(event.system, event.name);
        let found = match format.name.as_str() {
            _ if is(sched::FORK) => {
                field("parent_pid").zip(field("child_pid")).map(|(maker, tid)| WaitRole::Started(maker, tid))
            }
            _ if is(sched::EXIT) => field("pid").map(|pid| WaitRole::End(pid, field("group_dead"))),
            _ if is(sched::EXEC) => Some(WaitRole::Exec),
            _ if is(CONTENTION_BEGIN) => {
                field("lock_addr").zip(field("flags")).map(|(lock, flags)| WaitRole::Contended(lock, flags))
            }
            _ if is(CONTENTION_END) => Some(WaitRole::Waited),
            _ if is(switch::SWITCH) => match ["prev_pid", "prev_state", "next_pid"].map(field) {
                [Some(previous), Some(state), Some(next)] => {
                    Some(WaitRole::Switch(Box::new([previous, state, next])))
                }
                _ => None,
            },
            _ if is(switch::CONTEXT_SWITCH) => field("direction").map(WaitRole::ContextSwitch),
            _ if is(switch::WAKING) => field("pid").map(WaitRole::Waking),
            _ if format.system != LIBC => None,
            "pthread_create" => Some(WaitRole::Make),
            "pthread_create_exit" => {
                field("ret").zip(field("thread")).map(|(result, thread)| WaitRole::Made(result, thread))
            }
            name => match name.strip_suffix("_exit") {
                Some(call) if CallEffect::is_of(call) => {
                    events.named(LIBC, call).map(|entry| WaitRole::Exit(entry.format().id, field("ret")))
                }
                _ => CallEffect::of(event).map(|role| WaitRole::Entry(Box::new(role))),
            },
        };
        found.unwrap_or(WaitRole::Other)
    }
}

impl CallEffect {
    fn is_of(call: &str) -> bool {
        waited_for(call).is_some() || woken_from(call).is_some()
    }

    fn of(entry: &Event) -> Option<CallEffect> {
        let format = entry.format();
        let call = format.name.as_str();
        let wait = waited_for(call).map(|(kind, field)| (kind, format.field(field).cloned()));
        let wake = woken_from(call).and_then(|(kind, field)| Some((kind, format.field(field)?.clone())));
        let is_any = wait.is_some() || wake.is_some();
        is_any.then(|| CallEffect { call: call.into(), wait, wake, reads: reads(call) })
    }
}

/// The events whose pairs are waits: calls that can block, and waits for locks.
pub(super) fn pairs(events: &EventTable) -> Vec<(u16, u16)> {
    let exit = |name: &str| Some(events.named(LIBC, &format!("{name}_exit"))?.format().id);
    let calls = events.iter().map(Event::format).filter(|format| format.system == LIBC);
    let calls = calls.filter(|format| waited_for(&format.name).is_some());
    let mut pairs: Vec<(u16, u16)> =
        calls.filter_map(|format| Some((format.id, exit(&format.name)?))).collect();
    let named = |event: events::EventType| Some(events.named(event.system, event.name)?.format().id);
    pairs.extend(named(CONTENTION_BEGIN).zip(named(CONTENTION_END)));
    pairs
}
