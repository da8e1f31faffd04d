//! Reading events without consuming them: `Buffer::read` of `src/reader.rs`.

use crate::actor::Progress;
use crate::copy::{PageCopy, Raced, check_nothing, copy};
use crate::layout::{ControlWord, Value, Word};
use crate::steps::{Ask, Steps};
use crate::view::{Source, View};

/// A reader that does not consume: it goes on from where it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reader {
    /// Calls that it still makes.
    calls: u8,
    /// Where it goes on.
    pub position: Value,
    /// Number of the first event that it got.
    pub first: Option<Value>,
    /// The snapshot to read if not what is live. Somebody holds it.
    kept: Option<Source>,
    /// Number after the newest event when the attempt began.
    end: Value,
}

impl Reader {
    /// One that makes `calls` calls of `Buffer::read`.
    pub const fn new(calls: u8) -> Reader {
        Reader { calls, position: 0, first: None, kept: None, end: 0 }
    }

    /// A reader of the existing events, which then ends.
    pub const fn of_everything() -> Reader {
        Reader::new(u8::MAX)
    }

    /// A reader of a snapshot that is held.
    pub const fn of_kept(ring: u8, generation: Value) -> Reader {
        Reader { kept: Some(Source::Kept { ring, generation }), ..Reader::of_everything() }
    }

    /// `Buffer::read`, up to where it gives something or has to begin again. What others have consumed is
    /// gone.
    pub fn attempt(&mut self, steps: &mut Steps<'_, '_>) -> Ask<Progress> {
        steps.at("read");
        if let Some(source) = self.kept {
            return self.read(steps, source);
        }
        let control = ControlWord(steps.load(Word::CONTROL)?);
        if steps.is_now() {
            self.end = steps.moment().seen_end();
        }
        self.read(steps, Source::Live(control))
    }

    fn read(&mut self, steps: &mut Steps<'_, '_>, source: Source) -> Ask<Progress> {
        let Some(view) = View::of(steps, source)? else {
            return Ok(self.end_call(steps, None));
        };
        steps.at("read");
        let consumed = steps.load(Word::next_event(view.ring()))?;
        let asked = self.position.max(view.first_event).max(consumed);
        let taken = match copy(steps, &view, asked)? {
            Err(Raced) => return Ok(self.again()),
            Ok(taken) => taken,
        };
        if let Some(taken) = &taken {
            if let Err(violation) = taken.check(steps, view.generation) {
                steps.fail(violation.law, || violation.what);
            }
            if taken.first_event != asked + taken.lost {
                steps.fail("R5", || format!("{taken:?} does not follow position {asked}"));
            }
        }
        Ok(self.end_call(steps, taken))
    }

    fn again(&mut self) -> Progress {
        self.end = 0;
        Progress::Goes
    }

    fn end_call(&mut self, steps: &mut Steps<'_, '_>, taken: Option<PageCopy>) -> Progress {
        if taken.is_none() && self.kept.is_none() {
            check_nothing(steps, self.position, self.end);
        }
        self.again();
        if let Some(taken) = taken {
            self.position = taken.next_event();
            self.first.get_or_insert(taken.first_event);
        }
        let reads_everything = self.calls == u8::MAX;
        self.calls -= u8::from(!reads_everything);
        let ends = if reads_everything { taken.is_none() } else { self.calls == 0 };
        if ends { Progress::Ends } else { Progress::Goes }
    }
}
