//! What is true, whatever memory says: the events in the order of their commits, and who got them.

use crate::event::Found;
use crate::layout::{ControlWord, NO_GENERATION, Parts, RINGS, Tail, Value, Word, is_newer, ring_generation};
use crate::memory::{Memory, scatter};
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

/// What a snapshot has of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kept {
    /// The generation that the control word had.
    pub generation: Value,
    /// Number of the first event.
    pub first: Value,
    /// Number after the last; None as long as the tail has not left the ring.
    end: Option<Value>,
    /// Which of the block's rings has them.
    pub part: u8,
}

impl Kept {
    /// Number after the last event, when `commits` events have been written to the block.
    pub fn end_at(&self, commits: Value) -> Value {
        self.end.unwrap_or(commits)
    }

    fn words(self) -> u64 {
        let Kept { generation, first, end, part } = self;
        let end = u64::from(end.unwrap_or(Value::MAX));
        u64::from(first) | end << 16 | u64::from(generation) << 32 | u64::from(part) << 45
    }
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
    /// The snapshots, by the rings that hold them.
    pub kept: [Option<Kept>; RINGS],
    /// The actors that hold each, a bit for each.
    held: [u8; RINGS],
    /// The rings of the block whose memory was taken away, a bit for each.
    gone: u8,
    /// The rings that somebody relies on: the block's part there stays. A bit for each.
    relied_on: u8,
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
            held: [0; RINGS],
            gone: 0,
            relied_on: 0,
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
        for kept in self.kept.iter_mut().flatten().filter(|kept| kept.part == from && from != to) {
            kept.end.get_or_insert(self.commits);
        }
        self.generation = generation;
        self.first_event = self.commits;
    }

    /// Somebody has taken a snapshot under `old`: `ring` is live now. What is there of the generation that
    /// ends is to be kept. What is under way on the CPU may still be committed.
    pub fn switch(&mut self, memory: &Memory, old: ControlWord, ring: u8) -> Result<(), Violation> {
        self.kept[usize::from(old.ring())] = Some(self.kept_of(memory, old));
        if self.held[usize::from(ring)] != 0 {
            return violated("R14", || format!("ring {ring} is held and becomes live"));
        }
        if self.kept[usize::from(ring)].take().is_some() {
            return violated("R13", || format!("ring {ring} holds a snapshot and becomes live"));
        }
        if self.is_gone(Parts(memory.get(Word::PARTS)).of(ring)) {
            return violated("R15", || format!("ring {ring} has no memory and becomes live"));
        }
        self.relied_on &= !(1 << ring);
        Ok(())
    }

    /// Somebody has exchanged the block's parts in `ring` and in the one that is live under `control`, which
    /// may have changed meanwhile: what was live is to be kept in `ring`.
    pub fn exchange(&mut self, memory: &Memory, control: ControlWord, ring: u8) -> Result<(), Violation> {
        let (live, parts) = (control.ring(), Parts(memory.get(Word::PARTS)));
        let before = memory_before(memory, parts.exchanged(live, ring));
        let tail = Tail(memory.get(Word::TAIL)).place().ring;
        if tail == parts.of(ring) && is_newer(self.generation & 31, control.generation()) {
            return violated("R18", || format!("the tail has left the generation of {control}"));
        }
        let is_now = ControlWord(memory.get(Word::CONTROL)).ring() == live;
        if self.relied_on >> live & 1 != 0 && !is_now {
            return violated("R18", || format!("somebody relies on what is in ring {live}"));
        }
        let kept = self.kept_of(&before, control);
        if let Some(emptied) = &mut self.kept[usize::from(live)] {
            (emptied.first, emptied.end) = (self.commits, Some(self.commits));
            emptied.part = parts.of(live);
        }
        self.kept[usize::from(ring)] = Some(kept);
        if is_now && self.has_adopted(memory) {
            return violated("R18", || format!("what ring {ring} held in its former life is live"));
        }
        Ok(())
    }

    /// The events to be kept of the generation of `control`.
    fn kept_of(&self, memory: &Memory, control: ControlWord) -> Kept {
        let part = Parts(memory.get(Word::PARTS)).of(control.ring());
        let (generation, resets) = (control.generation(), memory.get(Word::resets(part)));
        let (first, end) = if self.is_in(memory, part, ring_generation(generation, resets)) {
            (self.first_event, None)
        } else {
            (self.commits, Some(self.commits))
        };
        Kept { generation, first, end, part }
    }

    /// Whether the tail is in a ring of the block and in this generation.
    fn is_in(&self, memory: &Memory, part: u8, generation: Value) -> bool {
        self.generation == generation && Tail(memory.local(Word::TAIL)).place().ring == part
    }

    /// Whether the block has adopted what is asked for.
    pub fn has_adopted(&self, memory: &Memory) -> bool {
        let control = ControlWord(memory.get(Word::CONTROL));
        let part = Parts(memory.get(Word::PARTS)).of(control.ring());
        let resets = memory.get(Word::resets(part));
        self.is_in(memory, part, ring_generation(control.generation(), resets))
    }

    /// Somebody relies on it that the block's part in `ring` stays.
    pub fn rely_on(&mut self, ring: u8) {
        self.relied_on |= 1 << ring;
    }

    /// Somebody is going to change a ring.
    pub fn change(&self, ring: u8) -> Result<(), Violation> {
        match self.kept[usize::from(ring)] {
            Some(kept) => violated("R13", || format!("ring {ring} is changed and holds {kept:?}")),
            None => Ok(()),
        }
    }

    /// A snapshot was dropped.
    pub fn discard(&mut self, ring: u8) {
        self.kept[usize::from(ring)] = None;
        self.relied_on &= !(1 << ring);
    }

    /// An actor holds a snapshot.
    pub fn hold(&mut self, ring: u8, generation: Value, actor: u8) -> Result<(), Violation> {
        self.held[usize::from(ring)] |= 1 << actor;
        let kept = self.kept[usize::from(ring)].is_some_and(|kept| kept.generation == generation);
        if kept {
            return Ok(());
        }
        violated("R13", || format!("generation {generation} is held in ring {ring}, which does not keep it"))
    }

    /// It lets it go.
    pub fn let_go(&mut self, ring: u8, actor: u8) {
        self.held[usize::from(ring)] &= !(1 << actor);
    }

    /// An actor is gone, and with it what it held.
    pub fn kill(&mut self, actor: u8) {
        (0..RINGS as u8).for_each(|ring| self.let_go(ring, actor));
    }

    /// What the block has in one of its rings is out of sight.
    pub fn reset(&mut self, part: u8) {
        let commits = self.commits;
        for kept in self.kept.iter_mut().flatten().filter(|kept| kept.part == part) {
            (kept.first, kept.end) = (commits, Some(commits));
        }
    }

    /// One of the block's rings has no memory any more.
    pub fn take_memory(&mut self, part: u8) {
        self.gone |= 1 << part;
    }

    /// It has some again.
    pub fn give_memory(&mut self, part: u8) {
        self.gone &= !(1 << part);
    }

    /// Whether it has none.
    pub fn is_gone(&self, part: u8) -> bool {
        self.gone >> part & 1 != 0
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
        for (kept, held) in self.kept.into_iter().zip(self.held) {
            hash = scatter(hash ^ kept.map_or(0x5a5a_0000_0000, Kept::words) ^ u64::from(held) << 48);
        }
        scatter(hash ^ u64::from(self.gone) ^ u64::from(self.relied_on) << 8)
    }
}

/// The memory with the ring mapping as it was.
fn memory_before(memory: &Memory, parts: Parts) -> Memory {
    let mut before = *memory;
    before.set(Word::PARTS, parts.0);
    before
}

/// Says that a law does not hold.
pub fn violated<T>(law: &'static str, what: impl FnOnce() -> String) -> Result<T, Violation> {
    Err(Violation { law, what: what() })
}
