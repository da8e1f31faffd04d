//! Triggers: what is done when an event happens, in the traced process and at once, be the event on or not.
//!
//! A trigger belongs to an event of an instance, as in the kernel's `events/SYSTEM/EVENT/trigger`, and acts
//! on that instance. It stays until it is taken away. What the processes do with it is in
//! `trigger_effect/src/lib.rs`.
//!
//! An event of a program's own that a trigger can enable is looked at from then on as if it had a trigger:
//! the kernel's soft mode. The layer for `tracing` asks once whether an event is to be looked at, and a
//! trigger, which makes no system call, can't have it ask again. The agent's events need no such thing.

use super::events::is_built_in;
use super::filters::{compile_filter, furthest};
use super::function_command::FunctionCommand;
use crate::session::c_path;
use crate::{Error, EventInfo, Instance, Selection};
use abi::control::{CounterRef, MOST_TRIGGERS};
use event_filter::Filter;
use event_filter::word::MAX_WORDS;
use event_trigger::{Action, BadTrigger, Command, Effect, ErrorRate, Trigger};
use events::system_call::is_system_call;
use std::fmt::{self, Display, Formatter};

/// A trigger of an event. Printed as the kernel's file has it: `traceoff:count=3 if ret < 0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriggerInfo {
    /// What it does: `traceoff`, `enable_event:SYSTEM:EVENT`.
    pub action: String,
    /// How often it may still do so; None where nothing limits it.
    pub left: Option<u64>,
    /// When, by a filter.
    pub filter: Option<String>,
}

impl Display for TriggerInfo {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.left {
            Some(left) => write!(f, "{}:count={left}", self.action)?,
            None => write!(f, "{}:unlimited", self.action)?,
        }
        self.filter.as_ref().map_or(Ok(()), |filter| write!(f, " if {filter}"))
    }
}

impl Instance {
    /// The triggers of an event, the newest first.
    pub fn triggers(&self, id: u16) -> Vec<TriggerInfo> {
        let words = self.trigger_words(id);
        Trigger::all(words.as_slice()).map(|trigger| self.describe_trigger(&words, &trigger)).collect()
    }

    fn describe_trigger(&self, words: &[u64], trigger: &Trigger) -> TriggerInfo {
        let info = match ErrorRate::decode(trigger.target, trigger.detail) {
            Some(rate) if trigger.action.effect == Effect::CountError => TriggerInfo {
                action: format!("{}:{}/{}", trigger.action.name, rate.limit, rate.period.letter()),
                left: None,
                filter: None,
            },
            _ => self.describe_action(trigger.action, trigger.target, trigger.counter),
        };
        let mut text: Vec<u8> = words
            .get(trigger.text())
            .unwrap_or_default()
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        text.truncate(trigger.text_len);
        let filter = String::from_utf8(text).ok().filter(|text| !text.is_empty());
        TriggerInfo { filter, ..info }
    }

    /// What an action does without a filter, and how often it still may.
    pub(super) fn describe_action(&self, action: &Action, target: u16, counter: CounterRef) -> TriggerInfo {
        let name = |id| {
            self.event_of_id(id).map_or_else(String::new, |event| format!("{}:{}", event.system, event.name))
        };
        let action = match action.has_target {
            true => format!("{}:{}", action.name, name(target)),
            false => action.name.to_string(),
        };
        TriggerInfo { action, left: self.control().count_left(counter), filter: None }
    }

    /// Gives an event of this instance a trigger, or with `!` takes one away, in all traced processes at
    /// once. The text is the kernel's: `traceoff`, `snapshot:3 if ret < 0`, `!enable_event:SYSTEM:EVENT`.
    ///
    /// One that takes snapshots takes memory for as many as it may take, as far as there is space: a traced
    /// process can't. Taking one away that isn't there changes nothing.
    /// After an error nothing has changed.
    pub fn set_trigger(&self, id: u16, text: &str) -> Result<(), Error> {
        let bad = |reason: BadTrigger| Error::BadTrigger { text: text.to_string(), reason };
        let command = Command::parse(text).map_err(bad)?;
        let target = self.target(&command).ok_or_else(|| bad(BadTrigger::NoEvent))?;
        if command.removes {
            return self.remove_trigger(id, command.action, target);
        }
        let (count, filter) = (command.count.map_err(bad)?, command.filter.map_err(bad)?);
        let event = self.event_of_id(id).ok_or_else(|| bad(BadTrigger::NoEvent))?;
        let filter = filter.map(|text| Ok((compile_filter(&event, text)?, text))).transpose()?;
        if command.action.effect == Effect::TakeSnapshot {
            let wanted = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
            self.reserve_snapshots(wanted.max(1))?;
        }
        self.add_trigger(&event, text, (command.action, (target, 0)), count, filter)
    }

    /// Does so for all events that are selected and have the fields that the filter asks for. Which they
    /// are; after an error none has it.
    pub fn set_triggers(&self, selection: &Selection, text: &str) -> Result<Vec<u16>, Error> {
        self.check(selection)?;
        let (mut set, mut refused) = (Vec::new(), Vec::new());
        for event in self.selected(selection) {
            match self.set_trigger(event, text) {
                Ok(()) => set.push(event),
                Err(error @ Error::BadFilter { .. }) => refused.push(error),
                Err(error) => {
                    self.remove_triggers(&set, text);
                    return Err(error);
                }
            }
        }
        let nothing = || Error::NoEventToFilter { selection: selection.text().to_string() };
        if set.is_empty() { Err(furthest(refused).unwrap_or_else(nothing)) } else { Ok(set) }
    }

    /// Whether [`Instance::set_triggers`] would take this, as far as there is space for it.
    pub fn check_triggers(&self, selection: &Selection, text: &str) -> Result<(), Error> {
        self.check(selection)?;
        let bad = |reason: BadTrigger| Error::BadTrigger { text: text.to_string(), reason };
        let command = Command::parse(text).map_err(bad)?;
        self.target(&command).ok_or_else(|| bad(BadTrigger::NoEvent))?;
        let filter = match command.removes {
            true => None,
            false => command.count.and(command.filter).map_err(bad)?,
        };
        let mut refused = Vec::new();
        for event in self.events_of_ids(&self.selected(selection)) {
            match filter.map_or(Ok(()), |filter| compile_filter(&event, filter).map(drop)) {
                Ok(()) => return Ok(()),
                Err(error) => refused.push(error),
            }
        }
        let nothing = || Error::NoEventToFilter { selection: selection.text().to_string() };
        Err(furthest(refused).unwrap_or_else(nothing))
    }

    /// Takes away what [`Instance::set_triggers`] has set.
    pub fn remove_triggers(&self, ids: &[u16], text: &str) {
        for id in ids {
            // Its text was good, and a shorter list fits where there was a longer one.
            let _ = self.set_trigger(*id, &format!("!{text}"));
        }
    }

    /// The id of the event to which a trigger does something, 0 for an action without a target. None if that
    /// event doesn't exist.
    fn target(&self, command: &Command<'_>) -> Option<u16> {
        let Some((system, name)) = command.target else { return Some(0) };
        self.target_event(system, name)
    }

    /// The id of an event that may be a target.
    pub(super) fn target_event(&self, system: &str, name: &str) -> Option<u16> {
        let is_it = |event: &EventInfo| event.system == system && event.name == name;
        self.events().find(is_it).filter(|event| event.system != events::ftrace::SYSTEM).map(|event| event.id)
    }

    pub(super) fn add_trigger(
        &self,
        event: &EventInfo,
        text: &str,
        (action, (target, detail)): (&Action, (u16, u8)),
        count: Option<u64>,
        filter: Option<(Filter, &str)>,
    ) -> Result<(), Error> {
        let lock = self.session.lock_settings()?;
        let before = self.trigger_words(event.id);
        let there: Vec<Trigger> = Trigger::all(before.as_slice()).collect();
        if there.iter().any(|other| other.excludes(action, target)) {
            return Err(Error::TriggerExists { text: text.to_string() });
        }
        let too_many = || Error::TooManyTriggers { path: self.path().to_path_buf() };
        if there.len() >= MOST_TRIGGERS {
            return Err(too_many());
        }
        let counter = match count {
            Some(count) => self.control().new_counter(count).ok_or_else(too_many)?,
            None => CounterRef::UNLIMITED,
        };
        let (program, text) = filter.as_ref().map_or((&[][..], ""), |(filter, text)| (filter.words(), *text));
        let what = (target, detail);
        let mut words = Trigger::detailed_head(action, what, counter, program.len(), text.len()).to_vec();
        words.extend(program);
        words.extend(text.as_bytes().chunks(8).map(packed));
        words.extend(before);
        self.store_triggers(event.id, &words).ok_or_else(too_many)?;
        self.soften(target).ok_or_else(too_many)?;
        self.session.follow_events(&[event.id, target], &lock);
        Ok(())
    }

    pub(super) fn remove_trigger(&self, id: u16, action: &Action, target: u16) -> Result<(), Error> {
        let lock = self.session.lock_settings()?;
        let mut words = self.trigger_words(id);
        let found = Trigger::all(words.as_slice()).find(|trigger| trigger.excludes(action, target));
        let Some(found) = found else { return Ok(()) };
        words.drain(found.words());
        let too_many = || Error::TooManyTriggers { path: self.path().to_path_buf() };
        self.store_triggers(id, &words).ok_or_else(too_many)?;
        // It may be what another trigger enables.
        self.soften(id).ok_or_else(too_many)?;
        self.soften(target).ok_or_else(too_many)?;
        self.session.follow_events(&[id, target], &lock);
        Ok(())
    }

    /// Gives a new instance the triggers of another, with what is left of their counts, for one who has
    /// [`crate::Session::lock_settings`]. Where there is no memory for the snapshots that they may take these
    /// are refused then.
    pub(crate) fn take_triggers(&self, other: &Instance) -> Result<(), Error> {
        let too_many = || Error::TooManyTriggers { path: self.path().to_path_buf() };
        let (control, mut targets) = (self.control(), Vec::new());
        for id in control.event_ids().filter(|id| control.has_triggers(*id, other.index)) {
            let found = other.trigger_words(id);
            let mut triggers: Vec<Trigger> = Trigger::all(found.as_slice()).collect();
            // Rules about errors are the session's, for its default instance.
            triggers.retain(|trigger| trigger.action.effect != Effect::CountError);
            let mut words = Vec::new();
            // The newest is the first in the list. A counter is in use once its trigger is stored.
            for trigger in triggers.iter().rev() {
                let mut taken = found.get(trigger.words()).unwrap_or_default().to_vec();
                if let Some(left) = control.count_left(trigger.counter) {
                    let counter = control.new_counter(left).ok_or_else(too_many)?;
                    taken.get_mut(Trigger::COUNTER).into_iter().for_each(|word| *word = counter.0);
                }
                if trigger.action.effect == Effect::TakeSnapshot {
                    let _ = self.reserve_snapshots_locked(self.snapshots_of(trigger.counter));
                }
                taken.extend(words);
                words = taken;
                self.store_triggers(id, &words).ok_or_else(too_many)?;
            }
            targets.extend(triggers.iter().map(|trigger| trigger.target));
        }
        targets.into_iter().try_for_each(|target| self.soften(target).ok_or_else(too_many))
    }

    /// How many snapshots a trigger may take.
    pub(super) fn snapshots_of(&self, counter: CounterRef) -> usize {
        let left = self.control().count_left(counter);
        left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX)).max(1)
    }

    /// Has an event be looked at while a trigger may enable it, or it has triggers itself, if it isn't
    /// always: one of a program's own, or of a system call. None where there is no space. Only for one who
    /// has the session's lock.
    pub(super) fn soften(&self, id: u16) -> Option<()> {
        let (control, instance) = (self.control(), self.index);
        let is_always = is_built_in(id) && !is_system_call(id);
        if id == 0 || is_always {
            return Some(());
        }
        let is_looked_at = !self.trigger_words(id).is_empty() || self.may_be_enabled(id);
        if is_looked_at != control.has_triggers(id, instance) {
            control.reserve_triggers(&c_path(&self.file()).ok()?, id, instance).ok()?;
            control.set_triggered(id, instance, is_looked_at);
            control.announce_switched();
        }
        Some(())
    }

    /// Whether a trigger or a function's command may enable an event.
    fn may_be_enabled(&self, id: u16) -> bool {
        let lists = self.function_lists();
        if lists.commands().iter().any(|command| command.target() == id && command.enables()) {
            return true;
        }
        let mut sources =
            self.control().event_ids().filter(|id| self.control().has_triggers(*id, self.index));
        sources.any(|source| {
            let words = self.trigger_words(source);
            Trigger::all(words.as_slice())
                .any(|trigger| trigger.target == id && trigger.action.effect == Effect::EnableTarget(true))
        })
    }

    /// The words of an event's triggers.
    pub(super) fn trigger_words(&self, id: u16) -> Vec<u64> {
        let mut buffer = vec![0; MAX_WORDS];
        self.control().trigger_words(id, self.index, &mut buffer).unwrap_or_default().to_vec()
    }

    /// Gives an event these triggers. None where there is no space.
    fn store_triggers(&self, id: u16, words: &[u64]) -> Option<()> {
        let (control, instance) = (self.control(), self.index);
        if words.is_empty() {
            control.set_triggers(id, instance, None);
            return Some(());
        }
        control.reserve_triggers(&c_path(&self.file()).ok()?, id, instance).ok()?;
        let stored = control.filter_space().store(words, "")?;
        control.set_triggers(id, instance, Some(stored));
        Some(())
    }

    /// The events of this instance that are in the kernel's soft mode: they have a trigger, or one is about
    /// them, or a function's command is. `enable` has a star for those.
    pub fn soft_events(&self) -> Vec<u16> {
        let mut soft = Vec::new();
        for id in self.control().event_ids().filter(|id| self.control().has_triggers(*id, self.index)) {
            soft.push(id);
            let words = self.trigger_words(id);
            let about = Trigger::all(words.as_slice()).filter(|trigger| trigger.action.has_target);
            soft.extend(about.map(|trigger| trigger.target));
        }
        soft.extend(self.function_lists().commands().iter().map(FunctionCommand::target));
        soft.retain(|id| *id != 0);
        soft.sort_unstable();
        soft.dedup();
        soft
    }
}

/// Up to eight bytes as a word.
fn packed(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
    u64::from_le_bytes(word)
}
