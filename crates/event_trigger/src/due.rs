//! Which triggers of an event act for a record, and when.

use crate::action::{Action, Effect, Order};
use crate::list::Trigger;
use crate::rate::error_in;
use abi::control::{CounterRef, MOST_TRIGGERS};
use event_filter::{Context, Words};

/// The triggers of an event that act for a record.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// Whether they have to know the record, or that it is written: the kernel's `TRIGGER_COND`.
    pub is_conditional: bool,
    len: usize,
    due: [DueWords; MOST_TRIGGERS],
}

/// Action, detail, target, error and counter of one.
type DueWords = (u8, u8, u16, u16, CounterRef);

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueAction {
    /// What it does.
    pub action: &'static Action,
    /// The id of the event to which it does that, for an action that has a target.
    pub target: u16,
    /// More about what it does, where there is more.
    pub detail: u8,
    /// The error that the record has, for an action that counts errors.
    pub error: u16,
    /// How often it may still act.
    pub counter: CounterRef,
}

impl DueAction {
    /// The action of this code. None for a code that none has.
    pub fn new(code: u8, target: u16, counter: CounterRef) -> Option<DueAction> {
        Some(DueAction { action: Action::of_code(code)?, target, detail: 0, error: 0, counter })
    }
}

impl Due {
    /// No trigger.
    pub const NONE: Due =
        Due { is_conditional: false, len: 0, due: [(0, 0, 0, 0, CounterRef::UNLIMITED); MOST_TRIGGERS] };

    /// Replaces them by those of a list that act for a record: the whole payload, from the common fields on.
    /// In place, since they are too large to be moved.
    pub fn fill(&mut self, list: &impl Words, record: &[u8], context: &impl Context) {
        (self.len, self.is_conditional) = (0, false);
        for trigger in Trigger::all(list) {
            self.is_conditional |= trigger.action.is_after() || trigger.is_filtered();
            if trigger.is_due(list, record, context) {
                self.add(&trigger, record);
            }
        }
    }

    /// Those that act before the record is written, newest first.
    pub fn before(&self) -> impl Iterator<Item = DueAction> {
        self.all().filter(|due| !self.is_late(due.action))
    }

    /// Those that act once it is written, or isn't, newest first.
    pub fn after(&self) -> impl Iterator<Item = DueAction> {
        self.all().filter(|due| self.is_late(due.action))
    }

    fn is_late(&self, action: &Action) -> bool {
        match action.order {
            Order::Before => false,
            Order::BeforeIfUnconditional => self.is_conditional,
            Order::After => true,
        }
    }

    fn all(&self) -> impl Iterator<Item = DueAction> {
        let due = self.due.iter().take(self.len);
        due.filter_map(|&(code, detail, target, error, counter)| {
            Some(DueAction { detail, error, ..DueAction::new(code, target, counter)? })
        })
    }

    fn add(&mut self, trigger: &Trigger, record: &[u8]) {
        if let Some(slot) = self.due.get_mut(self.len) {
            let counts = trigger.action.effect == Effect::CountError;
            let error = if counts { error_in(record, trigger.detail) } else { 0 };
            *slot = (trigger.action.code, trigger.detail, trigger.target, error, trigger.counter);
            self.len += 1;
        }
    }
}
