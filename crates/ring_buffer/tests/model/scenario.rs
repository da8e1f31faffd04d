//! What a scenario is.

use crate::actor::Role;
use crate::consumer::Consumer;
use crate::controller::{Controller, Request};
use crate::keeper::Keeper;
use crate::lane::LaneWriter;
use crate::layout::{Value, Word};
use crate::placed_consumer::PlacedConsumer;
use crate::reader::Reader;
use crate::setting::Setting;
use crate::state::{Limits, State};
use crate::statistics::Statistics;
use crate::taker::Taker;
use crate::writer::{Events, Writer};

/// Something that is over when the scenario begins.
#[derive(Debug, Clone, Copy)]
pub enum Before {
    /// Small events were written.
    Wrote(u8),
    /// Someone consumed that many times.
    Consumed(u8),
    /// A change was asked for.
    Asked(&'static [Request]),
    /// Time passed.
    Waited(Value),
}

/// Actors, and what may happen to them.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    /// What it is called.
    pub name: &'static str,
    /// The buffer.
    pub setting: Setting,
    /// What has happened.
    pub before: &'static [Before],
    /// Who is there.
    pub actors: &'static [Role],
    /// What may happen to them.
    pub limits: Limits,
}

impl Scenario {
    /// The first state.
    pub fn start(&self, setting: &Setting) -> State {
        let mut state = State::new(setting, self.limits);
        let mut identity = 1;
        for before in self.before {
            state = happen(&state, *before, &mut identity, setting);
        }
        for (index, role) in self.actors.iter().enumerate() {
            state.enter(index, named(*role, &mut identity), setting);
        }
        state
    }
}

fn happen(state: &State, before: Before, identity: &mut u8, setting: &Setting) -> State {
    let role = match before {
        Before::Wrote(count) if setting.is_lane => lane_writer(count),
        Before::Wrote(count) => writer(count),
        Before::Consumed(calls) => consumer(calls),
        Before::Asked(requests) => controller(requests),
        Before::Waited(time) => {
            let mut state = *state;
            state.memory.set(Word::CLOCK, state.memory.get(Word::CLOCK) + time);
            return state;
        }
    };
    let (_, mut state) = state
        .alone(named(role, identity), setting, &mut None)
        .expect("what happened before is in order")
        .expect("it came to an end");
    state.memory.delay_up_to(setting.store_queue);
    state
}

/// Gives the events of a role their identities.
fn named(mut role: Role, identity: &mut u8) -> Role {
    let events = match &mut role {
        Role::Writer(writer) => &mut writer.events,
        Role::LaneWriter(writer) => &mut writer.events,
        _ => return role,
    };
    events.identity = *identity;
    *identity += events.left;
    role
}

/// Writes small events.
pub const fn writer(events: u8) -> Role {
    Role::Writer(Writer::new(Events::small(events)))
}

/// Writes events, of which bit `i` of `large` says whether event `i` is a large one.
pub const fn writer_of(events: u8, large: u16) -> Role {
    Role::Writer(Writer::new(Events::sized(events, large)))
}

/// Writes small events to the lane.
pub const fn lane_writer(events: u8) -> Role {
    Role::LaneWriter(LaneWriter::new(Events::small(events)))
}

/// Consumes `calls` times.
pub const fn consumer(calls: u8) -> Role {
    Role::Consumer(Consumer::new(calls))
}

/// Says `rounds` times how far it has come, each time after it has looked at up to `most` events.
pub const fn placed(rounds: u8, most: u8) -> Role {
    Role::PlacedConsumer(PlacedConsumer::new(rounds, most))
}

/// Reads `calls` times, going on from where it was.
pub const fn reader(calls: u8) -> Role {
    Role::Reader(Reader::new(calls))
}

/// Asks for the statistics `calls` times.
pub const fn statistics(calls: u8) -> Role {
    Role::Statistics(Statistics::new(calls))
}

/// Asks for changes.
pub const fn controller(requests: &'static [Request]) -> Role {
    Role::Controller(Controller::new(requests))
}

/// Takes a snapshot of the block alone.
pub const fn taker() -> Role {
    Role::Taker(Taker::new())
}

/// Holds the first snapshot that it finds, reads it, and gives it up then if it `discards`.
pub const fn keeper(discards: bool) -> Role {
    Role::Keeper(Keeper::new(discards))
}
