//! Who takes steps.

use crate::consumer::Consumer;
use crate::controller::Controller;
use crate::keeper::Keeper;
use crate::lane::LaneWriter;
use crate::log::Log;
use crate::memory::{Side, scatter};
use crate::moment::Moment;
use crate::placed_consumer::PlacedConsumer;
use crate::reader::Reader;
use crate::setting::Setting;
use crate::statistics::Statistics;
use crate::steps::{Ask, Steps};
use crate::taker::Taker;
use crate::world::World;
use crate::writer::Writer;
use std::hash::{Hash, Hasher};

/// How far an actor is when an attempt has come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It makes another.
    Goes,
    /// It has nothing more to do.
    Ends,
}

/// What an actor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Nothing, any more.
    Nobody,
    /// Writes under rseq.
    Writer(Writer),
    /// Writes to a lane.
    LaneWriter(LaneWriter),
    /// Consumes.
    Consumer(Consumer),
    /// Consumes what it has looked at where it lies.
    PlacedConsumer(PlacedConsumer),
    /// Reads without consuming.
    Reader(Reader),
    /// Asks for statistics.
    Statistics(Statistics),
    /// Changes the control word.
    Controller(Controller),
    /// Holds and reads a snapshot.
    Keeper(Keeper),
    /// Takes a snapshot of the block alone.
    Taker(Taker),
}

impl Role {
    /// What it is called.
    pub fn name(&self) -> &'static str {
        match self {
            Role::Nobody => "nobody",
            Role::Writer(_) => "writer",
            Role::LaneWriter(_) => "lane writer",
            Role::Consumer(_) => "consumer",
            Role::PlacedConsumer(_) => "placed consumer",
            Role::Reader(_) => "reader",
            Role::Statistics(_) => "statistics",
            Role::Controller(_) => "controller",
            Role::Keeper(_) => "keeper",
            Role::Taker(_) => "taker",
        }
    }

    /// Whether it writes events.
    pub fn is_writer(&self) -> bool {
        matches!(self, Role::Writer(_) | Role::LaneWriter(_))
    }

    /// Whether it matters to anybody that it is killed.
    pub fn may_be_killed(&self) -> bool {
        self.is_writer() || matches!(self, Role::Keeper(_) | Role::Taker(_) | Role::PlacedConsumer(_))
    }

    /// What takes its place when that has happened.
    pub fn after_kill(self, setting: &Setting) -> Role {
        match self {
            Role::PlacedConsumer(consumer) => Role::PlacedConsumer(consumer.restarted(setting.bug)),
            _ => Role::Nobody,
        }
    }

    /// Whether a handler may leave what it does.
    pub fn may_be_left(&self) -> bool {
        matches!(self, Role::LaneWriter(_))
    }

    /// What it is when that has happened.
    pub fn left(self) -> Role {
        match self {
            Role::LaneWriter(writer) => writer.left().map_or(Role::Nobody, Role::LaneWriter),
            other => other,
        }
    }

    /// Whether what it gives has to be right for some moment.
    pub fn observes(&self) -> bool {
        matches!(self, Role::Statistics(_))
    }

    /// A moment in the middle of what it does.
    pub fn observe(&mut self, moment: &Moment) {
        if let Role::Statistics(statistics) = self {
            statistics.observe(moment);
        }
    }

    fn attempt(&mut self, steps: &mut Steps<'_, '_>, me: u8) -> Ask<Progress> {
        match self {
            Role::Nobody => Ok(Progress::Ends),
            Role::Writer(writer) => writer.attempt(steps),
            Role::LaneWriter(writer) => writer.attempt(steps, me),
            Role::Consumer(consumer) => consumer.attempt(steps),
            Role::PlacedConsumer(consumer) => consumer.attempt(steps),
            Role::Reader(reader) => reader.attempt(steps),
            Role::Statistics(statistics) => statistics.attempt(steps),
            Role::Controller(controller) => controller.attempt(steps, me),
            Role::Taker(taker) => taker.attempt(steps, me),
            Role::Keeper(keeper) => keeper.attempt(steps, me),
        }
    }
}

/// Someone with a role, and how far along it is.
#[derive(Debug, Clone, Copy)]
pub struct Actor {
    /// What it does.
    pub role: Role,
    /// What it has done since its attempt began.
    pub log: Log,
    /// Whether it has done everything.
    pub ended: bool,
}

impl Actor {
    /// One that has not begun.
    pub fn new(role: Role) -> Actor {
        Actor { role, log: Log::EMPTY, ended: role == Role::Nobody }
    }

    /// Does up to `accesses` accesses, then goes on to where the next would be.
    pub fn run(&mut self, world: &mut World<'_>, me: u8, accesses: u32) {
        let side = if matches!(self.role, Role::Writer(_)) { Side::Local } else { Side::Remote };
        let mut steps = Steps::new(world, &mut self.log, side, accesses);
        while let Ok(progress) = self.role.attempt(&mut steps, me) {
            steps.finish();
            if progress == Progress::Ends {
                self.ended = true;
                break;
            }
        }
    }

    /// A number that differs for actors that differ.
    pub fn hash(&self) -> u64 {
        let mut hasher = Mixer(0);
        self.role.hash(&mut hasher);
        self.log.entries().hash(&mut hasher);
        hasher.finish()
    }
}

/// A quick hash. A collision would hide a state; at 64 bits and ten million states one is unlikely
/// by five orders of magnitude.
#[derive(Debug, Default)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        scatter(self.0)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 29;
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}
