//! Which threads CPUs run, as the kernel says: in columns, CPU by CPU.

use super::message::{CompactSched, FtraceEvent, FtraceEventBundle, SchedSwitch};
use crate::drawing::{CpuSwitch, Wakeup};
use foldhash::HashMap;
use std::collections::BTreeMap;

/// Switches and wakeups of a CPU that are written together.
const MOST: usize = 512;

/// The states that have the same numbers in all kernels: Perfetto takes others for those of an old one.
const STATES: i64 = 0x3f;

/// What is not written yet, by CPU.
#[derive(Debug, Default)]
pub(super) struct SchedulingBundles {
    cpus: BTreeMap<u32, CpuScheduling>,
}

/// A CPU's columns. Times count from the one before in the same bundle.
#[derive(Debug, Default)]
struct CpuScheduling {
    /// The first switch of all: the columns don't have which thread it was from.
    first: Vec<FtraceEvent>,
    has_first: bool,
    columns: CompactSched,
    /// By name, its place in the table of the columns.
    names: HashMap<String, u32>,
    switched: u64,
    woken: u64,
}

impl SchedulingBundles {
    /// Adds a switch. What is to be written.
    pub(super) fn switch(&mut self, switch: &CpuSwitch<'_>) -> Option<FtraceEventBundle> {
        let CpuSwitch { cpu, time, previous, previous_state, next, next_priority, next_comm } = *switch;
        let previous_state = previous_state & STATES;
        let scheduling = self.cpus.entry(cpu).or_default();
        if !std::mem::replace(&mut scheduling.has_first, true) {
            let sched_switch = Some(SchedSwitch {
                prev_pid: previous,
                prev_state: previous_state,
                next_comm: next_comm.to_owned(),
                next_pid: next,
                next_prio: next_priority,
            });
            let pid = previous.unsigned_abs();
            scheduling.first.push(FtraceEvent { timestamp: time, pid, sched_switch });
            return None;
        }
        let name = scheduling.name(next_comm);
        let passed = time.saturating_sub(std::mem::replace(&mut scheduling.switched, time));
        let columns = &mut scheduling.columns;
        columns.switch_timestamp.push(passed);
        columns.switch_prev_state.push(previous_state);
        columns.switch_next_pid.push(next);
        columns.switch_next_prio.push(next_priority);
        columns.switch_next_comm_index.push(name);
        (columns.switch_timestamp.len() >= MOST).then(|| scheduling.take(cpu))
    }

    /// Adds a wakeup. What is to be written.
    pub(super) fn wake(&mut self, wakeup: &Wakeup<'_>) -> Option<FtraceEventBundle> {
        let Wakeup { woken, priority, target_cpu, cpu, time, comm } = *wakeup;
        let scheduling = self.cpus.entry(cpu).or_default();
        let name = scheduling.name(comm);
        let passed = time.saturating_sub(std::mem::replace(&mut scheduling.woken, time));
        let columns = &mut scheduling.columns;
        columns.waking_timestamp.push(passed);
        columns.waking_pid.push(woken);
        columns.waking_target_cpu.push(target_cpu);
        columns.waking_prio.push(priority);
        columns.waking_comm_index.push(name);
        columns.waking_common_flags.push(0);
        (columns.waking_timestamp.len() >= MOST).then(|| scheduling.take(cpu))
    }

    /// All that is left.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = FtraceEventBundle> {
        let bundles = self.cpus.iter_mut().map(|(cpu, scheduling)| scheduling.take(*cpu));
        bundles.filter(|bundle| !bundle.event.is_empty() || bundle.compact_sched.is_some())
    }
}

impl CpuScheduling {
    fn name(&mut self, name: &str) -> u32 {
        if let Some(place) = self.names.get(name) {
            return *place;
        }
        let place = self.columns.intern_table.len() as u32;
        self.columns.intern_table.push(name.to_owned());
        self.names.insert(name.to_owned(), place);
        place
    }

    fn take(&mut self, cpu: u32) -> FtraceEventBundle {
        (self.switched, self.woken) = (0, 0);
        self.names.clear();
        let columns = std::mem::take(&mut self.columns);
        let is_empty = columns.intern_table.is_empty();
        let compact_sched = (!is_empty).then_some(columns);
        FtraceEventBundle { cpu, event: std::mem::take(&mut self.first), compact_sched }
    }
}
