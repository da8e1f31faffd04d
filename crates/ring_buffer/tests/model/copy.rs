//! Copying a page, while writers go on: the half of `src/reader.rs` that all readers use.

use crate::bug::Bug;
use crate::event::{Copied, Found};
use crate::ghost::violated;
use crate::layout::{DATA, Value};
use crate::steps::{Ask, Steps};
use crate::view::View;
use crate::world::Violation;

/// The most events of a page.
const PAGE_EVENTS: usize = DATA / 2;

/// Somebody else came in between.
#[derive(Debug, Clone, Copy)]
pub struct Raced;

/// Events that were copied out of a block: those of one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageCopy {
    /// Number of the first.
    pub first_event: Value,
    /// How many there are.
    pub events: Value,
    /// Events between the position that was asked for and the first one.
    pub lost: Value,
    /// They themselves.
    found: [Option<Found>; PAGE_EVENTS],
}

impl PageCopy {
    /// Number of the event after these.
    pub fn next_event(&self) -> Value {
        self.first_event + self.events
    }

    /// These are handed out under `generation`, which the reader found in the ring and in the control word.
    pub fn check(&self, steps: &Steps<'_, '_>, generation: Value) -> Result<(), Violation> {
        for (number, found) in (self.first_event..).zip(self.found.into_iter().flatten()) {
            steps.world.ghost.check(number, found, generation)?;
        }
        let ghost = &steps.world.ghost;
        let there = ghost.oldest_event(steps.world.memory);
        if self.lost > 0 && ghost.generation == generation && there < self.first_event {
            return violated("R5", || format!("{there} counts as lost and is there"));
        }
        Ok(())
    }
}

/// Copies the events from number `asked` on that are in one page, or those of the oldest page where
/// that is newer.
pub fn copy(steps: &mut Steps<'_, '_>, view: &View, asked: Value) -> Ask<Result<Option<PageCopy>, Raced>> {
    let Some((_, oldest)) = view.oldest(steps)? else {
        return Ok(Err(Raced));
    };
    let mut position = asked.max(oldest);
    for _ in 0..view.pages {
        if position >= view.end() {
            break;
        }
        let Some(sequence) = view.find(steps, position)? else {
            return Ok(Err(Raced));
        };
        let Some(page) = copy_page(steps, view, sequence)? else {
            return Ok(Err(Raced));
        };
        let skip = position.saturating_sub(page.first_event);
        let mut found = [None; PAGE_EVENTS];
        for (to, event) in found.iter_mut().zip(page.walk().skip(usize::from(skip))) {
            *to = Some(event);
        }
        let events = found.iter().flatten().count() as Value;
        if events > 0 {
            let lost = position - asked;
            return Ok(Ok(Some(PageCopy { first_event: position, events, lost, found })));
        }
        if sequence >= view.tail_sequence {
            break;
        }
        let Some(next) = view.first_event_of(steps, sequence + 1)? else {
            return Ok(Err(Raced));
        };
        position = next.max(position);
    }
    Ok(Ok(None))
}

/// Copies a page; None when it was overwritten meanwhile.
fn copy_page(steps: &mut Steps<'_, '_>, view: &View, sequence: Value) -> Ask<Option<Copied>> {
    steps.at("copy_page");
    let place = view.place_of(sequence, steps.setting());
    if !steps.equals(place.sequence(), sequence)? {
        return Ok(None);
    }
    let first_event = steps.load(place.first_event())?;
    let Some(commit) = view.commit(steps, sequence)? else {
        return Ok(None);
    };
    steps.at("copy_page");
    let mut page = Copied { first_event, commit, ..Copied::default() };
    // The copy takes the header's length along, which is not used.
    page.time_stamp = steps.load(place.time_stamp())?;
    for (unit, to) in (0..commit).zip(&mut page.data) {
        *to = steps.load(place.data(unit))?;
    }
    if !steps.has(Bug::NoLookAfterCopy) && !steps.equals(place.sequence(), sequence)? {
        return Ok(None);
    }
    Ok(Some(page))
}

/// A reader finds nothing from number `position` on. What was there before it asked,
/// up to `end`, has gone meanwhile (R6). What came after it asked it may miss.
pub fn check_nothing(steps: &mut Steps<'_, '_>, position: Value, end: Value) {
    let moment = steps.moment();
    let there = position.max(moment.unread);
    if moment.adopted && there < end {
        steps.fail("R6", || format!("number {there} was there all the time and is not found"));
    }
}
