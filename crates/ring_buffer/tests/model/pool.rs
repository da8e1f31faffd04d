//! The pool: `src/snapshot.rs` and `src/holder.rs`, function by function. That a holder compares times,
//! too, is left out: they tell one who has given a snapshot up from one who has the next in the same ring.

use crate::bug::Bug;
use crate::layout::{ControlWord, HOLDERS, RINGS, Value, Word};
use crate::parts::rely_on_parts;
use crate::steps::{Ask, Steps};

/// What a ring is used for that is not live: `abi::pool::KeptState`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It has no memory.
    Absent,
    /// It waits for a snapshot.
    Spare,
    /// It holds one.
    Kept,
    /// Somebody gives it memory or takes that away.
    Changing,
    /// Its memory is to be taken away.
    Retired,
    /// A holder takes a snapshot of the block alone with it.
    Taking,
}

/// The word of a ring in the pool: `abi::pool::KeptWord`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry(pub Value);

impl Entry {
    const HOLDERS_SHIFT: u32 = 5;
    const STATE_SHIFT: u32 = 5 + HOLDERS as u32;

    /// A ring that nobody holds.
    pub const fn new(generation: Value, state: State) -> Entry {
        Entry(generation & 31 | (state as Value) << Self::STATE_SHIFT)
    }

    /// The last generation that was live there.
    pub const fn generation(self) -> Value {
        self.0 & 31
    }

    /// Whether the state is `state`.
    pub const fn is(self, state: State) -> bool {
        self.0 >> Self::STATE_SHIFT == state as Value
    }

    /// Whether `place` holds it.
    pub const fn is_held_by(self, place: u8) -> bool {
        self.0 >> (Self::HOLDERS_SHIFT + place as u32) & 1 != 0
    }

    /// This entry, held by `place`, too.
    pub const fn held_by(self, place: u8) -> Entry {
        Entry(self.0 | 1 << (Self::HOLDERS_SHIFT + place as u32))
    }

    /// This entry, no longer held by `place`.
    pub const fn let_go_by(self, place: u8) -> Entry {
        Entry(self.0 & !(1 << (Self::HOLDERS_SHIFT + place as u32)))
    }

    /// The entry of this ring in another state, held by nobody.
    pub const fn turned(self, state: State) -> Entry {
        Entry::new(self.generation(), state)
    }
}

/// One attempt of `Buffer::snapshot`: whether it came to an end.
pub fn snapshot(steps: &mut Steps<'_, '_>) -> Ask<bool> {
    steps.at("snapshot");
    let time = steps.load(Word::CLOCK)?;
    let control = ControlWord(steps.load(Word::CONTROL)?);
    let Some(spare) = spare_ring(steps, control)? else {
        steps.fetch_update(Word::REFUSED, |refused| refused + 1)?;
        return Ok(true);
    };
    if !switch(steps, time, control, spare)? {
        return Ok(false);
    }
    let memory = &steps.world.memory;
    if memory.get(Word::size(spare)) != memory.get(Word::size(control.ring())) {
        steps.fail("R16", || format!("a snapshot makes ring {spare} live, which is of another size"));
    }
    Ok(true)
}

/// The rest of an attempt of `Buffer::switch` that began at `time`: whether `ring` is live.
pub fn switch(steps: &mut Steps<'_, '_>, time: Value, control: ControlWord, ring: u8) -> Ask<bool> {
    if !announce(steps, control, time)? {
        return Ok(false);
    }
    steps.at("switch");
    let next = control.next_generation(ring);
    if !steps.compare_exchange(Word::CONTROL, control.0, next.0)? {
        return Ok(false);
    }
    if !steps.is_now() {
        return Ok(true);
    }
    let memory = &*steps.world.memory;
    let (entered, now) = (memory.get(Word::kept_time(control.ring())), memory.get(Word::CLOCK));
    if !(time..=now).contains(&entered) {
        steps.fail("R13", || format!("asked at {time}, taken at {now}, and it says {entered}"));
    }
    if let Err(violation) = steps.world.ghost.switch(steps.world.memory, control, ring) {
        steps.fail(violation.law, || violation.what);
    }
    Ok(true)
}

/// A ring that a snapshot under `control` can take.
pub fn spare_ring(steps: &mut Steps<'_, '_>, control: ControlWord) -> Ask<Option<u8>> {
    let size = steps.load(Word::size(control.ring()))?;
    for ring in (0..RINGS as u8).filter(|ring| *ring != control.ring()) {
        let is_spare = Entry(steps.load(Word::kept(ring))?).is(State::Spare);
        if is_spare && (steps.has(Bug::SnapshotOfAnySize) || steps.equals(Word::size(ring), size)?) {
            return Ok(Some(ring));
        }
    }
    Ok(None)
}

/// Enters what the live ring will keep. False when somebody came in between.
fn announce(steps: &mut Steps<'_, '_>, control: ControlWord, time: Value) -> Ask<bool> {
    steps.at("announce");
    let ring = control.ring();
    let word = steps.load(Word::kept(ring))?;
    let entered = steps.load(Word::kept_time(ring))?;
    if !steps.equals(Word::CONTROL, control.0)? {
        return Ok(false);
    }
    let kept = Entry::new(control.generation(), State::Kept);
    if word == kept.0 && (entered >= time || steps.has(Bug::AnnouncedTimeStays)) {
        return Ok(true);
    }
    steps.compare_exchange_pair(Word::kept(ring), (word, entered), (kept.0, time))
}

/// `Buffer::discard`: whether it was dropped.
pub fn discard(steps: &mut Steps<'_, '_>, ring: u8, generation: Value) -> Ask<bool> {
    steps.at("discard");
    let kept = Entry::new(generation, State::Kept);
    if ControlWord(steps.load(Word::CONTROL)?).ring() == ring {
        return Ok(false);
    }
    let mut expected = kept;
    if steps.has(Bug::DiscardHeld) {
        expected = Entry(steps.load(Word::kept(ring))?);
    }
    let dropped = steps.compare_exchange(Word::kept(ring), expected.0, kept.turned(State::Spare).0)?;
    if dropped && steps.is_now() {
        steps.world.ghost.discard(ring);
    }
    Ok(dropped)
}

/// The snapshot that a ring holds: its generation.
pub fn kept_in(steps: &mut Steps<'_, '_>, ring: u8) -> Ask<Option<Value>> {
    steps.at("kept_in");
    let word = Entry(steps.load(Word::kept(ring))?);
    let live = !steps.has(Bug::KeptWithoutControl) && ControlWord(steps.load(Word::CONTROL)?).ring() == ring;
    Ok((word.is(State::Kept) && !live).then_some(word.generation()))
}

/// `Holder::hold`: whether `place` holds it now.
pub fn hold(steps: &mut Steps<'_, '_>, place: u8, me: u8, ring: u8, generation: Value) -> Ask<bool> {
    steps.at("hold");
    let word = Entry(steps.load(Word::kept(ring))?);
    let control = ControlWord(steps.load(Word::CONTROL)?);
    let live = control.ring() == ring && !steps.has(Bug::KeptWithoutControl);
    if live || !word.is(State::Kept) || word.generation() != generation || word.is_held_by(place) {
        return Ok(false);
    }
    let held = steps.compare_exchange(Word::kept(ring), word.0, word.held_by(place).0)?;
    if held
        && steps.is_now()
        && let Err(violation) = steps.world.ghost.hold(ring, generation, me)
    {
        steps.fail(violation.law, || violation.what);
    }
    if held {
        rely_on_parts(steps, control, ring, Bug::HolderDoesNotLook)?;
    }
    Ok(held)
}

/// `Held::drop`.
pub fn let_go(steps: &mut Steps<'_, '_>, place: u8, me: u8, ring: u8) -> Ask<()> {
    steps.at("let_go");
    steps.world.ghost.let_go(ring, me);
    steps.fetch_update(Word::kept(ring), |word| Entry(word).let_go_by(place).0)
}

/// `Buffer::holder`: a place. Owners are named by their actor, from 1.
pub fn claim_place(steps: &mut Steps<'_, '_>, me: u8) -> Ask<Option<u8>> {
    steps.at("holder");
    for place in 0..HOLDERS as u8 {
        if steps.compare_exchange(Word::holder(place), 0, Value::from(me) + 1)? {
            return Ok(Some(place));
        }
    }
    for place in 0..HOLDERS as u8 {
        if take_from_dead(steps, place, me)? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// `Holder::take_over`.
pub fn take_over(steps: &mut Steps<'_, '_>, place: u8, me: u8) -> Ask<()> {
    if take_from_dead(steps, place, me)? {
        steps.store(Word::holder(place), 0)?;
    }
    Ok(())
}

/// Takes a place whose owner is dead, and lets go what it held.
fn take_from_dead(steps: &mut Steps<'_, '_>, place: u8, me: u8) -> Ask<bool> {
    steps.at("take_over");
    let owner = steps.load(Word::holder(place))?;
    let Some(other) = owner.checked_sub(1) else { return Ok(false) };
    if !steps.has(Bug::HoldOfTheLiving) && !steps.is_killed(other as u8)? {
        return Ok(false);
    }
    if !steps.compare_exchange(Word::holder(place), owner, Value::from(me) + 1)? {
        return Ok(false);
    }
    let loses = steps.has(Bug::TakerLosesIt);
    for ring in 0..RINGS as u8 {
        steps.fetch_update(Word::kept(ring), |word| {
            let word = Entry(word);
            let left = if word.is(State::Changing) || word.is(State::Taking) && loses {
                word.turned(State::Retired)
            } else if word.is(State::Taking) {
                word.turned(State::Kept)
            } else {
                word.let_go_by(place)
            };
            if word.is_held_by(place) { left.0 } else { word.0 }
        })?;
    }
    Ok(true)
}
