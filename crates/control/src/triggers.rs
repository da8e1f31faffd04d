//! Triggers: what is done when an event happens, be it on or not.
//!
//! All triggers of an event in an instance are one list of words (see [`abi::control::TriggerHead`]). Who
//! changes one has the session's lock, stores a new list where [filters](crate::FilterRoom) are, and gives it
//! to the event by one store. Who has an event copies what is due out of the list, and acts once he has seen
//! that it still was the event's.
//!
//! How often a trigger may still act is in a counter that all processes share: see `counters.rs`.

use crate::area::ControlArea;
use crate::extension::InstanceWords;
use crate::filters::StoredFilter;
use abi::control::{CounterRef, EVENTS, MOST_TRIGGERS, TRIGGERING_OFFSET, TriggerHead};
use abi::instance::RECORDING;
use core::ffi::CStr;
use core::ops::Range;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Relaxed, Release};
use event_filter::{Context, Words, evaluate};
use shm::Errno;

/// What a trigger does, in its instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Recording goes on.
    TraceOn,
    /// Recording stops.
    TraceOff,
    /// What has been recorded is kept.
    Snapshot,
    /// The thread's stack is recorded.
    Stacktrace,
    /// Another event is switched on.
    EnableEvent(u16),
    /// Another event is switched off.
    DisableEvent(u16),
}

impl Action {
    /// The number that it has in a list, and its event's.
    const fn encode(self) -> (u8, u16) {
        match self {
            Action::TraceOn => (1, 0),
            Action::TraceOff => (2, 0),
            Action::Snapshot => (3, 0),
            Action::EnableEvent(event) => (4, event),
            Action::DisableEvent(event) => (5, event),
            Action::Stacktrace => (6, 0),
        }
    }

    /// What a number stands for. None for one that stands for nothing.
    const fn decode(number: u8, event: u16) -> Option<Action> {
        Some(match number {
            1 => Action::TraceOn,
            2 => Action::TraceOff,
            3 => Action::Snapshot,
            4 => Action::EnableEvent(event),
            5 => Action::DisableEvent(event),
            6 => Action::Stacktrace,
            _ => return None,
        })
    }

    /// Whether it has to see the record written, as in the kernel.
    const fn is_after(self) -> bool {
        matches!(self, Action::TraceOff | Action::Snapshot | Action::Stacktrace)
    }

    /// The event that it does something to.
    pub const fn target(self) -> Option<u16> {
        match self {
            Action::EnableEvent(event) | Action::DisableEvent(event) => Some(event),
            _ => None,
        }
    }
}

/// A trigger in a list of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// What it does.
    pub action: Action,
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
    /// Words before the program.
    const FIXED: usize = 2;

    /// The one at `at`. None behind the last, and for what is none.
    fn at(words: &(impl Words + ?Sized), at: usize) -> Option<Trigger> {
        let head = TriggerHead::decode(words.word(at)?);
        let program = at + Trigger::FIXED..at + Trigger::FIXED + usize::from(head.program);
        let text = program.end..program.end + usize::from(head.text).div_ceil(8);
        Some(Trigger {
            action: Action::decode(head.action, head.target)?,
            counter: CounterRef(words.word(at + 1)?),
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

    /// The words that it takes in the list.
    pub fn words(&self) -> Range<usize> {
        self.program.start - Trigger::FIXED..self.text.end
    }

    /// The words before the program and text of one that does `action`.
    pub fn head(action: Action, counter: CounterRef, program: usize, text: usize) -> [u64; 2] {
        let (number, target) = action.encode();
        let head = TriggerHead { action: number, target, program: program as u16, text: text as u16 };
        [head.encode(), counter.0]
    }

    /// The words of its filter's text among those of the list.
    pub fn text(&self) -> Range<usize> {
        self.text.clone()
    }

    /// Whether it acts for a record.
    fn is_due(&self, words: &(impl Words + ?Sized), record: &[u8], context: &impl Context) -> bool {
        self.program.is_empty() || evaluate(&Part { words, range: self.program.clone() }, record, context)
    }
}

/// A list in the file. Everything in it may change at any moment.
pub(crate) struct List<'a>(pub(crate) &'a [AtomicU64]);

impl Words for List<'_> {
    #[inline]
    fn word(&self, index: usize) -> Option<u64> {
        self.0.get(index).map(|word| word.load(Relaxed))
    }
}

/// Some of the words of a list.
struct Part<'a, W: ?Sized> {
    words: &'a W,
    range: Range<usize>,
}

impl<W: Words + ?Sized> Words for Part<'_, W> {
    #[inline]
    fn word(&self, index: usize) -> Option<u64> {
        let at = self.range.start.checked_add(index).filter(|at| *at < self.range.end)?;
        self.words.word(at)
    }
}

/// The triggers of an event that act for a record.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// Whether they have to know the record, or that it is written: the kernel's `TRIGGER_COND`.
    pub is_conditional: bool,
    len: usize,
    due: [(u8, u16, CounterRef); MOST_TRIGGERS],
}

impl Due {
    const NONE: Due =
        Due { is_conditional: false, len: 0, due: [(0, 0, CounterRef::UNLIMITED); MOST_TRIGGERS] };

    /// Those that act before the record is written, newest first: which switch events, and `traceon` where
    /// none has to know the record.
    pub fn before(&self) -> impl Iterator<Item = (Action, CounterRef)> {
        self.all().filter(|(action, _)| !self.is_late(*action))
    }

    /// Those that act once it is written, or isn't, newest first.
    pub fn after(&self) -> impl Iterator<Item = (Action, CounterRef)> {
        self.all().filter(|(action, _)| self.is_late(*action))
    }

    fn is_late(&self, action: Action) -> bool {
        action.is_after() || action == Action::TraceOn && self.is_conditional
    }

    fn all(&self) -> impl Iterator<Item = (Action, CounterRef)> {
        let due = self.due.iter().take(self.len);
        due.filter_map(|(number, event, counter)| Some((Action::decode(*number, *event)?, *counter)))
    }

    fn add(&mut self, trigger: &Trigger) {
        if let Some(place) = self.due.get_mut(self.len) {
            let (number, event) = trigger.action.encode();
            *place = (number, event, trigger.counter);
            self.len += 1;
        }
    }
}

impl ControlArea {
    /// Gives an event other triggers in an instance, or none. Traced processes see it at once. Only for who
    /// has the session's lock, and has [reserved](ControlArea::reserve_triggers) memory.
    pub fn set_triggers(&self, id: u16, instance: usize, list: Option<StoredFilter>) {
        let Some(word) = self.trigger_word(id, instance) else { return };
        match list {
            Some(list) => {
                word.store(list.0, Release);
                self.set_triggered(id, instance, true);
            }
            // The word of one that has none may have no memory.
            None if self.has_triggers(id, instance) => {
                // First: who is killed behind it leaves an event that is looked at and has none.
                word.store(0, Release);
                self.set_triggered(id, instance, false);
            }
            None => {}
        }
    }

    /// Gives memory to where an event's triggers in an instance are entered, in this file, which is at
    /// `path`. Errors: what fallocate(2) says.
    pub fn reserve_triggers(&self, path: &CStr, id: u16, instance: usize) -> Result<(), Errno> {
        let start = u64::from(id) * 8;
        self.reserve_words(path, instance, InstanceWords::Triggering, start..start + 8)
    }

    /// Whether an event has triggers in an instance.
    pub fn has_triggers(&self, id: u16, instance: usize) -> bool {
        self.switched(id).triggered.contains(instance)
    }

    /// The words of an event's triggers in an instance, in `buffer`. None where there are none.
    pub fn trigger_words<'a>(&self, id: u16, instance: usize, buffer: &'a mut [u64]) -> Option<&'a [u64]> {
        let word = self.trigger_word(id, instance).filter(|_| self.has_triggers(id, instance))?;
        let len = self.read_filter(word, |word| {
            let list = self.stored_words(word)?.iter();
            Some(buffer.iter_mut().zip(list).map(|(to, word)| *to = word.load(Relaxed)).count())
        })?;
        buffer.get(..len)
    }

    /// Which of an event's triggers act for a record of it in an instance. The record is the whole payload,
    /// from the common fields on.
    ///
    /// Async-signal-safe. It costs some loads, and for each trigger with a filter what [`evaluate`] says.
    pub fn due(&self, instance: usize, record: &[u8], context: &impl Context) -> Due {
        let id = record.first_chunk().map_or(0, |bytes| u16::from_le_bytes(*bytes));
        let mut due = Due::NONE;
        let Some(word) = self.trigger_word(id, instance) else { return due };
        // Filled where it is: it is too large to be handed about.
        let is_whole = self.read_filter(word, |word| {
            (due.len, due.is_conditional) = (0, false);
            let list = List(self.stored_words(word)?);
            for trigger in Trigger::all(&list) {
                due.is_conditional |= trigger.action.is_after() || !trigger.program.is_empty();
                if trigger.is_due(&list, record, context) {
                    due.add(&trigger);
                }
            }
            Some(())
        });
        if is_whole.is_some() { due } else { Due::NONE }
    }

    #[inline]
    fn trigger_word(&self, id: u16, instance: usize) -> Option<&AtomicU64> {
        match instance {
            RECORDING => self.fixed::<TRIGGERING_OFFSET, AtomicU64, EVENTS>().get(usize::from(id)),
            _ => self.extension_words(instance, InstanceWords::Triggering)?.get(usize::from(id)),
        }
    }

    /// The words that say where there are triggers.
    pub(crate) fn trigger_lists(&self) -> impl Iterator<Item = &AtomicU64> {
        self.event_ids().flat_map(move |id| {
            let instances = self.switched(id).triggered.iter();
            instances.filter_map(move |instance| self.trigger_word(id, instance))
        })
    }
}
