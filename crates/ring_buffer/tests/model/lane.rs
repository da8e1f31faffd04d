//! Writers without rseq: `src/lane.rs`. There is one lane.

use crate::actor::Progress;
use crate::bug::Bug;
use crate::event::Event;
use crate::layout::{ControlWord, Tail, Value, Word};
use crate::prepare::{Step, prepare};
use crate::section::Section;
use crate::steps::{Ask, Steps};
use crate::writer::{Events, store_event};

/// Where a writer is with its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stage {
    Claim,
    Owner,
    /// It lets the lane go: with the event written, or not, or dropped, which is counted.
    Release {
        written: bool,
        dropped: bool,
    },
    CountDrop,
}

/// A thread that writes to the lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LaneWriter {
    /// What it writes.
    pub events: Events,
    stage: Stage,
}

impl LaneWriter {
    /// One that writes `events`.
    pub const fn new(events: Events) -> LaneWriter {
        LaneWriter { events, stage: Stage::Claim }
    }

    /// This thread when it has left its write; None when that was its last.
    pub fn left(mut self) -> Option<LaneWriter> {
        self.stage = Stage::Claim;
        (self.events.advance(false) == Progress::Goes).then_some(self)
    }

    /// `Writer::write_to_lane` of the actor `me`, up to its next stage.
    pub fn attempt(&mut self, steps: &mut Steps<'_, '_>, me: u8) -> Ask<Progress> {
        match self.stage {
            Stage::Claim => {
                if claim(steps, me)? {
                    self.stage = Stage::Owner;
                } else if ControlWord(steps.load(Word::CONTROL)?).is_off() {
                    return Ok(self.events.advance(false));
                } else {
                    self.stage = Stage::CountDrop;
                }
            }
            Stage::Owner => {
                if let Some((written, dropped)) = write_as_owner(steps, self.events.present())? {
                    self.stage = Stage::Release { written, dropped };
                }
            }
            Stage::Release { written, dropped } => {
                steps.at("write_to_lane");
                steps.store(Word::OWNER, 0)?;
                self.stage = if dropped { Stage::CountDrop } else { Stage::Claim };
                return Ok(if dropped { Progress::Goes } else { self.events.advance(written) });
            }
            Stage::CountDrop => {
                steps.at("count_drop");
                steps.fetch_update(Word::DROPPED, |dropped| dropped + 1)?;
                self.stage = Stage::Claim;
                return Ok(self.events.advance(false));
            }
        }
        Ok(Progress::Goes)
    }
}

/// Claims the lane: when it is free, or this thread has left it, or its owner is dead. Owners are named by
/// their actor, from 1. A thread that comes here is not in the middle of another write: its handlers are
/// other actors.
fn claim(steps: &mut Steps<'_, '_>, me: u8) -> Ask<bool> {
    steps.at("claim");
    let identity = Value::from(me) + 1;
    if steps.compare_exchange(Word::OWNER, 0, identity)? {
        return Ok(true);
    }
    let owner = steps.load(Word::OWNER)?;
    if owner == identity {
        return steps.compare_exchange(Word::OWNER, owner, identity);
    }
    let Some(other) = owner.checked_sub(1) else {
        return Ok(false);
    };
    if !steps.has(Bug::LaneOfLivingOwner) && !steps.is_killed(other as u8)? {
        return Ok(false);
    }
    steps.compare_exchange(Word::OWNER, owner, identity)
}

/// Writes to the lane, up to where it has to look again: None. Whether it was written, or dropped.
fn write_as_owner(steps: &mut Steps<'_, '_>, event: Event) -> Ask<Option<(bool, bool)>> {
    match prepare(steps, Section::Owner, event.size)? {
        Step::Ready(time) => {
            append_as_owner(steps, event, time)?;
            Ok(Some((true, false)))
        }
        Step::Again => Ok(None),
        Step::Off => Ok(Some((false, false))),
        Step::Full => Ok(Some((false, true))),
    }
}

/// Stores the event after the lane's tail and commits it. It fits the page.
fn append_as_owner(steps: &mut Steps<'_, '_>, event: Event, time: Value) -> Ask<()> {
    steps.at("append_as_owner");
    let tail = Tail(steps.load(Word::TAIL)?);
    let delta = time.wrapping_sub(steps.load(Word::LAST_TIME)?);
    store_event(steps, event, tail, delta, time)
}
