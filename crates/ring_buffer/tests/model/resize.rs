//! Resizing: `src/resize.rs`, for one ring that may be taken.

use crate::bug::Bug;
use crate::layout::{ControlWord, Value, Word};
use crate::pool::{Entry, State, switch};
use crate::spare::{PageCopy, Who, Writers, put, set_pages, take, writers};
use crate::steps::{Ask, Steps};

/// `Holder::resize`: the buffer goes on in `ring`, with `pages`. It is as it was where that is not to be had.
pub fn resize(steps: &mut Steps<'_, '_>, who: Who, ring: u8, pages: u8) -> Ask<bool> {
    const SIZE: Value = 2;
    let size = {
        steps.at("resize_to");
        let live = ControlWord(steps.load(Word::CONTROL)?).ring();
        steps.load(Word::size(live))?
    };
    let [vacated, before] = steps.stage(|steps| {
        let states = [State::Retired, State::Spare, State::Absent];
        let Some(taken) = take(steps, who, ring, &states)? else { return Ok([0, 0]) };
        let without_proof = steps.has(Bug::ResizedInUse);
        if !without_proof && writers(steps, taken)? != Writers::Gone {
            put(steps, taken, taken.before)?;
            return Ok([0, 0]);
        }
        set_pages(steps, ring, pages.into(), SIZE)?;
        Ok([1, taken.before.0])
    })?;
    if vacated == 0 {
        return Ok(true);
    }
    let here = steps.here();
    loop {
        steps.at("resize_to");
        let time = steps.load(Word::CLOCK)?;
        let control = ControlWord(steps.load(Word::CONTROL)?);
        if !steps.equals(Word::size(control.ring()), size)? || switch(steps, time, control, ring)? {
            break;
        }
        steps.again(here);
    }
    let taken = PageCopy::of(ring, Entry(before), who);
    put(steps, taken, taken.before.turned(State::Spare))?;
    Ok(true)
}
