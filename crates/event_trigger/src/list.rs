//! The triggers of an event as a list of words, newest first, see [`abi::control::TriggerHead`].

use crate::action::Action;
use abi::control::{CounterRef, MOST_TRIGGERS, TriggerHead};
use core::ops::Range;
use event_filter::{Context, Words, evaluate};

/// A trigger in a list of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// What it does.
    pub action: &'static Action,
    /// The id of the event to which it does that, for an action that has a target; else 0.
    pub target: u16,
    /// More about what it does, where there is more.
    pub detail: u8,
    /// How often it may still act.
    pub counter: CounterRef,
    /// Bytes of its filter's text; 0 for one without a filter.
    pub text_len: usize,
    /// Its filter's program among the words.
    program: Range<usize>,
    /// Its filter's text among the words, and so where it ends.
    text: Range<usize>,
}

impl Trigger {
    /// Which of its words says how often it may act.
    pub const COUNTER: usize = 1;

    /// Words before the program.
    const FIXED: usize = 2;

    /// The one at `at`. None after the last, and for what is none.
    fn at(words: &(impl Words + ?Sized), at: usize) -> Option<Trigger> {
        let head = TriggerHead::decode(words.word(at)?);
        let program = at + Trigger::FIXED..at + Trigger::FIXED + usize::from(head.program);
        let text = program.end..program.end + usize::from(head.text).div_ceil(8);
        Some(Trigger {
            action: Action::of_code(head.action)?,
            target: head.target,
            detail: head.detail,
            counter: CounterRef(words.word(at + Trigger::COUNTER)?),
            text_len: usize::from(head.text),
            program,
            text,
        })
    }

    /// All of them, newest first.
    pub fn all<W: Words + ?Sized>(words: &W) -> impl Iterator<Item = Trigger> {
        let mut next = 0;
        let all = core::iter::from_fn(move || {
            let found = Trigger::at(words, next)?;
            next = found.text.end;
            Some(found)
        });
        all.take(MOST_TRIGGERS)
    }

    /// Whether an event that has this trigger can't have one that does `action` to `target`, and which of its
    /// triggers is removed when that is to be.
    pub fn excludes(&self, action: &Action, target: u16) -> bool {
        self.action.excludes(action) && self.target == target
    }

    /// The words that it takes in the list.
    pub fn words(&self) -> Range<usize> {
        self.program.start - Trigger::FIXED..self.text.end
    }

    /// The words before the program and text of one that does `action` to `target`; with the sizes of both,
    /// in words and bytes.
    pub fn head(action: &Action, target: u16, counter: CounterRef, program: usize, text: usize) -> [u64; 2] {
        Trigger::detailed_head(action, (target, 0), counter, program, text)
    }

    /// [`Trigger::head`] of one with a detail.
    pub fn detailed_head(
        action: &Action,
        (target, detail): (u16, u8),
        counter: CounterRef,
        program: usize,
        text: usize,
    ) -> [u64; 2] {
        let (program, text) = (program as u16, text as u16);
        let head = TriggerHead { action: action.code, detail, target, program, text };
        [head.encode(), counter.0]
    }

    /// The words of its filter's text among those of the list.
    pub fn text(&self) -> Range<usize> {
        self.text.clone()
    }

    /// Whether it has a filter.
    pub(crate) fn is_filtered(&self) -> bool {
        !self.program.is_empty()
    }

    /// Whether it acts for a record.
    pub(crate) fn is_due(
        &self,
        words: &(impl Words + ?Sized),
        record: &[u8],
        context: &impl Context,
    ) -> bool {
        !self.is_filtered() || evaluate(&FilterWords { words, range: self.program.clone() }, record, context)
    }
}

/// The words of a list that are one trigger's program.
struct FilterWords<'a, W: ?Sized> {
    words: &'a W,
    range: Range<usize>,
}

impl<W: Words + ?Sized> Words for FilterWords<'_, W> {
    #[inline]
    fn word(&self, index: usize) -> Option<u64> {
        let at = self.range.start.checked_add(index).filter(|at| *at < self.range.end)?;
        self.words.word(at)
    }
}
