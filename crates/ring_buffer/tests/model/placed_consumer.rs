//! Consuming events that were looked at where they lie: `Buffer::next_placed`, `Buffer::unread` and
//! `Buffer::consume_to`, as `Consumer` of the crate `ktrace` calls them.

use crate::actor::Progress;
use crate::bug::Bug;
use crate::consumer::move_reader;
use crate::copy::check_nothing;
use crate::ghost::violated;
use crate::layout::{ControlWord, Value, Word};
use crate::placed::{Cursor, Placed};
use crate::steps::{Ask, Steps};
use crate::view::{Source, View};
use crate::world::Violation;

/// The most events that one looks at before it says how far it has come.
const MOST: usize = 4;

/// A consumer that looks at events first, and then says how far it has come. When it is killed another one
/// begins where it has said that it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlacedConsumer {
    /// How often it still says how far it has come.
    rounds: u8,
    /// How many events it looks at before each time.
    most: u8,
    cursor: Cursor,
    /// What it has looked at since the last time.
    seen: [Option<Placed>; MOST],
    /// Number after the last event that it has looked at.
    next: Value,
    /// Number after the newest event when it looked at the block.
    end: Value,
    /// Whether it is to say how far it has come.
    puts: bool,
    /// The first number that was whole, with [`Bug::PlacedWholeByFirstLook`].
    early: Option<Value>,
}

/// What the block has for it: `Unread`, and the generation.
#[derive(Debug, Clone, Copy)]
struct Unread {
    start: Value,
    oldest: Value,
    end: Value,
    generation: Value,
}

impl PlacedConsumer {
    /// One that says `rounds` times how far it has come, each time after up to `most` events.
    pub const fn new(rounds: u8, most: u8) -> PlacedConsumer {
        let (cursor, seen) = (Cursor::START, [None; MOST]);
        PlacedConsumer { rounds, most, cursor, seen, next: 0, end: 0, puts: false, early: None }
    }

    /// Who begins when it was killed. It knows nothing but what is in the buffer.
    pub fn restarted(self, bug: Bug) -> PlacedConsumer {
        let cursor = if bug == Bug::PlacedCursorOutlivesItsOwner { self.cursor } else { Cursor::START };
        PlacedConsumer { cursor, ..PlacedConsumer::new(self.rounds, self.most) }
    }

    /// The next step of `Buffer::next_placed`, or a call of `Consumer::put_consumed`.
    pub fn attempt(&mut self, steps: &mut Steps<'_, '_>) -> Ask<Progress> {
        if self.puts {
            return self.put(steps);
        }
        if !self.cursor.is_at_entry() {
            return self.turn(steps);
        }
        let mut cursor = self.cursor;
        let event = cursor.entry(steps, true)?;
        self.cursor = cursor;
        if let Some(event) = event {
            self.look_at(event, steps);
        }
        Ok(Progress::Goes)
    }

    fn look_at(&mut self, event: Placed, steps: &mut Steps<'_, '_>) {
        if event.number < self.next {
            let next = self.next;
            steps.fail("R8", || format!("number {} again, after number {next}", event.number));
        }
        self.next = event.number + 1;
        let free = self.seen.iter_mut().find(|seen| seen.is_none());
        *free.expect("no more than it looks at") = Some(event);
        self.puts = self.seen.iter().flatten().count() == usize::from(self.most);
    }

    /// `Buffer::turn`, once.
    fn turn(&mut self, steps: &mut Steps<'_, '_>) -> Ask<Progress> {
        steps.at("turn");
        let mut cursor = self.cursor;
        cursor.leave_page();
        let control = ControlWord(steps.load(Word::CONTROL)?);
        if steps.is_now() {
            self.end = steps.moment().seen_end();
        }
        let Some(view) = View::of(steps, Source::Live(control))? else {
            return Ok(self.finds_nothing(cursor, steps));
        };
        let Some(found) = cursor.turned(steps, &view)? else {
            self.cursor = cursor;
            return Ok(Progress::Goes);
        };
        if steps.has(Bug::PlacedWholeByFirstLook) {
            self.early.get_or_insert(found.number);
        }
        if !found.is_at_entry() {
            return Ok(self.finds_nothing(found, steps));
        }
        self.cursor = found;
        Ok(Progress::Goes)
    }

    fn finds_nothing(&mut self, cursor: Cursor, steps: &mut Steps<'_, '_>) -> Progress {
        check_nothing(steps, cursor.number, self.end);
        self.cursor = cursor;
        self.puts = true;
        Progress::Goes
    }

    /// `Consumer::put_consumed` for the cursor's position, once.
    fn put(&mut self, steps: &mut Steps<'_, '_>) -> Ask<Progress> {
        let Some(mut unread) = PlacedConsumer::unread(steps)? else {
            return Ok(self.end_round());
        };
        let to = self.cursor.number;
        if to > unread.end {
            steps.fail("R5", || format!("position {to} was seen, and {unread:?}"));
            return Ok(self.end_round());
        }
        if let Some(early) = self.early {
            unread.oldest = early.max(unread.start);
        }
        let lost = unread.oldest.min(to).saturating_sub(unread.start);
        match consume_to(steps, (unread.start, to), lost)? {
            None => return Ok(Progress::Goes),
            Some(is_moved) => {
                if let Err(violation) = self.has(unread, is_moved.then_some(to), steps) {
                    steps.fail(violation.law, || violation.what);
                }
            }
        }
        Ok(self.end_round())
    }

    /// `Buffer::unread`.
    fn unread(steps: &mut Steps<'_, '_>) -> Ask<Option<Unread>> {
        steps.at("unread");
        let control = ControlWord(steps.load(Word::CONTROL)?);
        let Some(view) = View::of(steps, Source::Live(control))? else { return Ok(None) };
        steps.at("unread");
        let start = steps.load(Word::next_event(view.ring()))?.max(view.first_event);
        let oldest = view.oldest(steps)?.map_or(view.end(), |(_, oldest)| oldest);
        let (oldest, end, generation) = (oldest.max(start), view.end(), view.generation);
        Ok(Some(Unread { start, oldest, end, generation }))
    }

    /// What it has looked at and that was not overwritten by then is whole (R4, R5); if it has said `to`,
    /// it has had all of those before that (R6), and nobody else has (R8).
    fn has(&self, unread: Unread, to: Option<Value>, steps: &mut Steps<'_, '_>) -> Result<(), Violation> {
        for seen in self.seen.iter().flatten().filter(|seen| seen.number >= unread.oldest) {
            steps.world.ghost.check(seen.number, seen.found, unread.generation)?;
        }
        for number in unread.oldest..to.unwrap_or(0) {
            if !self.seen.iter().flatten().any(|seen| seen.number == number) {
                return violated("R6", || format!("number {number} is consumed and was never seen"));
            }
            steps.world.ghost.consume(number)?;
        }
        Ok(())
    }

    fn end_round(&mut self) -> Progress {
        (self.seen, self.puts, self.early) = ([None; MOST], false, None);
        self.rounds -= 1;
        if self.rounds == 0 { Progress::Ends } else { Progress::Goes }
    }
}

/// `Buffer::consume_to`: None for `Moved`, else whether anything was consumed.
fn consume_to(steps: &mut Steps<'_, '_>, (start, to): (Value, Value), lost: Value) -> Ask<Option<bool>> {
    steps.at("consume_to");
    let control = ControlWord(steps.load(Word::CONTROL)?);
    let Some(view) = View::of(steps, Source::Live(control))? else { return Ok(None) };
    steps.at("consume_to");
    let next_event = steps.load(Word::next_event(view.ring()))?;
    let read = steps.load(Word::read(view.ring()))?;
    if next_event.max(view.first_event) != start && !steps.has(Bug::PlacedStartNotChecked) {
        return Ok(None);
    }
    let Some(count) = to.checked_sub(start).filter(|count| *count > 0 && to <= view.end()) else {
        return Ok(Some(false));
    };
    let new = (to, read + count.saturating_sub(lost));
    Ok(move_reader(steps, view.ring(), (next_event, read), new)?.then_some(true))
}
