//! Counting without counters: `src/statistics.rs`.

use crate::actor::Progress;
use crate::layout::{ControlWord, Value, Word};
use crate::moment::{Figures, Moment};
use crate::steps::{Ask, Steps};
use crate::view::{Source, View};

/// Someone who asks for the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Statistics {
    /// Calls that it still makes.
    calls: u8,
    /// The last answer, when there is one: None for a block that has not adopted the generation.
    pub answer: Option<Figures>,
    /// Units of the pages that hold events not consumed.
    pub units: Value,
    /// Time stamp of the oldest of them.
    pub oldest_time: Option<Value>,
    /// The generation that it asks about.
    generation: Value,
    /// The least and the most of each figure since it asked; None before.
    bounds: Option<(Figures, Figures)>,
}

impl Statistics {
    /// Someone who asks `calls` times.
    pub const fn new(calls: u8) -> Statistics {
        Statistics { calls, answer: None, units: 0, oldest_time: None, generation: 0, bounds: None }
    }

    /// `Buffer::count`. The counters of dropped events, which are read before, are of no interest here.
    pub fn attempt(&mut self, steps: &mut Steps<'_, '_>) -> Ask<Progress> {
        steps.at("count");
        let control = ControlWord(steps.load(Word::CONTROL)?);
        if steps.is_now() {
            self.generation = control.generation();
            self.bounds = None;
            self.observe(&steps.moment());
        }
        if let Some(view) = View::of(steps, Source::Live(control))? {
            self.count(steps, &view)?;
        }
        self.calls -= 1;
        if self.calls == 0 {
            return Ok(Progress::Ends);
        }
        *self = Statistics::new(self.calls);
        Ok(Progress::Goes)
    }

    /// The rest of it. None where something was overwritten meanwhile.
    fn count(&mut self, steps: &mut Steps<'_, '_>, view: &View) -> Ask<Option<()>> {
        let Some(unread) = view.unread(steps)? else {
            return Ok(None);
        };
        steps.at("count");
        let read = steps.load(Word::read(view.ring()))?;
        let passed = unread.saturating_sub(view.first_event);
        let answer = Figures {
            written: view.end().saturating_sub(view.first_event),
            entries: view.end().saturating_sub(unread),
            read,
            overrun: passed.saturating_sub(read),
        };
        if steps.is_now() {
            self.answer = Some(answer);
            self.check(steps, answer);
        }
        if answer.entries == 0 {
            return Ok(Some(()));
        }
        let Some(oldest) = view.find(steps, unread)? else {
            return Ok(None);
        };
        let Some(time) = view.time_stamp(steps, oldest)? else {
            return Ok(None);
        };
        let mut units = 0;
        for sequence in oldest..=view.tail_sequence {
            units += view.commit(steps, sequence)?.unwrap_or(0);
        }
        (self.units, self.oldest_time) = (units, Some(time));
        Ok(Some(()))
    }

    /// A moment of the call. A block in another generation than the one asked about counts as empty, and
    /// so may one that is about to leave it.
    pub fn observe(&mut self, moment: &Moment) {
        let same = moment.generation & 0xff == self.generation;
        let high = if same { moment.figures } else { Figures::NONE };
        let low = if same && moment.adopted { high } else { Figures::NONE };
        let (least, most) = self.bounds.get_or_insert((low, high));
        *least = least.with(low, Value::min);
        *most = most.with(high, Value::max);
    }

    /// What was written and what was read is right for some moment during the call. What lies between
    /// is computed from words of different moments, and right only when nobody writes or consumes.
    fn check(&self, steps: &mut Steps<'_, '_>, answer: Figures) {
        let Some((least, most)) = self.bounds else {
            return;
        };
        let right = (least.written..=most.written).contains(&answer.written)
            && (least.read..=most.read).contains(&answer.read);
        if !right {
            steps.fail("R5", || format!("{answer:?} is not between {least:?} and {most:?}"));
        }
    }
}
