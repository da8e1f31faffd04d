//! What a trace has to say: what ran, what failed, what was slow, and who waited for whom.

use crate::{FailedCalls, FinishedCall, FinishedCalls, ProcessTree, SlowCalls, Waits};
use trace_data::event::EventTable;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Collects it, record by record, with each call paired once for all of it.
#[derive(Debug)]
pub struct Findings {
    calls: FinishedCalls,
    /// The processes.
    pub tree: ProcessTree,
    /// The calls that have failed.
    pub failed: FailedCalls,
    /// How long calls took, and the longest.
    pub slow: SlowCalls,
    /// What threads waited for.
    pub waits: Waits,
    /// The records that it is about.
    pub seen: SeenRecords,
}

/// How many chosen records there were, and when.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeenRecords {
    /// How many.
    pub count: u64,
    /// The times of the first and the last.
    pub times: Option<(u64, u64)>,
    /// How many of them have ended a call.
    pub calls: u64,
}

impl Findings {
    /// Events are missing from `gaps`: what started before one may have ended in it.
    pub fn new(events: &EventTable, gaps: Gaps) -> Findings {
        Findings {
            calls: FinishedCalls::new(gaps.clone()),
            failed: FailedCalls::default(),
            slow: SlowCalls::default(),
            waits: Waits::new(events, gaps.clone()),
            tree: ProcessTree::new(gaps),
            seen: SeenRecords::default(),
        }
    }

    /// Looks at a record. All have to come, in the order of time. The call that a chosen one has ended.
    pub fn add(
        &mut self,
        record: &Record<'_>,
        is_chosen: bool,
        trace: &TraceInfo<'_>,
    ) -> Option<FinishedCall> {
        self.tree.add(record, is_chosen, trace);
        let finished = self.calls.add(record, self.waits.descriptors(), trace);
        self.waits.add(record, is_chosen, trace);
        if !is_chosen {
            return None;
        }
        self.seen.add(record);
        let call = finished?;
        self.seen.calls += 1;
        if let Some(error) = call.error {
            self.failed.add(&call, error, call.about(record));
        }
        if let (Some(length), Some(event)) = (call.length, trace.events.get(call.exit)) {
            self.slow.add(&call, event.format(), length, || call.about(record));
        }
        Some(call)
    }
}

impl SeenRecords {
    fn add(&mut self, record: &Record<'_>) {
        self.count += 1;
        self.times = Some((self.times.map_or(record.time, |(first, _)| first), record.time));
    }
}
