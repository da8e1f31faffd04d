//! What records look like where nothing is damaged.

use super::{Options, PageFault};
use crate::bytes::u32_at;
use crate::event::EventTable;
use crate::format::{Field, Format, Kind};

/// The largest thread id that the kernel gives: `PID_MAX_LIMIT`.
const MAX_PID: i32 = 1 << 22;

/// What the records of a file look like, by the events that it describes. Texts and other arrays lie within
/// their record. What lookback itself has written has the formats of all its records, each of which has all
/// its fields, and the records of a CPU in the order of time.
#[derive(Debug, Default)]
pub struct SoundRecords {
    by_id: Vec<Option<RecordParts>>,
    /// Whether lookback has written the file.
    is_own: bool,
}

/// The parts of an event's records.
#[derive(Debug, Default)]
struct RecordParts {
    /// Bytes up to the end of the last field of a fixed size.
    fixed: usize,
    /// Where words are that say where an array lies, and what their offsets count from.
    locations: Vec<(usize, usize)>,
}

impl SoundRecords {
    /// The records of these events, in a file with these options.
    pub fn new(events: &EventTable, options: &Options) -> SoundRecords {
        let mut by_id = Vec::new();
        for event in events.iter() {
            let format = event.format();
            let id = usize::from(format.id);
            by_id.resize_with(by_id.len().max(id + 1), || None);
            by_id[id] = Some(RecordParts::of(format));
        }
        let is_own = options.version.as_deref().is_some_and(|version| version.starts_with("lookback "));
        SoundRecords { by_id, is_own }
    }

    /// Whether records of a CPU are in the order of time.
    pub(super) fn are_ordered(&self) -> bool {
        self.is_own
    }

    /// What is wrong with a record, if anything can be seen.
    #[inline]
    pub(super) fn fault(&self, payload: &[u8]) -> Option<PageFault> {
        let Some(common) = payload.first_chunk().map(|word| u64::from_le_bytes(*word)) else {
            return self.is_own.then_some(PageFault::Short);
        };
        let (id, pid) = (abi::common::event(common), abi::common::pid(common));
        let Some(parts) = self.by_id.get(usize::from(id)).and_then(Option::as_ref) else {
            return self.is_own.then_some(PageFault::Id(id));
        };
        if self.is_own && !(0..=MAX_PID).contains(&pid) {
            return Some(PageFault::Thread(pid));
        }
        if self.is_own && payload.len() < parts.fixed {
            return Some(PageFault::Short);
        }
        let is_within = |(at, base): &(usize, usize)| {
            let Some(word) = u32_at(payload, *at) else { return !self.is_own };
            let (start, len) = (base + (word & 0xffff) as usize, (word >> 16) as usize);
            len == 0 || start >= parts.fixed && start + len <= payload.len()
        };
        (!parts.locations.iter().all(is_within)).then_some(PageFault::Text)
    }
}

impl RecordParts {
    fn of(format: &Format) -> RecordParts {
        let mut parts = RecordParts::default();
        format.fields.iter().for_each(|field| parts.add(field));
        parts
    }

    fn add(&mut self, field: &Field) {
        let end = field.offset.saturating_add(field.size);
        match field.kind {
            // Stacks have fewer elements than their type says.
            Kind::Array(_) => return,
            Kind::Integer => {}
            Kind::DataLocation(_) => self.add_locations(field, 0),
            Kind::RelativeLocation(_) => self.add_locations(field, end),
        }
        self.fixed = self.fixed.max(end);
    }

    /// A word has four bytes; a field may have several. The two-byte words of the oldest formats have no
    /// length.
    fn add_locations(&mut self, field: &Field, base: usize) {
        let words = field.size / size_of::<u32>();
        self.locations.extend((0..words).map(|word| (field.offset + word * size_of::<u32>(), base)));
    }
}
