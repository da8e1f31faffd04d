//! Switching events for good: those that are known, and those that programs will bring.

use crate::{Error, Instance, Lock, Selection, Tracer};
use abi::control::RULES;
use abi::site::FORMAT_SYSTEM;
use control::Rule;

impl Instance {
    /// Switches the selected events on or off, in all traced processes at once, and has those follow that
    /// programs bring later. How many there are now. Filters stay as they are.
    ///
    /// None at all is an error where the selection looks like a typing error: of a system that is known, or
    /// nearly.
    pub fn set(&self, selection: &Selection, on: bool) -> Result<usize, Error> {
        self.check(selection)?;
        self.set_locked(selection, on, &self.session.lock_settings()?)
    }

    /// Does so for one who has checked it and has [`crate::Session::lock_settings`].
    pub(crate) fn set_locked(&self, selection: &Selection, on: bool, lock: &Lock) -> Result<usize, Error> {
        // No class but the default has events of programs.
        let pattern = selection.pattern();
        let selected = || self.selected(selection);
        self.switch_locked(pattern.as_deref(), on, selected, lock)
    }

    /// Switches the events that `find` gives, and has those follow that programs bring later and that fit
    /// `pattern`. How many there are now.
    pub fn switch(
        &self,
        pattern: Option<&str>,
        on: bool,
        find: impl FnOnce() -> Vec<u16>,
    ) -> Result<usize, Error> {
        self.switch_locked(pattern, on, find, &self.session.lock_settings()?)
    }

    fn switch_locked(
        &self,
        pattern: Option<&str>,
        on: bool,
        find: impl FnOnce() -> Vec<u16>,
        lock: &Lock,
    ) -> Result<usize, Error> {
        // First the rule, see `control::ControlArea::set_rules`.
        if let Some(pattern) = pattern {
            self.session.replace_rules(self.index, &with_rule(&self.rules(), pattern, on))?;
        }
        let found = find();
        for id in &found {
            self.control().enable(*id, self.index, on);
        }
        self.control().announce_switched();
        self.session.follow_events(&found, lock);
        Ok(found.len())
    }

    /// Whether [`Instance::set`] would take the selection.
    pub fn check(&self, selection: &Selection) -> Result<(), Error> {
        let is_good = !self.selected(selection).is_empty() || self.may_come(selection);
        if is_good { Ok(()) } else { Err(self.no_such_event(selection)) }
    }

    /// Switches all events off, and the tracer, and forgets all patterns and filters.
    pub fn set_all_off(&self) -> Result<(), Error> {
        self.set_tracer(<&Tracer>::default())?;
        let lock = self.session.lock_settings()?;
        self.session.set_instance_off(self.index)?;
        self.session.follow_all_events(&lock);
        Ok(())
    }

    /// The patterns that events of programs go by: a line for each, `+` or `-` in front.
    pub fn rules(&self) -> String {
        let mut buffer = [0; RULES];
        let all = self.control().rules(&mut buffer).lines().filter_map(Rule::parse);
        let own = all.filter(|rule| rule.instance == self.index);
        own.map(|rule| format!("{}\n", Rule { instance: 0, ..rule })).collect()
    }

    /// Whether an event is to be on in this instance when a program brings it.
    pub(crate) fn is_wanted(&self, system: &str, name: &str) -> bool {
        self.control().wanted(system, name).get(self.index) == Some(&Some(true))
    }

    /// Whether programs may bring events of a selection that fits none now: not where it names a system of
    /// the agent's, all of whose events are known, or nearly.
    fn may_come(&self, selection: &Selection) -> bool {
        let mut systems = events::all().map(|event| event.system);
        let is_near = systems.any(|system| selection.nearly_names(system));
        selection.is_of_system(FORMAT_SYSTEM) || selection.names_system() && !is_near
    }
}

/// The rules with one more, without those that it makes pointless.
fn with_rule(rules: &str, pattern: &str, on: bool) -> String {
    let is_needed = |line: &&str| pattern != "*:*" && line.get(1..) != Some(pattern);
    let sign = if on { '+' } else { '-' };
    let mut new: String = rules.lines().filter(is_needed).flat_map(|line| [line, "\n"]).collect();
    new.push(sign);
    new.push_str(pattern);
    new.push('\n');
    new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};
    use tempfile::TempDir;

    fn session() -> (TempDir, Instance) {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        (directory, session)
    }

    fn set(session: &Instance, text: &str, on: bool) -> Result<usize, Error> {
        session.set(&text.parse().unwrap(), on)
    }

    fn brought(session: &Instance, system: &str, name: &str) -> bool {
        let id = session.control().add_event(system, name, "").unwrap();
        session.control().is_enabled(id, 0)
    }

    #[test]
    fn events_that_programs_bring_later_follow() {
        let (_directory, session) = session();
        assert_eq!(set(&session, "shop:*", true).unwrap(), 0);
        assert!(brought(&session, "shop", "order"));
        assert!(!brought(&session, "other", "order"));
        assert_eq!(set(&session, "shop:pay*", false).unwrap(), 0);
        assert!(!brought(&session, "shop", "payment"));
        assert_eq!(set(&session, "shop:open", true).unwrap(), 0, "another's name in a system of its own");
        assert_eq!(set(&session, "shop", false).unwrap(), 2, "those that are there by now");
        assert!(!brought(&session, "shop", "late"));
        session.set(&Selection::default(), true).unwrap();
        assert_eq!(session.rules(), "+*:*\n");
        assert!(brought(&session, "other", "more"));
        session.set_all_off().unwrap();
        assert!(session.events().all(|event| !event.enabled));
        assert!(!brought(&session, "other", "last"));
    }

    #[test]
    fn typing_errors_are_told_and_change_nothing() {
        let (_directory, session) = session();
        for text in ["libc:opne", "opne", "@nothing", "lbc:open"] {
            assert!(matches!(set(&session, text, true), Err(Error::NoSuchEvent { .. })), "{text}");
        }
        assert_eq!(session.rules(), "");
        assert_eq!(
            set(&session, "ktrace:order", true).unwrap(),
            0,
            "a system of its own, like ftrace or not"
        );
    }

    #[test]
    fn patterns_are_bounded_and_said_twice_kept_once() {
        let (_directory, session) = session();
        for _ in 0..20 {
            set(&session, "shop:order", true).unwrap();
            set(&session, "shop:order", false).unwrap();
        }
        assert_eq!(session.rules(), "-shop:order\n");
        let long = "x".repeat(200);
        let full = (0..40).find_map(|number| set(&session, &format!("shop:{long}{number}"), true).err());
        assert!(matches!(full, Some(Error::TooManyRules { .. })), "{full:?}");
    }
}
