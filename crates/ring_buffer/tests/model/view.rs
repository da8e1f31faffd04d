//! What a block holds at a moment, for a reader: `src/view.rs`.

use crate::bug::Bug;
use crate::layout::{ControlWord, Parts, Place, Tail, Value, Word, ring_generation};
use crate::setting::Setting;
use crate::steps::{Ask, Steps};

/// Instead of a number, where there is none.
const NONE: Value = Value::MAX;

/// Which of a block's events are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// Those of the generation that this control word names.
    Live(ControlWord),
    /// Those of a generation that is kept in a ring.
    Kept {
        /// The ring.
        ring: u8,
        /// The generation.
        generation: Value,
    },
}

/// The events of a block that are of one generation.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Where the tail was.
    pub tail: Tail,
    /// Sequence number of the page under the tail.
    pub tail_sequence: Value,
    /// Number of the first event in the page under the tail.
    pub tail_first_event: Value,
    /// Sequence number of the generation's first page.
    pub first_sequence: Value,
    /// Number of the generation's first event.
    pub first_event: Value,
    /// What the ring says of its generation.
    pub generation: Value,
    /// Pages of the ring.
    pub pages: Value,
}

impl View {
    /// The ring.
    pub fn ring(&self) -> u8 {
        self.tail.place().ring
    }

    /// What the block has of `source`: None where that is nothing.
    pub fn of(steps: &mut Steps<'_, '_>, source: Source) -> Ask<Option<View>> {
        let words = steps.stage(|steps| {
            let here = steps.here();
            loop {
                let view = match source {
                    Source::Live(control) => View::live(steps, control)?,
                    Source::Kept { ring, generation } => View::kept(steps, ring, generation)?,
                };
                match view {
                    Some(view) => return Ok(view.map_or([NONE; 7], View::words)),
                    None => steps.again(here),
                }
            }
        })?;
        Ok(View::from_words(words))
    }

    /// One attempt at a view of the ring where the tail is; None when a writer came in between.
    fn live(steps: &mut Steps<'_, '_>, control: ControlWord) -> Ask<Option<Option<View>>> {
        steps.at("View::live");
        let place = Tail(steps.load(Word::TAIL)?).place();
        let Some(view) = View::at_tail(steps, place, control.generation())? else { return Ok(None) };
        if view.is_none() || steps.has(Bug::PartsNotRead) {
            return Ok(Some(view));
        }
        let live = Parts(steps.load(Word::PARTS)?).of(control.ring());
        Ok(Some(view.filter(|view| view.ring() == live)))
    }

    /// One attempt at a view of the ring that holds a snapshot; None when a writer came in between.
    fn kept(steps: &mut Steps<'_, '_>, ring: u8, generation: Value) -> Ask<Option<Option<View>>> {
        steps.at("View::kept");
        let part = Parts(steps.load(Word::PARTS)?).of(ring);
        let place = Tail(steps.load(Word::TAIL)?).place();
        if place.ring == part && !steps.has(Bug::KeptOnlyWhenLeft) {
            return View::at_tail(steps, place, generation);
        }
        let tail = Tail(steps.load(Word::final_tail(part))?);
        if tail.place().ring != part {
            return Ok(Some(None));
        }
        let pages = steps.load(Word::pages(part))?;
        let sequence = steps.load(tail.place().sequence())?;
        Ok(Some(View::of_words(steps, (tail, pages), sequence, generation, None)?))
    }

    /// The rest of an attempt, when the tail was seen in `place`.
    fn at_tail(steps: &mut Steps<'_, '_>, place: Place, generation: Value) -> Ask<Option<Option<View>>> {
        let pages = steps.load(Word::pages(place.ring))?;
        let tail_sequence = steps.load(place.sequence())?;
        let early = match steps.has(Bug::ViewReadsBeforeSecondLook) {
            true => Some(steps.load(place.first_event())?),
            false => None,
        };
        let tail = Tail(steps.load(Word::TAIL)?);
        if tail.place() != place {
            return Ok(None);
        }
        let view = View::of_words(steps, (tail, pages), tail_sequence, generation, early)?;
        Ok(steps.equals(place.sequence(), tail_sequence)?.then_some(view))
    }

    /// A view that ends at `tail`; None where the ring has not adopted the generation, or was reset since.
    ///
    /// Adoption in the same ring stores these before it moves the tail: the first sequence number
    /// first, the generation last. Loaded the other way round, they are all of one generation, or
    /// the sequence number is after the tail's.
    fn of_words(
        steps: &mut Steps<'_, '_>,
        (tail, pages): (Tail, Value),
        tail_sequence: Value,
        wanted: Value,
        early: Option<Value>,
    ) -> Ask<Option<View>> {
        let place = tail.place();
        let tail_first_event = match early {
            Some(early) => early,
            None => steps.load(place.first_event())?,
        };
        let ring = place.ring;
        let words = [Word::generation(ring), Word::first_event(ring), Word::first_sequence(ring)];
        let order = if steps.has(Bug::ViewReadsGenerationLast) { [2, 1, 0] } else { [0, 1, 2] };
        let mut values = [0; 3];
        for index in order {
            values[index] = steps.load(words[index])?;
        }
        let [adopted, first_event, first_sequence] = values;
        let resets = match steps.has(Bug::ResetsNotRead) {
            true => adopted >> 8,
            false => steps.load(Word::resets(ring))?,
        };
        let generation = ring_generation(wanted, resets);
        let view =
            View { tail, tail_sequence, tail_first_event, first_sequence, first_event, generation, pages };
        let is_there = first_sequence > 0 && first_sequence <= tail_sequence;
        Ok((adopted == generation && is_there).then_some(view))
    }

    /// Number of the event that comes next in the block.
    pub fn end(&self) -> Value {
        self.tail_first_event + self.tail.events()
    }

    /// Where the page numbered `sequence` lies, if it is still there.
    pub fn place_of(&self, sequence: Value, setting: &Setting) -> Place {
        let pages = self.pages;
        let index = match setting.bug {
            Bug::AdoptOverTailPage => sequence.wrapping_sub(self.first_sequence) % pages,
            _ => {
                let back = self.tail_sequence.wrapping_sub(sequence) % pages;
                (Value::from(self.tail.place().index) + pages - back) % pages
            }
        };
        Place { ring: self.ring(), index: index as u8 }
    }

    /// Number of the first event of the page numbered `sequence`; None when something else is there
    /// by now.
    pub fn first_event_of(&self, steps: &mut Steps<'_, '_>, sequence: Value) -> Ask<Option<Value>> {
        let place = self.place_of(sequence, steps.setting());
        if !steps.equals(place.sequence(), sequence)? {
            return Ok(None);
        }
        let first = steps.load(place.first_event())?;
        Ok(steps.equals(place.sequence(), sequence)?.then_some(first))
    }

    /// The oldest page that is there: its number, and the number of its first event.
    pub fn oldest(&self, steps: &mut Steps<'_, '_>) -> Ask<Option<(Value, Value)>> {
        let [sequence, first] = steps.stage(|steps| {
            steps.at("View::oldest");
            let pages = self.pages;
            let oldest = self.first_sequence.max((self.tail_sequence + 1).saturating_sub(pages));
            for sequence in oldest..=self.tail_sequence {
                if let Some(first) = self.first_event_of(steps, sequence)? {
                    return Ok([sequence, first]);
                }
            }
            Ok([NONE; 2])
        })?;
        Ok((sequence != NONE).then_some((sequence, first)))
    }

    /// Number of the oldest event that is there and was not consumed.
    pub fn unread(&self, steps: &mut Steps<'_, '_>) -> Ask<Option<Value>> {
        let Some((_, oldest)) = self.oldest(steps)? else {
            return Ok(None);
        };
        steps.at("View::unread");
        Ok(Some(steps.load(Word::next_event(self.ring()))?.max(oldest)))
    }

    /// Number of the last page whose first event is not after `position`: the one that has it.
    pub fn find(&self, steps: &mut Steps<'_, '_>, position: Value) -> Ask<Option<Value>> {
        let [found] = steps.stage(|steps| {
            let Some((mut low, first)) = self.oldest(steps)? else {
                return Ok([NONE]);
            };
            if first > position && !steps.has(Bug::FindTakesOldestPage) {
                return Ok([NONE]);
            }
            steps.at("View::find");
            let mut high = self.tail_sequence;
            while low < high {
                let middle = low + (high - low).div_ceil(2);
                match self.first_event_of(steps, middle)? {
                    None => return Ok([NONE]),
                    Some(first) if first <= position => low = middle,
                    Some(_) => high = middle - 1,
                }
            }
            Ok([low])
        })?;
        Ok((found != NONE).then_some(found))
    }

    /// Units of events in the page numbered `sequence`, at most what fits a page.
    pub fn commit(&self, steps: &mut Steps<'_, '_>, sequence: Value) -> Ask<Option<Value>> {
        steps.at("View::commit");
        let by_tail = sequence == self.tail_sequence && !steps.has(Bug::HeaderOfTailPage);
        let commit = if by_tail {
            self.tail.commit()
        } else {
            let place = self.place_of(sequence, steps.setting());
            if !steps.equals(place.sequence(), sequence)? {
                return Ok(None);
            }
            steps.load(place.commit())?
        };
        Ok(Some(commit.min(steps.setting().capacity)))
    }

    /// Time stamp of the page numbered `sequence`.
    pub fn time_stamp(&self, steps: &mut Steps<'_, '_>, sequence: Value) -> Ask<Option<Value>> {
        steps.at("View::time_stamp");
        let place = self.place_of(sequence, steps.setting());
        if !steps.equals(place.sequence(), sequence)? {
            return Ok(None);
        }
        let time = steps.load(place.time_stamp())?;
        Ok(steps.equals(place.sequence(), sequence)?.then_some(time))
    }

    fn words(self) -> [Value; 7] {
        let View { tail, tail_sequence, tail_first_event, first_sequence, first_event, generation, pages } =
            self;
        [tail.0, tail_sequence, tail_first_event, first_sequence, first_event, generation, pages]
    }

    fn from_words(words: [Value; 7]) -> Option<View> {
        let [tail, tail_sequence, tail_first_event, first_sequence, first_event, generation, pages] = words;
        let tail = Tail(tail);
        let view =
            View { tail, tail_sequence, tail_first_event, first_sequence, first_event, generation, pages };
        (words != [NONE; 7]).then_some(view)
    }
}
