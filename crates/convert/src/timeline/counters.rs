//! Links and counters on a timeline.

use crate::drawing::{CounterChange, CounterKind};
use foldhash::HashMap;
use query::{HeapSizes, RecordLink, RecordLinks};
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Finds links, and how many there are of what is counted.
#[derive(Debug)]
pub(super) struct TimelineCounters {
    links: RecordLinks,
    heaps: HeapSizes,
    /// The last values, by process.
    values: HashMap<(CounterKind, i32), u64>,
    changes: Vec<CounterChange>,
}

impl TimelineCounters {
    pub(super) fn new(gaps: Gaps) -> TimelineCounters {
        TimelineCounters {
            links: RecordLinks::new(gaps),
            heaps: HeapSizes::default(),
            values: HashMap::default(),
            changes: Vec::new(),
        }
    }

    /// Looks at a record: the links that it is at are added to `links`. What changes by it.
    pub(super) fn add(
        &mut self,
        record: &Record<'_>,
        is_chosen: bool,
        links: &mut Vec<RecordLink>,
        trace: &TraceInfo<'_>,
    ) -> &[CounterChange] {
        self.changes.clear();
        let is_counted = self.links.add(record, is_chosen, trace);
        links.extend_from_slice(is_counted.links);
        if is_counted.counts {
            let process = trace.tasks.tgid(record.pid()).unwrap_or(record.pid());
            let open = self.links.open_descriptors(process) as u64;
            self.change(CounterKind::OpenDescriptors, process, record.time, open);
            let bytes = self.links.bytes_in_flight();
            self.change(CounterKind::BytesInFlight, 0, record.time, bytes);
        }
        if let Some((process, bytes)) = self.heaps.add(record, trace) {
            self.change(CounterKind::Heap, process, record.time, bytes);
        }
        &self.changes
    }

    fn change(&mut self, kind: CounterKind, process: i32, time: u64, value: u64) {
        // What was never anything is nothing to be shown.
        let before = self.values.insert((kind, process), value).unwrap_or_default();
        if before != value {
            self.changes.push(CounterChange { kind, process, time, value });
        }
    }
}
