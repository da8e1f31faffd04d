//! Which of the block's rings is its part in a ring of the pool: `src/parts.rs`.

use crate::bug::Bug;
use crate::layout::{ControlWord, Parts, Word};
use crate::steps::{Ask, Steps};

/// The parts for someone who looks under the control word's generation: `Buffer::look_at_parts`. `without` is
/// a mistake: not to say so.
pub fn look_at_parts(steps: &mut Steps<'_, '_>, control: ControlWord, without: Option<Bug>) -> Ask<Parts> {
    steps.at("look_at_parts");
    loop {
        let parts = Parts(steps.load(Word::PARTS)?);
        if parts.is_up_to(control.generation()) || without.is_some_and(|bug| steps.has(bug)) {
            return Ok(parts);
        }
        let new = parts.looked_at(control.generation());
        if steps.compare_exchange(Word::PARTS, parts.0, new.0)? {
            return Ok(new);
        }
    }
}

/// `Buffer::look_at_all_parts`, by someone who relies on what `ring` has from now on.
pub fn rely_on_parts(steps: &mut Steps<'_, '_>, control: ControlWord, ring: u8, without: Bug) -> Ask<()> {
    look_at_parts(steps, control, Some(without))?;
    if steps.is_now() {
        steps.world.ghost.rely_on(ring);
    }
    Ok(())
}

/// `Buffer::exchange_parts`: whether they were.
pub fn exchange_parts(steps: &mut Steps<'_, '_>, control: ControlWord, ring: u8) -> Ask<bool> {
    loop {
        let parts = look_at_parts(steps, control, None)?;
        if parts.generation() != control.generation() && !steps.has(Bug::ExchangeTooLate) {
            return Ok(false);
        }
        steps.at("exchange_parts");
        let new = parts.exchanged(control.ring(), ring);
        if steps.compare_exchange(Word::PARTS, parts.0, new.0)? {
            if steps.is_now()
                && let Err(violation) = steps.world.ghost.exchange(steps.world.memory, control, ring)
            {
                steps.fail(violation.law, || violation.what);
            }
            return Ok(true);
        }
    }
}
