//! Rings that a holder removes from use and puts back: `src/spare.rs`, without visits.

use crate::bug::Bug;
use crate::ghost::violated;
use crate::layout::{ControlWord, HOLDERS, Parts, Tail, Value, Word};
use crate::parts::rely_on_parts;
use crate::pool::{Entry, State, take_over};
use crate::prepare::look;
use crate::steps::{Ask, Steps};

/// Who changes the pool.
#[derive(Debug, Clone, Copy)]
pub struct Who {
    /// The actor.
    pub me: u8,
    /// Its place among the holders.
    pub place: u8,
}

/// A ring that was taken.
#[derive(Debug, Clone, Copy)]
pub struct PageCopy {
    /// Which.
    pub ring: u8,
    /// Its word before.
    pub before: Entry,
    place: u8,
}

impl PageCopy {
    /// A ring that `who` has taken when its word was `before`.
    pub fn of(ring: u8, before: Entry, who: Who) -> PageCopy {
        PageCopy { ring, before, place: who.place }
    }

    /// Its word while it is taken.
    pub fn changing(&self) -> Entry {
        self.before.turned(State::Changing).held_by(self.place)
    }
}

/// `Holder::take`: takes a ring that is in one of `states`.
pub fn take(steps: &mut Steps<'_, '_>, who: Who, ring: u8, states: &[State]) -> Ask<Option<PageCopy>> {
    steps.at("take");
    let mut before = Entry(steps.load(Word::kept(ring))?);
    if before.is(State::Changing) || before.is(State::Taking) {
        for place in (0..HOLDERS as u8).filter(|place| before.is_held_by(*place)) {
            take_over(steps, place, who.me)?;
        }
        steps.at("take");
        before = Entry(steps.load(Word::kept(ring))?);
    }
    if !states.iter().any(|state| before.is(*state)) {
        return Ok(None);
    }
    if ControlWord(steps.load(Word::CONTROL)?).ring() == ring {
        return Ok(None);
    }
    let taken = PageCopy::of(ring, before, who);
    let free = steps.compare_exchange(Word::kept(ring), before.0, taken.changing().0)?;
    Ok(free.then_some(taken))
}

/// `Holder::put`.
pub fn put(steps: &mut Steps<'_, '_>, taken: PageCopy, after: Entry) -> Ask<()> {
    steps.at("put");
    steps.compare_exchange(Word::kept(taken.ring), taken.changing().0, after.0)?;
    Ok(())
}

/// What is known of the writers of a ring that was taken: `Holder::count_without_proof`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writers {
    /// It is live, or was since it was taken.
    Live,
    /// There may be some.
    MayBe,
    /// There are none.
    Gone,
}

/// `Holder::own`. `mistakes` are not to make others begin again, and not to look at the parts.
pub fn own(steps: &mut Steps<'_, '_>, taken: PageCopy, mistakes: [Bug; 2]) -> Ask<Option<ControlWord>> {
    let [no_epoch, does_not_look] = mistakes;
    steps.at("own");
    if !steps.has(no_epoch) {
        steps.fetch_update(Word::CONTROL, |control| ControlWord(control).next_epoch().0)?;
    }
    let control = ControlWord(steps.load(Word::CONTROL)?);
    if control.ring() == taken.ring {
        return Ok(None);
    }
    let by_control = steps.has(Bug::OwnedByControlAlone);
    if !by_control && !steps.equals(Word::kept(taken.ring), taken.changing().0)? {
        return Ok(None);
    }
    rely_on_parts(steps, control, taken.ring, does_not_look)?;
    if steps.is_now()
        && let Err(violation) = steps.world.ghost.change(taken.ring)
    {
        steps.fail(violation.law, || violation.what);
    }
    Ok(Some(control))
}

/// Whether nobody stores to a ring any more. The last access shows it.
pub fn writers(steps: &mut Steps<'_, '_>, taken: PageCopy) -> Ask<Writers> {
    if own(steps, taken, [Bug::NoEpochAtRelease, Bug::ChangerDoesNotLook])?.is_none() {
        return Ok(Writers::Live);
    }
    steps.at("without_proof");
    let part = Parts(steps.load(Word::PARTS)?).of(taken.ring);
    let gone = steps.equals(Word::pages(part), 0)? || has_left(steps, taken.ring, part)?;
    Ok(if gone { Writers::Gone } else { Writers::MayBe })
}

/// `Buffer::has_left`.
fn has_left(steps: &mut Steps<'_, '_>, ring: u8, part: u8) -> Ask<bool> {
    steps.at("has_left");
    if steps.has(Bug::LeftByTailAlone) {
        return Ok(Tail(steps.load(Word::TAIL)?).place().ring != part);
    }
    let control = ControlWord(steps.load(Word::CONTROL)?);
    if control.ring() == ring {
        return Ok(false);
    }
    match look(steps, control)? {
        Some(seen) => seen.has_adopted(steps),
        None => Ok(false),
    }
}

/// `Holder::release`, for one ring: one attempt, which is all.
pub fn release(steps: &mut Steps<'_, '_>, who: Who, ring: u8) -> Ask<bool> {
    let Some(taken) = take(steps, who, ring, &[State::Spare, State::Retired])? else { return Ok(true) };
    let writers = writers(steps, taken)?;
    if writers == Writers::Gone && steps.is_now() {
        let part = Parts(steps.world.memory.get(Word::PARTS)).of(ring);
        steps.world.ghost.take_memory(part);
    }
    let state = match writers {
        Writers::Live => State::Spare,
        Writers::MayBe => State::Retired,
        Writers::Gone => {
            set_pages(steps, ring, 0, 0)?;
            State::Absent
        }
    };
    put(steps, taken, taken.before.turned(state))?;
    Ok(true)
}

/// `Holder::equip` and `Buffer::set_size`, `Holder::unequip`.
pub fn set_pages(steps: &mut Steps<'_, '_>, ring: u8, pages: Value, size: Value) -> Ask<()> {
    steps.at("equip");
    steps.store(Word::size(ring), 0)?;
    let part = Parts(steps.load(Word::PARTS)?).of(ring);
    steps.store(Word::pages(part), pages)?;
    if steps.is_now() {
        let tail = Tail(steps.world.memory.get(Word::TAIL)).place();
        if tail.ring == part {
            steps.fail("R17", || format!("ring {part} gets {pages} pages, with the tail in it"));
        }
        if pages > 0 {
            steps.world.ghost.give_memory(part);
        }
    }
    if size > 0 {
        steps.store(Word::size(ring), size)?;
    }
    Ok(())
}

/// R15: nobody stores to memory that was taken away.
pub fn check_memory(steps: &mut Steps<'_, '_>, word: Word) {
    let gone = word.page_of().is_some_and(|ring| steps.world.ghost.is_gone(ring));
    if gone && let Err(violation) = violated::<()>("R15", || format!("{word} has no memory any more")) {
        steps.fail(violation.law, || violation.what);
    }
}
