//! Snapshots of one block alone: `src/exchange.rs`.

use crate::bug::Bug;
use crate::layout::{ControlWord, Parts, RINGS, Word};
use crate::parts::exchange_parts;
use crate::pool::{Entry, State, spare_ring};
use crate::spare::{PageCopy, Who, own, put, take};
use crate::steps::{Ask, Steps};

/// One attempt of `Holder::snapshot_block`: whether it came to an end.
pub fn snapshot_block(steps: &mut Steps<'_, '_>, who: Who) -> Ask<bool> {
    const NONE: u16 = RINGS as u16;
    let [ring, before] = steps.stage(|steps| {
        steps.at("take_spare");
        let control = ControlWord(steps.load(Word::CONTROL)?);
        let taken = match spare_ring(steps, control)? {
            Some(ring) => take(steps, who, ring, &[State::Spare])?,
            None => None,
        };
        Ok(taken.map_or([NONE, 0], |taken| [taken.ring.into(), taken.before.0]))
    })?;
    if ring == NONE {
        steps.at("snapshot_block");
        steps.fetch_update(Word::REFUSED, |refused| refused + 1)?;
        return Ok(true);
    }
    let taken = PageCopy::of(ring as u8, Entry(before), who);
    let done = exchange(steps, who, taken)?;
    if !done {
        put(steps, taken, taken.before)?;
    }
    Ok(done)
}

/// `Holder::exchange`.
fn exchange(steps: &mut Steps<'_, '_>, who: Who, taken: PageCopy) -> Ask<bool> {
    steps.at("exchange");
    let ring = taken.ring;
    let time = steps.load(Word::CLOCK)?;
    let mistakes = [Bug::NoEpochAtExchange, Bug::TakerDoesNotLook];
    let Some(control) = own(steps, taken, mistakes)? else { return Ok(false) };
    steps.at("exchange");
    let size = steps.load(Word::size(control.ring()))?;
    if !steps.equals(Word::size(ring), size)? {
        return Ok(false);
    }
    if !steps.has(Bug::TakenNotEmptied) {
        let part = Parts(steps.load(Word::PARTS)?).of(ring);
        steps.fetch_update(Word::resets(part), |resets| resets + 1)?;
    }
    let old_time = steps.load(Word::kept_time(ring))?;
    let taking = Entry::new(control.generation(), State::Taking).held_by(who.place);
    let changing = (taken.changing().0, old_time);
    if !steps.compare_exchange_pair(Word::kept(ring), changing, (taking.0, time))? {
        return Ok(false);
    }
    if !exchange_parts(steps, control, ring)? {
        steps.at("exchange");
        steps.compare_exchange(Word::kept(ring), taking.0, taken.changing().0)?;
        return Ok(false);
    }
    steps.at("exchange");
    steps.fetch_update(Word::CONTROL, |control| ControlWord(control).next_epoch().0)?;
    steps.compare_exchange(Word::kept(ring), taking.0, taking.turned(State::Kept).0)?;
    Ok(true)
}
