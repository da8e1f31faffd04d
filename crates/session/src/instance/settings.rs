//! What is on, and is to be on: to be put back later.

use super::filters::NewFilter;
use super::{FunctionLists, Tracer};
use crate::{Error, EventInfo, Instance, TraceOption};
use abi::instance::STACKS;
use std::collections::HashMap;

/// Which events were on at a moment, their filters, and the patterns for those to come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    rules: String,
    /// Each event that was known, whether it was on, and its filter.
    events: HashMap<u16, (bool, Option<String>)>,
    /// Whether stacks were recorded, and how many bytes of them.
    stacks: (bool, u32),
    functions: FunctionLists,
    tracer: &'static Tracer,
    /// How deep and how long calls are that `function_graph` records.
    graph_limits: (u32, u64),
}

impl Instance {
    /// What is on now, and is to be on.
    pub fn settings(&self) -> Settings {
        let control = self.control();
        let state = |id| (control.is_enabled(id, self.index), self.filter(id));
        let stacks = (self.option(TraceOption::Stacktrace), control.stack_bytes(self.index));
        Settings {
            rules: self.rules(),
            events: control.event_ids().map(|id| (id, state(id))).collect(),
            stacks,
            functions: self.function_lists(),
            tracer: self.tracer(),
            graph_limits: (self.graph_depth(), self.threshold()),
        }
    }

    /// Puts back what was on and was to be on. Events that programs have brought since then go by the
    /// patterns of then.
    pub fn restore(&self, settings: &Settings) -> Result<(), Error> {
        // Who has removed the session leaves it to those who have it mapped: there is nothing to lock.
        let lock = self.session.lock_settings().ok();
        self.restore_locked(settings)?;
        lock.iter().for_each(|lock| self.session.follow_all_events(lock));
        drop(lock);
        if self.function_lists() != settings.functions {
            self.change_functions(|lists| *lists = settings.functions.clone())?;
        }
        self.set_tracer(settings.tracer)
    }

    /// Does so for one who has [`crate::Session::lock_settings`].
    pub(crate) fn restore_locked(&self, settings: &Settings) -> Result<(), Error> {
        self.session.replace_rules(self.index, &settings.rules)?;
        let (has_stacks, bytes) = settings.stacks;
        self.control().set_stack_bytes(self.index, bytes);
        self.control().set_instance_flags(self.index, STACKS, has_stacks);
        let (depth, threshold) = settings.graph_limits;
        self.control().set_instance_graph_depth(self.index, depth);
        self.control().set_instance_threshold(self.index, threshold);
        let events: Vec<EventInfo> = self.events().collect();
        // Nobody has brought these but who has defined them.
        let probes: Vec<u16> = self.session.probes().iter().map(|probe| probe.event).collect();
        let mut filters = Vec::new();
        for event in &events {
            let by_rules = || {
                let is_wanted = !probes.contains(&event.id) && self.is_wanted(&event.system, &event.name);
                (is_wanted, None)
            };
            let (on, filter) = settings.events.get(&event.id).cloned().unwrap_or_else(by_rules);
            self.control().enable(event.id, self.index, on);
            if event.filter != filter {
                filters.push((event, filter));
            }
        }
        self.control().announce_switched();
        let filters = filters.iter().map(|(event, filter)| NewFilter::compile(event, filter.as_deref()));
        self.give_filters(&filters.collect::<Result<Vec<_>, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tracer;
    use super::*;
    use crate::{Session, SessionOptions};

    #[test]
    fn what_was_there_before_comes_back() {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        session.set(&"shop:*".parse().unwrap(), true).unwrap();
        session.set(&"libc:read".parse().unwrap(), true).unwrap();
        session.set_stack_bytes(1024).unwrap();
        session.set_graph_depth(3).unwrap();
        let before = session.settings();
        session.set(&"*:*".parse().unwrap(), true).unwrap();
        session.set_option(TraceOption::Stacktrace, true).unwrap();
        session.set_stack_bytes(96).unwrap();
        session.set_graph_depth(0).unwrap();
        session.set_threshold(5000).unwrap();
        let bring = |system| session.control().add_event(system, "order", "").unwrap();
        let (wanted, other) = (bring("shop"), bring("other"));
        assert!(session.events().all(|event| event.enabled != tracer::writes(event.id)));
        let heard = || session.control().switched_word().load(std::sync::atomic::Ordering::Relaxed);
        let earlier = heard();
        session.restore(&before).unwrap();
        assert_ne!(heard(), earlier, "who waits for changes is told");
        assert!(!session.option(TraceOption::Stacktrace));
        assert_eq!(session.control().stack_bytes(0), 1024);
        assert_eq!((session.graph_depth(), session.threshold()), (3, 0));
        assert_eq!(session.rules(), "+shop:*\n+libc:read\n");
        let on: Vec<String> =
            session.events().filter(|event| event.enabled).map(|event| event.name).collect();
        assert_eq!(on, ["read", "order"]);
        assert!(session.control().is_enabled(wanted, 0) && !session.control().is_enabled(other, 0));
    }
}
