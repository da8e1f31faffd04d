//! What a block holds at a moment, for a reader: `src/view.rs`.

use crate::bug::Bug;
use crate::layout::{Control, Place, Tail, Value, Word};
use crate::setting::Setting;
use crate::steps::{Ask, Steps};

/// Instead of a number, where there is none.
const NONE: Value = Value::MAX;

/// The live events of a block.
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
}

impl View {
    /// The ring.
    pub fn ring(&self) -> u8 {
        self.tail.place().ring
    }

    /// The live view under `control`: None where the block has not adopted that generation.
    pub fn of(steps: &mut Steps<'_, '_>, control: Control) -> Ask<Option<View>> {
        let words = steps.stage(|steps| {
            let here = steps.here();
            loop {
                match View::attempt(steps, control)? {
                    Some(view) => return Ok(view.map_or([NONE; 5], View::words)),
                    None => steps.again(here),
                }
            }
        })?;
        Ok(View::from_words(words))
    }

    /// One attempt; None when a writer came in between.
    fn attempt(steps: &mut Steps<'_, '_>, control: Control) -> Ask<Option<Option<View>>> {
        steps.at("View::attempt");
        let place = Tail(steps.load(Word::TAIL)?).place();
        let tail_sequence = steps.load(place.sequence())?;
        let early = match steps.has(Bug::ViewReadsBeforeSecondLook) {
            true => Some(steps.load(place.first_event())?),
            false => None,
        };
        let tail = Tail(steps.load(Word::TAIL)?);
        if tail.place() != place {
            return Ok(None);
        }
        let tail_first_event = match early {
            Some(early) => early,
            None => steps.load(place.first_event())?,
        };
        // Adoption in the same ring stores these before it moves the tail: the first sequence number
        // first, the generation last. Loaded the other way round, they are all of one generation, or
        // the sequence number is behind the tail's.
        let words =
            [Word::generation(place.ring), Word::first_event(place.ring), Word::first_sequence(place.ring)];
        let order = if steps.has(Bug::ViewReadsGenerationLast) { [2, 1, 0] } else { [0, 1, 2] };
        let mut values = [0; 3];
        for index in order {
            values[index] = steps.load(words[index])?;
        }
        let [generation, first_event, first_sequence] = values;
        if !steps.equals(place.sequence(), tail_sequence)? {
            return Ok(None);
        }
        let view = View { tail, tail_sequence, tail_first_event, first_sequence, first_event };
        let adopted =
            generation == control.generation() && first_sequence > 0 && first_sequence <= tail_sequence;
        Ok(Some(adopted.then_some(view)))
    }

    /// What a ring holds of `generation`, after the tail has left it. There is no code for this yet; it
    /// shows that the ring's words are what such code needs. They may be those of a later generation
    /// that somebody has begun to adopt there: then there is nothing.
    pub fn kept(steps: &mut Steps<'_, '_>, ring: u8, generation: Value) -> Ask<Option<View>> {
        steps.at("View::kept");
        let adopted = steps.load(Word::generation(ring))? == generation;
        let tail = Tail(steps.load(Word::final_tail(ring))?);
        let view = View {
            tail,
            tail_sequence: steps.load(tail.place().sequence())?,
            tail_first_event: steps.load(tail.place().first_event())?,
            first_sequence: steps.load(Word::first_sequence(ring))?,
            first_event: steps.load(Word::first_event(ring))?,
        };
        Ok((adopted && view.first_sequence <= view.tail_sequence).then_some(view))
    }

    /// Number of the event that comes next in the block.
    pub fn end(&self) -> Value {
        self.tail_first_event + self.tail.events()
    }

    /// Where the page numbered `sequence` lies, if it is still there.
    pub fn place_of(&self, sequence: Value, setting: &Setting) -> Place {
        let pages = Value::from(setting.pages);
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
            let pages = Value::from(steps.setting().pages);
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

    /// Number of the last page whose first event is not behind `position`: the one that has it.
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

    fn words(self) -> [Value; 5] {
        let View { tail, tail_sequence, tail_first_event, first_sequence, first_event } = self;
        [tail.0, tail_sequence, tail_first_event, first_sequence, first_event]
    }

    fn from_words(words: [Value; 5]) -> Option<View> {
        let [tail, tail_sequence, tail_first_event, first_sequence, first_event] = words;
        let tail = Tail(tail);
        let view = View { tail, tail_sequence, tail_first_event, first_sequence, first_event };
        (words != [NONE; 5]).then_some(view)
    }
}
