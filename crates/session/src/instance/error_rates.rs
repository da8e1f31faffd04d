//! Calls whose errors take snapshots when there are too many.
//!
//! A rule is a trigger of the event at the call's exit, of the default instance, with a filter that chooses
//! errors, and a counter that all processes share. It is in force whether the event is enabled or not.

use super::filters::compile_filter;
use crate::error_rule::BadErrorRule;
use crate::{Error, ErrorRule, EventInfo, Instance};
use abi::instance::RECORDING;
use event_trigger::{ERROR_RATE, Effect, ErrorRate, Trigger};

/// Which records are counted.
const ERRORS: &str = "error != 0";

/// The name of the field that has the error.
const FIELD: &str = "error";

impl Instance {
    /// The rules about errors of calls that take snapshots of the session's default instance, by the order of
    /// the calls.
    pub fn error_rules(&self) -> Vec<ErrorRule> {
        self.with_recording(|recording| Ok(recording.own_error_rules())).unwrap_or_default()
    }

    fn own_error_rules(&self) -> Vec<ErrorRule> {
        let ids: Vec<u16> =
            self.control().event_ids().filter(|id| self.control().has_triggers(*id, RECORDING)).collect();
        let rules = ids.into_iter().filter_map(|id| self.event_of_id(id)).flat_map(|event| {
            let words = self.trigger_words(event.id);
            let rates: Vec<ErrorRate> = Trigger::all(words.as_slice())
                .filter(|trigger| trigger.action.effect == Effect::CountError)
                .filter_map(|trigger| ErrorRate::decode(trigger.target, trigger.detail))
                .collect();
            let call = event.name.strip_suffix("_exit").unwrap_or(&event.name).to_owned();
            rates.into_iter().rev().map(move |rate| ErrorRule { call: call.clone(), rate })
        });
        rules.collect()
    }

    /// Has these rules alone take snapshots, and takes memory for one: a traced process can't. Processes that
    /// run already follow at once.
    ///
    /// # Errors
    ///
    /// When a call doesn't exist, or has no error, or there is no space. Nothing has changed then.
    pub fn set_error_rules(&self, rules: &[ErrorRule]) -> Result<(), Error> {
        self.with_recording(|recording| recording.set_own_error_rules(rules))
    }

    fn set_own_error_rules(&self, rules: &[ErrorRule]) -> Result<(), Error> {
        let before = self.own_error_rules();
        if !rules.is_empty() {
            self.reserve_snapshot()?;
        }
        let exits = rules.iter().map(|rule| self.exit_of(rule)).collect::<Result<Vec<_>, _>>()?;
        self.remove_error_rules(&before)?;
        let added = rules.iter().zip(&exits).try_for_each(|(rule, exit)| self.add_error_rule(rule, exit));
        if added.is_err() {
            let _ = self.remove_error_rules(rules);
            for rule in &before {
                let _ = self.exit_of(rule).and_then(|exit| self.add_error_rule(rule, &exit));
            }
        }
        added
    }

    /// The event at the exit of a rule's call.
    fn exit_of(&self, rule: &ErrorRule) -> Result<EventInfo, Error> {
        let name = format!("{}_exit", rule.call);
        let bad = |expected: &str| {
            let text = rule.to_string();
            Error::BadErrorRule(BadErrorRule { text, at: "libc:".len(), expected: expected.to_owned() })
        };
        let found = self.events().find(|event| event.system == events::LIBC && event.name == name);
        let event = found.ok_or_else(|| bad("a call that `lookback events` lists"))?;
        if events::can_fail(event.id) { Ok(event) } else { Err(bad("a call that says when it has failed")) }
    }

    fn add_error_rule(&self, rule: &ErrorRule, event: &EventInfo) -> Result<(), Error> {
        let too_many = || Error::TooManyTriggers { path: self.path().to_path_buf() };
        let filter = compile_filter(event, ERRORS)?;
        let kind = events::all().find(|kind| kind.id == event.id);
        let offset = kind.and_then(|kind| {
            let field = kind.fields.iter().position(|field| field.name == FIELD)?;
            Some(kind.offset(field))
        });
        let what = offset.and_then(|offset| rule.rate.encode(offset)).ok_or_else(too_many)?;
        self.add_trigger(event, &rule.to_string(), (ERROR_RATE, what), Some(0), Some((filter, ERRORS)))
    }

    fn remove_error_rules(&self, rules: &[ErrorRule]) -> Result<(), Error> {
        for rule in rules {
            let event = self.exit_of(rule)?;
            self.remove_trigger(event.id, ERROR_RATE, rule.rate.limit)?;
        }
        Ok(())
    }
}
