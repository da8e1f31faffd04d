//! What a writer has to do before it can write: `src/steps.rs`.

use crate::bug::Bug;
use crate::event::{TIME_EXTEND_SIZE, time_extend};
use crate::ghost::Change;
use crate::layout::{ControlWord, Parts, Place, Tail, Value, Word, ring_generation};
use crate::parts::look_at_parts;
use crate::section::{Commit, Guard, Section, Store, publish};
use crate::steps::{Ask, Steps};

/// What [`prepare`] has found or done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The event can be written, with this time.
    Ready(Value),
    /// Something was done, or someone else came in between: look again.
    Again,
    /// Recording is off.
    Off,
    /// The ring is full.
    Full,
}

/// The block's tail and what belongs to it, as one writer saw them.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    tail: Tail,
    place: Place,
    sequence: Value,
    next_event: Value,
    control: ControlWord,
    /// The block's parts, looked at under its generation.
    parts: Parts,
    /// Pages of the ring that the tail is in.
    pages: u8,
    resets: Value,
    time: Value,
}

impl Seen {
    /// The guards of every section that is built from this.
    fn guards(&self) -> [Guard; 4] {
        [
            (Word::TAIL, self.tail.0, Bug::NoTailGuard),
            (self.place.sequence(), self.sequence, Bug::NoNumberGuard),
            (Word::PARTS, self.parts.0, Bug::NoPartsGuard),
            (Word::resets(self.live()), self.resets, Bug::NoResetsGuard),
        ]
    }

    /// Which ring is the block's part in the one that is live.
    fn live(&self) -> u8 {
        self.parts.of(self.control.ring())
    }

    /// What the live ring says of its generation when the block has adopted it.
    fn generation(&self) -> Value {
        ring_generation(self.control.generation(), self.resets)
    }

    /// Whether the tail is where the control word wants it.
    pub fn has_adopted(&self, steps: &mut Steps<'_, '_>) -> Ask<bool> {
        Ok(self.live() == self.place.ring
            && steps.load(Word::generation(self.live()))? == self.generation()
            && (steps.has(Bug::AdoptedByGenerationAlone)
                || self.sequence >= steps.load(Word::first_sequence(self.live()))?))
    }
}

/// What makes a page the tail's. The slot's number comes first: a reader that copies the page as it was
/// will find that it is no longer that (R4).
fn fresh_stores(place: Place, seen: &Seen) -> [Store; 3] {
    [
        (place.sequence(), seen.sequence + 1),
        (place.first_event(), seen.next_event),
        (place.time_stamp(), seen.time),
    ]
}

/// Brings the block one step nearer to where an event that needs `space` units can be written.
pub fn prepare(steps: &mut Steps<'_, '_>, section: Section, space: Value) -> Ask<Step> {
    const STEPS: [Step; 3] = [Step::Again, Step::Off, Step::Full];
    let [step, time] = steps.stage(|steps| {
        Ok(match look_and_act(steps, section, space)? {
            Step::Again => [0, 0],
            Step::Off => [1, 0],
            Step::Full => [2, 0],
            Step::Ready(time) => [3, time],
        })
    })?;
    Ok(STEPS.get(usize::from(step)).copied().unwrap_or(Step::Ready(time)))
}

fn look_and_act(steps: &mut Steps<'_, '_>, section: Section, space: Value) -> Ask<Step> {
    steps.at("prepare");
    let control = ControlWord(steps.load(Word::CONTROL)?);
    if control.is_off() || steps.load(Word::FLAGS)? != 0 {
        return Ok(Step::Off);
    }
    let Some(seen) = look(steps, control)? else {
        return Ok(Step::Again);
    };
    steps.at("prepare");
    if !adopt(steps, &seen, section)? {
        return Ok(Step::Again);
    }
    steps.at("prepare");
    let used = seen.tail.commit();
    let gap = seen.time.wrapping_sub(steps.load(Word::LAST_TIME)?);
    let fits = gap < steps.setting().delta_limit || steps.has(Bug::NoTimeExtend);
    let extend = if fits { 0 } else { TIME_EXTEND_SIZE };
    if used + extend + space > steps.setting().capacity {
        next_page(steps, &seen, section)
    } else if extend != 0 {
        record_gap(steps, &seen, gap, section)
    } else {
        Ok(Step::Ready(seen.time))
    }
}

/// Reads the block's tail and what belongs to it; None when the tail has moved meanwhile.
///
/// The number of a page that the tail was in may be that of the next lap already, with the rest of the
/// slot still old. Only a tail that is seen there after the number was read makes it sure (R4).
pub fn look(steps: &mut Steps<'_, '_>, control: ControlWord) -> Ask<Option<Seen>> {
    let parts = look_at_parts(steps, control, Some(Bug::WriterDoesNotLook))?;
    if parts.generation() != control.generation() && !steps.has(Bug::WriterDoesNotLook) {
        return Ok(None);
    }
    steps.at("look");
    let tail = Tail(steps.load(Word::TAIL)?);
    let place = tail.place();
    let pages = steps.load(Word::pages(place.ring))? as u8;
    let sequence = steps.load(place.sequence())?;
    if !steps.has(Bug::LookOnce) && !steps.equals(Word::TAIL, tail.0)? {
        return Ok(None);
    }
    let next_event = steps.load(place.first_event())? + tail.events();
    let resets = steps.load(Word::resets(parts.of(control.ring())))?;
    let now = steps.load(Word::CLOCK)?;
    let time = now.max(steps.load(Word::LAST_TIME)?);
    Ok(Some(Seen { tail, place, sequence, next_event, control, parts, pages, resets, time }))
}

/// Makes the block follow the control word: moves its tail to the ring that is live now, or, where that
/// has been done, brings `seen` up to date. Whether there was nothing to do.
fn adopt(steps: &mut Steps<'_, '_>, seen: &Seen, section: Section) -> Ask<bool> {
    steps.at("adopt");
    if !seen.has_adopted(steps)? {
        move_to(steps, seen, section)?;
        return Ok(false);
    }
    if steps.equals(Word::SEEN, seen.control.0)? {
        return Ok(true);
    }
    let commit = Commit { word: Word::SEEN, low: seen.control.0, high: 0, change: Change::None };
    publish(steps, section, &seen.guards(), &[], commit)?;
    Ok(false)
}

/// The first of the two sections of adoption. In the ring where the tail is, it goes on after the
/// tail's page: what is stored before the commit must not touch the page under the tail (R4).
fn move_to(steps: &mut Steps<'_, '_>, seen: &Seen, section: Section) -> Ask<()> {
    let (ring, generation) = (seen.live(), seen.generation());
    let fresh = if ring == seen.place.ring && !steps.has(Bug::AdoptOverTailPage) {
        seen.place.after(seen.pages)
    } else {
        Place { ring, index: 0 }
    };
    let [sequence, first_event, time_stamp] = fresh_stores(fresh, seen);
    // In this order: a reader's compare-exchange that comes in between finds another number.
    let mut reset = [(Word::next_event(ring), seen.next_event), (Word::read(ring), 0)];
    if steps.has(Bug::ReadResetFirst) {
        reset.reverse();
    }
    let end = if steps.has(Bug::OldEndStays) { seen.place.ring } else { ring };
    let stores = [
        (seen.place.commit(), seen.tail.commit()),
        (Word::final_tail(seen.place.ring), seen.tail.0),
        (Word::final_tail(end), if end == ring { Tail::at(fresh).0 } else { seen.tail.0 }),
        (Word::first_sequence(ring), seen.sequence + 1),
        (Word::first_event(ring), seen.next_event),
        reset[0],
        reset[1],
        (Word::generation(ring), generation),
        sequence,
        first_event,
        time_stamp,
        (Word::SEEN, seen.control.0),
    ];
    let stores = match steps.setting().bug {
        Bug::SeenBeforeTail => &stores[..],
        Bug::RingNotClosed => &stores[2..11],
        _ => &stores[..11],
    };
    let change = Change::Adopt { generation, from: seen.place.ring, to: ring };
    publish(steps, section, &seen.guards(), stores, to_start_of(fresh, seen, change))?;
    Ok(())
}

/// Closes the tail's page and moves the tail to the next one, over whatever that one holds.
fn next_page(steps: &mut Steps<'_, '_>, seen: &Seen, section: Section) -> Ask<Step> {
    steps.at("next_page");
    let fresh = seen.place.after(seen.pages);
    let may_wait = seen.control.no_overwrite() && !steps.has(Bug::FullIsNotFull);
    if may_wait && !is_consumed(steps, seen, fresh)? {
        return Ok(Step::Full);
    }
    let [sequence, first_event, time_stamp] = fresh_stores(fresh, seen);
    let closed = (seen.place.commit(), seen.tail.commit());
    let commit = to_start_of(fresh, seen, Change::Move);
    match steps.setting().bug {
        Bug::NumberAfterPage => {
            let stores = [closed, first_event, time_stamp, sequence];
            publish(steps, section, &seen.guards(), &stores, commit)?
        }
        Bug::NumberAfterTail => {
            let tail = [(Word::LAST_TIME, commit.high), (Word::TAIL, commit.low)];
            let early = [closed, first_event, time_stamp, tail[0], tail[1]];
            let late = Commit { word: sequence.0, low: sequence.1, high: seen.next_event, ..commit };
            publish(steps, section, &seen.guards(), &early, late)?
        }
        Bug::OldPageNotClosed => {
            publish(steps, section, &seen.guards(), &[sequence, first_event, time_stamp], commit)?
        }
        _ => {
            let stores = [closed, sequence, first_event, time_stamp];
            publish(steps, section, &seen.guards(), &stores, commit)?
        }
    };
    Ok(Step::Again)
}

/// Whether readers have taken every event of the oldest page, which lies at `oldest`.
fn is_consumed(steps: &mut Steps<'_, '_>, seen: &Seen, oldest: Place) -> Ask<bool> {
    let first_sequence = steps.load(Word::first_sequence(oldest.ring))?;
    if seen.sequence + 1 < first_sequence + Value::from(seen.pages) {
        return Ok(true);
    }
    let next_event = steps.load(Word::next_event(oldest.ring))?;
    Ok(next_event >= steps.load(oldest.after(seen.pages).first_event())?)
}

/// Records that more time has passed than an event's head can tell.
fn record_gap(steps: &mut Steps<'_, '_>, seen: &Seen, gap: Value, section: Section) -> Ask<Step> {
    steps.at("record_gap");
    let stores = [(seen.place.data(seen.tail.commit()), time_extend(gap))];
    let tail = seen.tail.extend(TIME_EXTEND_SIZE);
    let commit = Commit { word: Word::TAIL, low: tail.0, high: seen.time, change: Change::Move };
    publish(steps, section, &seen.guards(), &stores, commit)?;
    Ok(Step::Again)
}

fn to_start_of(place: Place, seen: &Seen, change: Change) -> Commit {
    Commit { word: Word::TAIL, low: Tail::at(place).0, high: seen.time, change }
}
