//! What is true, whatever memory says: the events in the order of their commits, and who got them.

use crate::event::Found;
use crate::layout::{Control, NO_GENERATION, RINGS, Value};
use crate::memory::scatter;
use crate::world::Violation;

/// The most events that a scenario can commit.
pub const EVENTS: usize = 32;

/// What a store to the tail stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing that the model has a name for.
    None,
    /// An event now exists.
    Event {
        /// Which.
        identity: u8,
        /// Its time.
        time: Value,
    },
    /// The block follows the control word.
    Adopt {
        /// The generation that it is in now.
        generation: Value,
        /// The ring that was live.
        from: u8,
        /// The ring that is live.
        to: u8,
    },
    /// The tail moved, and no event came or went.
    Move,
}

/// An event that exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Written {
    identity: u8,
    time: Value,
    generation: Value,
}

/// The events that were in a ring when the tail left it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kept {
    /// Their generation.
    pub generation: Value,
    /// Number of the first.
    pub first: Value,
    /// Number behind the last.
    pub end: Value,
}

/// The truth about a block.
#[derive(Debug, Clone, Copy)]
pub struct Ghost {
    events: [Written; EVENTS],
    /// How many there are: the number of the next one (R5).
    pub commits: Value,
    /// Those that a consuming reader has got, a bit for each.
    pub consumed: u32,
    /// The generation that the tail is in.
    pub generation: Value,
    /// Number of that generation's first event.
    pub first_event: Value,
    /// What is in the rings that are not live.
    pub kept: [Option<Kept>; RINGS],
    /// The generation that each ring is to keep: the one that a switch has ended there.
    wanted: [Value; RINGS],
    /// Differs for different `events`.
    events_hash: u64,
}

impl Ghost {
    /// Nothing has happened.
    pub fn new() -> Ghost {
        Ghost {
            events: [Written::default(); EVENTS],
            commits: 0,
            consumed: 0,
            generation: NO_GENERATION,
            first_event: 0,
            kept: [None; RINGS],
            wanted: [NO_GENERATION; RINGS],
            events_hash: 0,
        }
    }

    /// The tail was stored.
    pub fn apply(&mut self, change: Change) -> Result<(), Violation> {
        match change {
            Change::None => violated("R1", || "the tail was stored outside of a commit".into()),
            Change::Move => Ok(()),
            Change::Event { identity, time } => self.commit(identity, time),
            Change::Adopt { generation, from, to } => {
                self.adopt(generation, from, to);
                Ok(())
            }
        }
    }

    fn commit(&mut self, identity: u8, time: Value) -> Result<(), Violation> {
        let number = usize::from(self.commits);
        let last = number.checked_sub(1).map_or(0, |last| self.events[last].time);
        self.events[number] = Written { identity, time, generation: self.generation };
        self.commits += 1;
        let place = u64::from(self.commits) | u64::from(identity) << 8;
        let event = place | u64::from(time) << 16 | u64::from(self.generation) << 32;
        self.events_hash = scatter(self.events_hash ^ event);
        if time < last {
            return violated("R2", || format!("event {identity} at {time}, after one at {last}"));
        }
        Ok(())
    }

    fn adopt(&mut self, generation: Value, from: u8, to: u8) {
        let wanted = self.generation != NO_GENERATION && self.wanted[usize::from(from)] == self.generation;
        if from != to && wanted {
            let (first, end) = (self.first_event, self.commits);
            self.kept[usize::from(from)] = Some(Kept { generation: self.generation, first, end });
        }
        self.generation = generation;
        self.first_event = self.commits;
    }

    /// Somebody has asked for `ring` to be live instead of what was under `old`. What is there of the
    /// generation that ends is to be kept. What `ring` keeps is given up, and so is what it was to keep:
    /// the tail may not have left it yet.
    pub fn switch(&mut self, old: Control, ring: u8) {
        self.wanted[usize::from(old.ring())] = old.generation();
        self.wanted[usize::from(ring)] = NO_GENERATION;
        self.kept[usize::from(ring)] = None;
    }

    /// A reader hands out `found` as event `number` of `generation`.
    pub fn check(&self, number: Value, found: Found, generation: Value) -> Result<(), Violation> {
        let Found { identity, time, whole } = found;
        if !whole {
            return violated("R4", || format!("event {identity} is torn"));
        }
        if number >= self.commits {
            return violated("R2", || format!("number {number} was never committed"));
        }
        let written = self.events[usize::from(number)];
        if written.identity != identity {
            let truth = written.identity;
            return violated("R5", || format!("number {number} is event {truth}, not {identity}"));
        }
        if written.time != time {
            let truth = written.time;
            return violated("R2", || format!("event {identity} was at {truth}, not at {time}"));
        }
        if written.generation != generation {
            let truth = written.generation;
            return violated("R3", || {
                format!("event {identity} of generation {truth} in a view of {generation}")
            });
        }
        Ok(())
    }

    /// A consuming reader hands out event `number`: no other has, or will.
    pub fn consume(&mut self, number: Value) -> Result<(), Violation> {
        let bit = 1 << number;
        if self.consumed & bit != 0 {
            return violated("R8", || format!("number {number} was handed out before"));
        }
        self.consumed |= bit;
        Ok(())
    }

    /// A number that differs for different truths.
    pub fn hash(&self) -> u64 {
        let numbers = u64::from(self.generation) | u64::from(self.first_event) << 16;
        let mut hash = scatter(scatter(self.events_hash ^ numbers) ^ u64::from(self.consumed));
        for (kept, wanted) in self.kept.into_iter().zip(self.wanted) {
            let Kept { generation, first, end } =
                kept.unwrap_or(Kept { generation: NO_GENERATION, first: 0, end: 0 });
            let range = u64::from(first) | u64::from(end) << 16;
            hash = scatter(hash ^ range ^ u64::from(generation) << 32 ^ u64::from(wanted) << 48);
        }
        hash
    }
}

/// Says that a law does not hold.
pub fn violated<T>(law: &'static str, what: impl FnOnce() -> String) -> Result<T, Violation> {
    Err(Violation { law, what: what() })
}
