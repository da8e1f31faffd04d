//! How many records there are: of each event, of each thread, of each CPU.

use foldhash::HashMap;
use std::collections::BTreeMap;
use trace_data::page::Missed;
use trace_data::record::Record;

/// Records and what they take in a trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// Records.
    pub events: u64,
    /// Bytes of pages that they take.
    pub bytes: u64,
    /// Events that were lost before them: one at least where nobody knows how many.
    pub lost: u64,
    /// Whether nobody knows how many were lost somewhere.
    pub is_uncounted: bool,
}

impl Sum {
    fn add(&mut self, record: &Record<'_>) {
        self.events += 1;
        self.bytes += abi::page::event_size(record.payload.len()) as u64;
        self.lost = self.lost.saturating_add(record.lost.count());
        self.is_uncounted |= record.lost == Missed::Unknown;
    }
}

/// Sums by event, by thread and by CPU. Takes memory for each of those, and none for a record.
#[derive(Debug, Default)]
pub struct Counts {
    /// By event id.
    pub events: HashMap<u16, Sum>,
    /// By thread id.
    pub threads: HashMap<i32, Sum>,
    /// By CPU.
    pub cpus: BTreeMap<u32, Sum>,
    /// Of all records.
    pub all: Sum,
    /// The times of the earliest and the latest record.
    pub times: Option<(u64, u64)>,
}

impl Counts {
    /// Counts a record.
    pub fn add(&mut self, record: &Record<'_>) {
        self.events.entry(record.id()).or_default().add(record);
        self.threads.entry(record.pid()).or_default().add(record);
        self.cpus.entry(record.cpu).or_default().add(record);
        self.all.add(record);
        let (first, last) = self.times.unwrap_or((record.time, record.time));
        self.times = Some((first.min(record.time), last.max(record.time)));
    }
}
