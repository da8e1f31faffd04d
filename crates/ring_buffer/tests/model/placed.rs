//! Looking at events where they lie: `src/placed.rs`.

use crate::bug::Bug;
use crate::event::{EntryKind, Found, TIME_EXTEND_SIZE, entry_kind, found_at};
use crate::layout::{Place, Value, Word};
use crate::steps::{Ask, Steps};
use crate::view::View;

/// The most units of an event.
const EVENT_UNITS: usize = 4;

/// A place in a block, from which events are looked at one after the other: `PlacedCursor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cursor {
    page: Place,
    sequence: Value,
    /// Units of the page up to where it was written when it was looked at.
    end: Value,
    /// The unit where the next entry starts.
    offset: Value,
    time: Value,
    /// The number of the next event.
    pub number: Value,
    last: Value,
    lost: Value,
}

/// An event where it lies: `PlacedEvent`, with what was read there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Placed {
    /// Its number.
    pub number: Value,
    /// How many before it were overwritten before they were reached.
    pub lost: Value,
    /// What is there. Anything, if it is overwritten meanwhile.
    pub found: Found,
}

impl Cursor {
    /// Before the first page.
    pub const START: Cursor = {
        let page = Place { ring: 0, index: 0 };
        Cursor { page, sequence: 0, end: 0, offset: 0, time: 0, number: 0, last: 0, lost: 0 }
    };

    /// Whether it is at an entry. If not, one has to look at the block again.
    pub fn is_at_entry(&self) -> bool {
        self.offset < self.end
    }

    /// The event at the cursor, which goes on; None where there is something else: `Buffer::entry`. Its
    /// payload is read if it `is_wanted`.
    pub fn entry(&mut self, steps: &mut Steps<'_, '_>, is_wanted: bool) -> Ask<Option<Placed>> {
        steps.at("entry");
        let rest = self.end - self.offset;
        let head = steps.load(self.page.data(self.offset))?;
        let (delta, step) = match entry_kind(head) {
            EntryKind::Data { delta, size } if size <= rest && self.number < self.last => {
                let mut units = [head; EVENT_UNITS];
                for (unit, to) in units.iter_mut().enumerate().take(usize::from(size)).skip(1) {
                    if is_wanted {
                        *to = steps.load(self.page.data(self.offset + unit as Value))?;
                    }
                }
                self.time = self.time.wrapping_add(delta);
                self.offset += size;
                self.number += 1;
                let found = found_at(&units[..usize::from(size)], self.time);
                let lost = std::mem::take(&mut self.lost);
                return Ok(Some(Placed { number: self.number - 1, lost, found }));
            }
            EntryKind::Data { .. } | EntryKind::End => (0, rest),
            EntryKind::TimeExtend(delta) => (delta, TIME_EXTEND_SIZE),
        };
        self.time = self.time.wrapping_add(delta);
        self.offset = (self.offset + step).min(self.end);
        Ok(None)
    }

    /// Before it is looked at the block again. Events that the page had and that were not found: it was
    /// overwritten.
    pub fn leave_page(&mut self) {
        self.lost += self.last - self.number;
        self.number = self.last;
    }

    /// The page that has the next event, or what was added to this one: `Buffer::turned`. None when a writer
    /// came in between.
    pub fn turned(&self, steps: &mut Steps<'_, '_>, view: &View) -> Ask<Option<Cursor>> {
        steps.at("turned");
        let consumed = steps.load(Word::next_event(view.ring()))?;
        let start = consumed.max(view.first_event);
        let is_same = match steps.has(Bug::PlacedPageByPlace) {
            true => self.page == view.tail.place() && self.sequence > 0,
            false => self.sequence == view.tail_sequence,
        };
        if is_same && start <= self.number {
            let place = view.place_of(view.tail_sequence, steps.setting());
            if steps.equals(place.sequence(), view.tail_sequence)? {
                let end = view.tail.commit().min(steps.setting().capacity);
                return Ok(Some(Cursor { end, last: view.end(), ..*self }));
            }
        }
        let Some((_, oldest)) = view.oldest(steps)? else { return Ok(None) };
        let asked = self.number.max(start);
        let wanted = asked.max(oldest);
        let Some(sequence) = view.find(steps, wanted)? else { return Ok(None) };
        let page = view.place_of(sequence, steps.setting());
        let Some(number) = view.first_event_of(steps, sequence)? else { return Ok(None) };
        let Some(end) = view.commit(steps, sequence)? else { return Ok(None) };
        let Some(time) = view.time_stamp(steps, sequence)? else { return Ok(None) };
        let last = match sequence == view.tail_sequence {
            true => Some(view.end()),
            false => view.first_event_of(steps, sequence + 1)?,
        };
        let Some(last) = last else { return Ok(None) };
        let mut found = Cursor { page, sequence, end, offset: 0, time, number, last, lost: 0 };
        while found.number < wanted && found.is_at_entry() {
            found.entry(steps, false)?;
        }
        Ok(Some(Cursor { lost: self.lost + (wanted - asked), ..found }))
    }
}
