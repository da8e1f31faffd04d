//! Many events at once, in columns.

use crate::trace_meaning::TraceMeaning;
use trace_data::page::Missed;
use trace_data::record::Record;
use trace_data::text::Tasks;

/// Events that space is made for before they are there.
const MOST_SPACE: usize = 1 << 20;

/// Many events at once: a column for each thing that all events have, with a row for each event.
#[derive(Debug, Default)]
pub struct EventBatch {
    /// Times, in the trace's clock.
    pub times: Vec<u64>,
    /// How many events of its CPU were lost before it: [`EventBatch::UNKNOWN`] where nobody knows how many.
    pub lost: Vec<u64>,
    /// Where the payload of each starts in `payloads`; one more at the end.
    pub offsets: Vec<u64>,
    /// CPUs.
    pub cpus: Vec<u32>,
    /// Threads.
    pub tids: Vec<i32>,
    /// Their processes; -1 where it is unknown.
    pub pids: Vec<i32>,
    /// Ids of events.
    pub ids: Vec<u16>,
    /// All of each event, from the common fields on, one after the other.
    pub payloads: Vec<u8>,
    /// The thread of the last row, and its process.
    last_thread: (i32, i32),
}

impl EventBatch {
    /// Some events were lost, and nobody knows how many.
    pub const UNKNOWN: u64 = u64::MAX;

    /// How many events it has.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// All of an event, from the common fields on.
    pub fn payload(&self, row: usize) -> Option<&[u8]> {
        let (start, end) = (*self.offsets.get(row)?, *self.offsets.get(row + 1)?);
        self.payloads.get(start as usize..end as usize)
    }

    /// Without any, and with space for so many.
    pub(crate) fn clear(&mut self, most: usize) {
        let EventBatch { times, lost, offsets, cpus, tids, pids, ids, payloads, last_thread } = self;
        times.clear();
        lost.clear();
        offsets.clear();
        offsets.push(0);
        cpus.clear();
        tids.clear();
        pids.clear();
        ids.clear();
        payloads.clear();
        if times.capacity() < most {
            // A batch may ask for more than there are.
            let space = most.min(MOST_SPACE);
            times.reserve(space);
            lost.reserve(space);
            offsets.reserve(space + 1);
            cpus.reserve(space);
            tids.reserve(space);
            pids.reserve(space);
            ids.reserve(space);
        }
        // Nobody has this number.
        *last_thread = (i32::MIN, -1);
    }

    #[inline]
    pub(crate) fn push(&mut self, record: &Record<'_>, meaning: &TraceMeaning) {
        let tid = record.pid();
        if self.last_thread.0 != tid {
            self.last_thread = (tid, meaning.threads.tgid(tid).unwrap_or(-1));
        }
        self.times.push(record.time);
        self.lost.push(match record.lost {
            Missed::Unknown => EventBatch::UNKNOWN,
            lost => lost.count(),
        });
        self.cpus.push(record.cpu);
        self.tids.push(tid);
        self.pids.push(self.last_thread.1);
        self.ids.push(record.id());
        self.payloads.extend_from_slice(record.payload);
        self.offsets.push(self.payloads.len() as u64);
    }
}
