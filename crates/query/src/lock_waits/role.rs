//! What events say of locks.

use events::lock::{CONTENTION_END, CONTENTION_HOLDER};
use trace_data::event::Event;
use trace_data::format::Field;
use trace_data::info::TraceInfo;

const HOLDER_SYSTEM: &str = CONTENTION_HOLDER.system;
const WAIT_SYSTEM: &str = CONTENTION_END.system;

/// What an event says of a lock.
#[derive(Debug, Clone)]
pub(super) enum LockRole {
    /// A thread wants the lock whose address is in the field.
    Want(Field, LockMode),
    /// It has it, unless the result says otherwise; the call has this id.
    Return(u16, Field),
    Release(Field),
    /// The lock that it begins to wait for says who holds it.
    Holder(Field),
    /// It has waited.
    Waited,
    /// All locks of the process are gone.
    Exec,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LockMode {
    Exclusive,
    Shared,
    /// Of a condition's mutex, which the call releases first: it waits for no holder.
    Again,
}

impl LockRole {
    /// What the records of an event say.
    pub(super) fn of(event: &Event, trace: &TraceInfo<'_>) -> LockRole {
        let format = event.format();
        let found = match (format.system.as_str(), format.name.strip_suffix("_exit")) {
            ("sched", None) if format.name == "sched_process_exec" => Some(LockRole::Exec),
            (HOLDER_SYSTEM, None) if format.name == CONTENTION_HOLDER.name => {
                format.field("holder").cloned().map(LockRole::Holder)
            }
            (WAIT_SYSTEM, None) if format.name == CONTENTION_END.name => Some(LockRole::Waited),
            (events::LIBC, None) => address(event).map(|(field, mode)| match mode {
                Some(mode) => LockRole::Want(field, mode),
                None => LockRole::Release(field),
            }),
            (events::LIBC, Some(call)) => trace.events.named(events::LIBC, call).and_then(|entry| {
                address(entry).filter(|(_, mode)| mode.is_some())?;
                Some(LockRole::Return(entry.format().id, format.field("ret")?.clone()))
            }),
            _ => None,
        };
        found.unwrap_or(LockRole::Other)
    }
}

/// The field with the lock that a call is for, and how it acquires it; `None` if it releases it.
fn address(entry: &Event) -> Option<(Field, Option<LockMode>)> {
    let format = entry.format();
    let (kind, action) = format.name.strip_prefix("pthread_")?.split_once('_')?;
    let field = match kind {
        "mutex" | "cond" => "mutex",
        "rwlock" => "rwlock",
        "spin" => "lock",
        _ => return None,
    };
    let mode = match action {
        "unlock" => None,
        _ if kind == "cond" => Some(LockMode::Again),
        _ if action.ends_with("rdlock") => Some(LockMode::Shared),
        _ if action.ends_with("lock") => Some(LockMode::Exclusive),
        _ => return None,
    };
    Some((format.field(field)?.clone(), mode))
}
