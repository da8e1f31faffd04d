//! Writing events: `src/writer.rs` and `src/arch/x86_64.rs`.

use crate::actor::Progress;
use crate::bug::Bug;
use crate::event::Event;
use crate::ghost::Change;
use crate::layout::{Tail, Value, Word};
use crate::prepare::{Step, prepare};
use crate::section::{Section, commit_pair};
use crate::steps::{Ask, Outcome, Steps};

/// Events that an actor writes, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Events {
    /// The first one's identity; the others follow.
    pub identity: u8,
    /// How many are still to be written.
    pub left: u8,
    /// Which of them are large, a bit for each.
    large: u16,
    /// How many have been written, and not refused.
    pub written: u8,
}

impl Events {
    /// As many small events.
    pub const fn small(count: u8) -> Events {
        Events { identity: 0, left: count, large: 0, written: 0 }
    }

    /// As many events; bit `i` of `large` says whether event `i` takes three units.
    pub const fn sized(count: u8, large: u16) -> Events {
        Events { identity: 0, left: count, large, written: 0 }
    }

    /// These events, numbered from `identity` on.
    pub const fn numbered(self, identity: u8) -> Events {
        Events { identity, ..self }
    }

    /// The one that is to be written now.
    pub fn present(&self) -> Event {
        Event { identity: self.identity, size: 2 + (self.large & 1) }
    }

    /// Goes on to the one that follows.
    pub fn advance(&mut self, written: bool) -> Progress {
        self.written += u8::from(written);
        self.identity += 1;
        self.left -= 1;
        self.large >>= 1;
        if self.left == 0 { Progress::Ends } else { Progress::Goes }
    }
}

/// A thread that writes to the block of the CPU that it is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Writer {
    /// What it writes.
    pub events: Events,
    /// Whether it is in `write_slowly`.
    slowly: bool,
}

impl Writer {
    /// One that writes `events`.
    pub const fn new(events: Events) -> Writer {
        Writer { events, slowly: false }
    }

    /// `Writer::write`, up to where it is done or has to look again.
    pub fn attempt(&mut self, steps: &mut Steps<'_, '_>) -> Ask<Progress> {
        let event = self.events.present();
        if !self.slowly {
            return self.append(steps, event, None);
        }
        match prepare(steps, Section::OnCpu, event.size)? {
            Step::Ready(time) => self.append(steps, event, Some(time)),
            Step::Again => Ok(Progress::Goes),
            Step::Off => Ok(self.end_event(false)),
            Step::Full => {
                steps.at("count_drop");
                steps.fetch_update(Word::DROPPED, |dropped| dropped + 1)?;
                Ok(self.end_event(false))
            }
        }
    }

    fn append(&mut self, steps: &mut Steps<'_, '_>, event: Event, time: Option<Value>) -> Ask<Progress> {
        let outcome = steps.section(|steps| append(steps, event, time))?;
        if outcome == Outcome::Committed {
            return Ok(self.end_event(true));
        }
        self.slowly = true;
        Ok(Progress::Goes)
    }

    fn end_event(&mut self, written: bool) -> Progress {
        self.slowly = false;
        self.events.advance(written)
    }
}

/// `arch::append` and, with a time that was read before, `arch::append_at`.
fn append(steps: &mut Steps<'_, '_>, event: Event, time: Option<Value>) -> Ask<Outcome> {
    steps.at("append");
    let tail = Tail(steps.load(Word::TAIL)?);
    let control = steps.load(Word::CONTROL)?;
    if !steps.equals(Word::SEEN, control)? {
        return Ok(Outcome::Refused);
    }
    if tail.commit() + event.size > steps.setting().capacity {
        return Ok(Outcome::Refused);
    }
    let time = match time {
        None => steps.load(Word::CLOCK)?,
        Some(given) => given.max(steps.load(Word::LAST_TIME)?),
    };
    let delta = time.wrapping_sub(steps.load(Word::LAST_TIME)?);
    if delta >= steps.setting().delta_limit {
        return Ok(Outcome::Refused);
    }
    store_event(steps, event, tail, delta, time)?;
    Ok(Outcome::Committed)
}

/// Stores an event after the tail, then moves the tail and the last time.
pub fn store_event(
    steps: &mut Steps<'_, '_>,
    event: Event,
    tail: Tail,
    delta: Value,
    time: Value,
) -> Ask<()> {
    let last = event.size - 1;
    for (unit, value) in (0..).zip(event.units(delta)) {
        let early = steps.has(Bug::PayloadAfterCommit) && unit == last;
        if early {
            commit_event(steps, event, tail, time)?;
        }
        steps.store(tail.place().data(tail.commit() + unit), value)?;
        if early {
            return Ok(());
        }
    }
    commit_event(steps, event, tail, time)
}

fn commit_event(steps: &mut Steps<'_, '_>, event: Event, tail: Tail, time: Value) -> Ask<()> {
    steps.announce(Change::Event { identity: event.identity, time });
    commit_pair(steps, Word::TAIL, tail.advance(event.size).0, time)
}
