//! Everything at one moment, and what can happen next.

use crate::actor::{Actor, Role};
use crate::ghost::Ghost;
use crate::layout::{ControlWord, NO_GENERATION, Parts, Place, RINGS, Tail, Value, Word};
use crate::memory::{Memory, scatter};
use crate::pool;
use crate::setting::Setting;
use crate::world::{Violation, World};

/// What somebody did, if that is to be written down.
pub type Notes = Option<Vec<String>>;

/// The most actors of a scenario.
pub const ACTORS: usize = 5;

/// Something that happens between two accesses, or one access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// An actor does its next access. When that starts a section, whoever was in one loses the CPU.
    Step(u8),
    /// A writer in a section loses the CPU, or gets a signal.
    Abort(u8),
    /// A writer, a holder of snapshots, or a consumer is killed.
    Kill(u8),
    /// A signal handler leaves a write to a lane by longjmp, and its thread goes on.
    Jump(u8),
    /// Time passes.
    Tick,
    /// A store that the CPU has held back is seen by all.
    Drain,
}

/// How many things may happen to actors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Sections that may be restarted.
    pub aborts: u8,
    /// Actors that may be killed.
    pub kills: u8,
    /// Writes to lanes that may be left.
    pub jumps: u8,
    /// How much time passes, each time that it does.
    pub ticks: &'static [Value],
}

/// Everything at one moment.
#[derive(Debug, Clone, Copy)]
pub struct State {
    /// The words.
    pub memory: Memory,
    /// What is true.
    pub ghost: Ghost,
    /// Who is there.
    pub actors: [Actor; ACTORS],
    actor_hashes: [u64; ACTORS],
    killed: u8,
    /// What may still happen.
    pub limits: Limits,
}

impl State {
    /// A buffer as `Buffer::create` makes it, and nobody there.
    pub fn new(setting: &Setting, limits: Limits) -> State {
        let mut memory = Memory::new(setting.store_queue);
        let first = Place { ring: 0, index: 0 };
        memory.set(Word::SEEN, Value::MAX);
        memory.set(Word::CONTROL, if setting.overwrite { 0 } else { ControlWord::NO_OVERWRITE });
        (0..RINGS as u8).for_each(|ring| memory.set(Word::generation(ring), NO_GENERATION));
        memory.set(Word::PARTS, Parts::FIRST.0);
        for ring in 0..RINGS as u8 {
            let has_memory = ring <= setting.spares;
            let state = if has_memory { pool::State::Spare } else { pool::State::Absent };
            memory.set(Word::kept(ring), pool::Entry::new(Value::MAX, state).0);
            memory.set(Word::size(ring), Value::from(has_memory));
            memory.set(Word::pages(ring), if has_memory { setting.pages.into() } else { 0 });
        }
        memory.set(Word::TAIL, Tail::at(first).0);
        memory.set(first.sequence(), 1);
        // Time 0 is never now, so that a time stamp that was not stored is seen.
        memory.set(Word::CLOCK, 1);
        memory.set(Word::LAST_TIME, 1);
        State {
            memory,
            ghost: Ghost::new(),
            actors: [Actor::new(Role::Nobody); ACTORS],
            actor_hashes: [0; ACTORS],
            killed: 0,
            limits,
        }
    }

    /// Puts an actor where there is none, up to where its first access would be.
    pub fn enter(&mut self, index: usize, role: Role, setting: &Setting) {
        self.actors[index] = Actor::new(role);
        let entered = self.run(index, 0, setting, None);
        entered.expect("without an access nothing happens");
    }

    /// Everything that can happen next.
    pub fn moves(&self, setting: &Setting) -> Vec<Move> {
        let mut moves = Vec::with_capacity(8);
        for (index, actor) in (0..).zip(&self.actors) {
            if actor.ended {
                continue;
            }
            if self.may_step(actor, setting) {
                moves.push(Move::Step(index));
            }
            if actor.log.is_inside_section() && self.limits.aborts > 0 && setting.restarts() {
                moves.push(Move::Abort(index));
            }
            if actor.role.may_be_killed() && self.limits.kills > 0 {
                moves.push(Move::Kill(index));
            }
            if actor.role.may_be_left() && self.limits.jumps > 0 {
                moves.push(Move::Jump(index));
            }
        }
        if !self.limits.ticks.is_empty() {
            moves.push(Move::Tick);
        }
        if self.memory.is_delayed() {
            moves.push(Move::Drain);
        }
        moves
    }

    /// Whether every actor has done everything, and everybody sees it.
    pub fn is_end(&self) -> bool {
        self.actors.iter().all(|actor| actor.ended) && !self.memory.is_delayed()
    }

    fn may_step(&self, actor: &Actor, setting: &Setting) -> bool {
        if matches!(actor.role, Role::Writer(_)) && self.memory.is_full() {
            return false;
        }
        // A thread outside of a section may be on another CPU for the time being, so it can go on
        // next to one that is inside. To start a section it must be on the block's CPU.
        let must_abort = actor.log.is_before_section() && setting.restarts();
        !must_abort || self.limits.aborts > 0 || self.writer_inside().is_none()
    }

    /// The writer that is in a section.
    fn writer_inside(&self) -> Option<usize> {
        self.actors.iter().position(|actor| actor.log.is_inside_section())
    }

    /// Lets `next` happen.
    pub fn apply(
        &mut self,
        next: Move,
        setting: &Setting,
        notes: Option<&mut Vec<String>>,
    ) -> Result<(), Violation> {
        let before = self.shared_hash();
        self.happen(next, setting, notes)?;
        if self.shared_hash() != before {
            self.observe();
        }
        Ok(())
    }

    /// Those who are in the middle of a call have to give what was right at some moment of it.
    fn observe(&mut self) {
        let State { memory, ghost, actors, actor_hashes, .. } = self;
        for (actor, hash) in actors.iter_mut().zip(actor_hashes) {
            if actor.role.observes() && !actor.log.is_before_first() {
                actor.role.observe(&ghost.moment(memory));
                *hash = actor.hash();
            }
        }
    }

    fn happen(
        &mut self,
        next: Move,
        setting: &Setting,
        notes: Option<&mut Vec<String>>,
    ) -> Result<(), Violation> {
        match next {
            Move::Step(index) => {
                let before = self.actors[usize::from(index)].log.is_before_section();
                if before
                    && setting.restarts()
                    && let Some(inside) = self.writer_inside()
                {
                    self.abort(inside, setting)?;
                }
                return self.run(usize::from(index), 1, setting, notes);
            }
            Move::Abort(index) => return self.abort(usize::from(index), setting),
            Move::Kill(index) => {
                self.limits.kills -= 1;
                self.killed |= 1 << index;
                self.ghost.kill(index);
                let role = self.actors[usize::from(index)].role.after_kill(setting);
                self.enter(usize::from(index), role, setting);
            }
            Move::Jump(index) => {
                self.limits.jumps -= 1;
                let role = self.actors[usize::from(index)].role.left();
                self.enter(usize::from(index), role, setting);
            }
            Move::Tick => {
                if let Some((tick, rest)) = self.limits.ticks.split_first() {
                    self.limits.ticks = rest;
                    self.memory.set(Word::CLOCK, self.memory.get(Word::CLOCK) + tick);
                }
            }
            Move::Drain => self.memory.drain(),
        }
        Ok(())
    }

    fn abort(&mut self, index: usize, setting: &Setting) -> Result<(), Violation> {
        self.limits.aborts -= 1;
        self.actors[index].log.abort_section();
        self.run(index, 0, setting, None)
    }

    /// Lets an actor do up to `accesses` accesses.
    fn run(
        &mut self,
        index: usize,
        accesses: u32,
        setting: &Setting,
        notes: Option<&mut Vec<String>>,
    ) -> Result<(), Violation> {
        let State { memory, ghost, killed, .. } = self;
        let mut world = World { setting, memory, ghost, killed: *killed, notes, violation: None };
        let actor = &mut self.actors[index];
        actor.run(&mut world, index as u8, accesses);
        let violation = world.violation;
        if actor.ended {
            *actor = Actor::new(Role::Nobody);
        }
        self.actor_hashes[index] = actor.hash();
        violation.map_or(Ok(()), Err)
    }

    /// Lets a newcomer do everything while all others are gone. What it has become, and what it has left
    /// after; None when it does not come to an end.
    pub fn alone(
        &self,
        role: Role,
        setting: &Setting,
        notes: &mut Notes,
    ) -> Result<Option<(Role, State)>, Violation> {
        const ENOUGH: u32 = 400;
        let mut state = *self;
        state.memory.settle();
        let State { memory, ghost, .. } = &mut state;
        let notes = notes.as_mut();
        let mut world = World { setting, memory, ghost, killed: !0, notes, violation: None };
        let mut actor = Actor::new(role);
        actor.run(&mut world, ACTORS as u8, ENOUGH);
        match world.violation {
            Some(violation) => Err(violation),
            None => Ok(actor.ended.then_some((actor.role, state))),
        }
    }

    /// A number that differs for different states.
    pub fn hash(&self) -> u64 {
        let rest = u64::from(self.killed)
            | u64::from(self.limits.aborts) << 8
            | u64::from(self.limits.kills) << 16
            | (self.limits.ticks.len() as u64) << 24
            | u64::from(self.limits.jumps) << 32;
        let hash = scatter(self.shared_hash() ^ rest);
        self.actor_hashes.iter().fold(hash, |hash, actor| scatter(hash ^ actor))
    }

    /// A hash of the state that is left when all actors are gone.
    pub fn shared_hash(&self) -> u64 {
        scatter(self.memory.hash() ^ self.ghost.hash())
    }
}
