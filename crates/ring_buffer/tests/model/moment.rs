//! The events and pages that exist at a moment, by the slots and by what was handed out: what statistics and
//! readers have to find.

use crate::ghost::Ghost;
use crate::layout::{Place, Tail, Value, Word};
use crate::memory::Memory;

/// What has become of the events of the present generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Figures {
    /// Events written.
    pub written: Value,
    /// Events that are there and were not consumed.
    pub entries: Value,
    /// Events overwritten before anyone consumed them.
    pub overrun: Value,
    /// Events consumed.
    pub read: Value,
}

impl Figures {
    /// Of an empty block.
    pub const NONE: Figures = Figures { written: 0, entries: 0, overrun: 0, read: 0 };

    /// Each figure together with the same of `other`.
    pub fn with(self, other: Figures, join: fn(Value, Value) -> Value) -> Figures {
        Figures {
            written: join(self.written, other.written),
            entries: join(self.entries, other.entries),
            overrun: join(self.overrun, other.overrun),
            read: join(self.read, other.read),
        }
    }
}

/// The events and pages that exist for a reader that comes at this moment.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// What the statistics of the tail's generation are.
    pub figures: Figures,
    /// Its generation.
    pub generation: Value,
    /// Number of the oldest event that is there and was not consumed.
    pub unread: Value,
    end: Value,
    /// Whether the tail is in the generation that the control word asks for. If not, the block counts
    /// as empty.
    pub adopted: bool,
    settled: bool,
}

impl Moment {
    /// Number after the newest event that everybody sees; 0 when that is not known.
    pub fn seen_end(&self) -> Value {
        if self.adopted && self.settled { self.end } else { 0 }
    }
}

impl Ghost {
    /// The events and pages that exist at this moment.
    pub fn moment(&self, memory: &Memory) -> Moment {
        Moment {
            figures: self.figures(memory),
            generation: self.generation,
            unread: self.unread(memory),
            end: self.commits,
            adopted: self.has_adopted(memory),
            settled: !memory.is_delayed(),
        }
    }

    /// What statistics have to say: by the slots, and by what was handed out.
    pub fn figures(&self, memory: &Memory) -> Figures {
        let unread = self.unread(memory);
        let read = (u64::from(self.consumed) >> self.first_event).count_ones() as Value;
        let entries = self.commits.saturating_sub(unread);
        let written = self.commits - self.first_event;
        Figures { written, entries, read, overrun: written.saturating_sub(entries + read) }
    }

    /// Number of the oldest event that is there and was not consumed.
    pub fn unread(&self, memory: &Memory) -> Value {
        let ring = Tail(memory.local(Word::TAIL)).place().ring;
        memory.get(Word::next_event(ring)).max(self.oldest_event(memory))
    }

    /// Number of the oldest event of the present generation whose page nobody has begun to overwrite.
    pub fn oldest_event(&self, memory: &Memory) -> Value {
        let tail = Tail(memory.local(Word::TAIL)).place();
        let last = memory.local(tail.sequence());
        let first = memory.local(Word::first_sequence(tail.ring));
        let pages = memory.get(Word::pages(tail.ring));
        let oldest = first.max((last + 1).saturating_sub(pages));
        let holds = |sequence| {
            let places = (0..pages as u8).map(|index| Place { ring: tail.ring, index });
            places.into_iter().find(|place| memory.local(place.sequence()) == sequence)
        };
        let place = (oldest..=last).find_map(holds);
        place.map_or(self.commits, |place| memory.local(place.first_event()))
    }
}
