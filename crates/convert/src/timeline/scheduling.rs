//! What the kernel's events say of the threads that CPUs run.

use crate::drawing::{CpuSwitch, Wakeup};
use std::borrow::Cow;
use trace_data::format::{Field, Format};
use trace_data::record::Record;

/// The fields of `sched_switch`.
#[derive(Debug)]
pub(super) struct SwitchFields {
    previous: Field,
    state: Field,
    next: Field,
    priority: Field,
    comm: Field,
}

/// The fields of `sched_waking`.
#[derive(Debug)]
pub(super) struct WakingFields {
    woken: Field,
    priority: Field,
    comm: Field,
    target_cpu: Field,
}

fn number(field: &Field, record: &Record<'_>) -> i64 {
    field.integer(record.payload).unwrap_or_default()
}

fn text<'a>(field: &Field, record: &Record<'a>) -> Cow<'a, str> {
    field.string(record.payload).unwrap_or_default()
}

impl SwitchFields {
    pub(super) fn of(format: &Format) -> Option<SwitchFields> {
        let field = |name: &str| format.field(name).cloned();
        Some(SwitchFields {
            previous: field("prev_pid")?,
            state: field("prev_state")?,
            next: field("next_pid")?,
            priority: field("next_prio")?,
            comm: field("next_comm")?,
        })
    }

    /// Hands on what a record says.
    pub(super) fn read<R>(&self, record: &Record<'_>, take: impl FnOnce(&CpuSwitch<'_>) -> R) -> R {
        take(&CpuSwitch {
            cpu: record.cpu,
            time: record.time,
            previous: number(&self.previous, record) as i32,
            previous_state: number(&self.state, record),
            next: number(&self.next, record) as i32,
            next_priority: number(&self.priority, record) as i32,
            next_comm: &text(&self.comm, record),
        })
    }
}

impl WakingFields {
    pub(super) fn of(format: &Format) -> Option<WakingFields> {
        let field = |name: &str| format.field(name).cloned();
        Some(WakingFields {
            woken: field("pid")?,
            priority: field("prio")?,
            comm: field("comm")?,
            target_cpu: field("target_cpu")?,
        })
    }

    /// Hands on what a record says.
    pub(super) fn read<R>(&self, record: &Record<'_>, take: impl FnOnce(&Wakeup<'_>) -> R) -> R {
        take(&Wakeup {
            woken: number(&self.woken, record) as i32,
            priority: number(&self.priority, record) as i32,
            comm: &text(&self.comm, record),
            target_cpu: number(&self.target_cpu, record) as i32,
            cpu: record.cpu,
            time: record.time,
        })
    }
}
