//! What the kernel's events say of the threads that CPUs run.

use super::SliceTimeline;
use super::thread_slices::ThreadSlices;
use crate::drawing::{CpuSwitch, Drawing, RunChange, RunState, Wakeup};
use export::Error;
use std::borrow::Cow;
use trace_data::format::{Field, Format};
use trace_data::info::TraceInfo;
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

impl<D: Drawing> SliceTimeline<D> {
    pub(super) fn switch(
        &mut self,
        switch: &CpuSwitch<'_>,
        record: &Record<'_>,
        trace: &TraceInfo<'_>,
    ) -> Result<(), Error> {
        self.drawing.switch(switch, trace)?;
        self.change_state(switch.previous, record, (stopped(switch.previous_state), true), trace)?;
        self.change_state(switch.next, record, (RunState::Running, true), trace)
    }

    pub(super) fn change_state(
        &mut self,
        tid: i32,
        record: &Record<'_>,
        (state, is_of_switch): (RunState, bool),
        trace: &TraceInfo<'_>,
    ) -> Result<(), Error> {
        // Each CPU has an idle thread, and all have this TID.
        if tid == 0 {
            return Ok(());
        }
        let within = self.threads.known(tid).map_or(&[][..], ThreadSlices::names);
        let (cpu, time) = (record.cpu, record.time);
        let change = RunChange { tid, cpu, time, state, is_of_switch, within };
        self.drawing.state(&change, trace)
    }
}

/// What a thread does that is switched from in this state.
fn stopped(state: i64) -> RunState {
    match state & 0xff {
        0 => RunState::Runnable,
        state if state & 2 != 0 => RunState::Blocked,
        _ => RunState::Sleeping,
    }
}

/// What a thread does that is switched in this direction, by our own numbers.
pub(super) fn directed(direction: Option<i64>) -> RunState {
    match direction {
        Some(0) => RunState::Running,
        Some(2) => RunState::Runnable,
        _ => RunState::Sleeping,
    }
}
