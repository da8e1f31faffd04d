//! Reading events so that no other gets them: `Buffer::consume` of `src/reader.rs`.

use crate::actor::Progress;
use crate::bug::Bug;
use crate::copy::{PageCopy, Raced, check_nothing, copy};
use crate::ghost::violated;
use crate::layout::{ControlWord, Value, Word};
use crate::steps::{Ask, Steps};
use crate::view::{Source, View};
use crate::world::Violation;

/// A reader that consumes: what it gets, no other gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Consumer {
    /// Calls that it still makes.
    calls: u8,
    /// Number after the last event that it got.
    next: Value,
    /// Number after the newest event when the attempt began.
    end: Value,
}

impl Consumer {
    /// One that makes `calls` calls of `Buffer::consume`.
    pub const fn new(calls: u8) -> Consumer {
        Consumer { calls, next: 0, end: 0 }
    }

    /// `Buffer::try_consume`.
    pub fn attempt(&mut self, steps: &mut Steps<'_, '_>) -> Ask<Progress> {
        steps.at("try_consume");
        let control = ControlWord(steps.load(Word::CONTROL)?);
        if steps.is_now() {
            self.end = steps.moment().seen_end();
        }
        let Some(view) = View::of(steps, Source::Live(control))? else {
            return Ok(self.end_call(steps, false));
        };
        steps.at("try_consume");
        let next_event = steps.load(Word::next_event(view.ring()))?;
        let read = steps.load(Word::read(view.ring()))?;
        let taken = match copy(steps, &view, next_event.max(view.first_event))? {
            Err(Raced) => return Ok(self.again()),
            Ok(None) => return Ok(self.end_call(steps, false)),
            Ok(Some(taken)) => taken,
        };
        let new = (taken.next_event(), read + taken.events);
        if !move_reader(steps, view.ring(), (next_event, read), new)? {
            return Ok(self.again());
        }
        if let Err(violation) = self.take(steps, &taken, view.generation) {
            steps.fail(violation.law, || violation.what);
        }
        Ok(self.end_call(steps, true))
    }

    fn take(
        &mut self,
        steps: &mut Steps<'_, '_>,
        taken: &PageCopy,
        generation: Value,
    ) -> Result<(), Violation> {
        taken.check(steps, generation)?;
        if taken.first_event < self.next {
            return violated("R8", || format!("{taken:?} is not after number {}", self.next));
        }
        self.next = taken.next_event();
        (taken.first_event..self.next).try_for_each(|number| steps.world.ghost.consume(number))
    }

    fn again(&mut self) -> Progress {
        self.end = 0;
        Progress::Goes
    }

    fn end_call(&mut self, steps: &mut Steps<'_, '_>, taken: bool) -> Progress {
        if !taken {
            check_nothing(steps, 0, self.end);
        }
        self.again();
        self.calls -= 1;
        if self.calls == 0 { Progress::Ends } else { Progress::Goes }
    }
}

/// Moves the position of the consuming readers, if it is where the caller has seen it.
pub fn move_reader(
    steps: &mut Steps<'_, '_>,
    ring: u8,
    expected: (Value, Value),
    new: (Value, Value),
) -> Ask<bool> {
    steps.at("move_reader");
    let word = Word::next_event(ring);
    if steps.has(Bug::ConsumeByStores) {
        if !steps.equals(word, expected.0)? {
            return Ok(false);
        }
        steps.store(word, new.0)?;
        steps.store(word.next(), new.1)?;
        return Ok(true);
    }
    steps.compare_exchange_pair(word, expected, new)
}
