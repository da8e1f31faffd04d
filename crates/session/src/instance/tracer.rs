//! Tracers: what an instance records apart from events, one at a time.
//!
//! Each is one struct in a file of its own and a line in [`TRACERS`]; `available_tracers`, `current_tracer`,
//! README and the headers of texts are made from those.

mod function;
mod function_graph;
mod latency;
mod nop;

pub use function::FUNCTION;
pub use function_graph::FUNCTION_GRAPH;

use super::TraceOption;
use crate::{Error, Instance, Lock};
use abi::instance::IN_SECTIONS;

/// A tracer.
#[derive(Debug, PartialEq, Eq)]
pub struct Tracer {
    /// Its name: what `current_tracer` reads and takes.
    pub name: &'static str,
    /// What it records, for README.
    pub help: &'static str,
    /// The options that are its own, in the kernel's order: `trace_options` has them while it is current.
    pub options: &'static [TraceOption],
    /// The events that it writes of functions, if it does.
    pub(crate) events: &'static [u16],
    /// An option, and those of which none can be on with it.
    pub(crate) alone: Option<(TraceOption, &'static [TraceOption])>,
    /// What makes the sections that it measures, if it does: [`abi::control::SIGNALS_BLOCKED`] and others.
    pub(crate) states: u32,
}

/// Those that can be chosen, in the order of `available_tracers`.
pub const TRACERS: &[&Tracer] = &[
    &FUNCTION_GRAPH,
    &latency::WAKEUP,
    &latency::PREEMPTIRQSOFF,
    &latency::PREEMPTOFF,
    &latency::IRQSOFF,
    &FUNCTION,
    &nop::NOP,
];

/// Whether an event is one that a tracer writes.
pub(super) fn writes(event: u16) -> bool {
    TRACERS.iter().any(|tracer| tracer.events.contains(&event))
}

impl Tracer {
    /// The tracer of this name.
    pub fn named(name: &str) -> Option<&'static Tracer> {
        TRACERS.iter().copied().find(|tracer| tracer.name == name)
    }
}

impl Tracer {
    /// Whether functions are what it is about.
    pub fn traces_functions(&self) -> bool {
        !self.events.is_empty()
    }

    /// Whether it measures sections of programs, and keeps the trace of the longest.
    pub fn measures_latency(&self) -> bool {
        self.states != 0
    }

    /// An error where options are on that can't be together.
    pub(super) fn check(&self, is_on: impl Fn(TraceOption) -> bool) -> Result<(), Error> {
        let Some((alone, others)) = self.alone.filter(|(alone, _)| is_on(*alone)) else { return Ok(()) };
        match others.iter().find(|other| is_on(**other)) {
            Some(other) => Err(Error::OptionsExclude { one: alone.name(), other: other.name() }),
            None => Ok(()),
        }
    }
}

impl TraceOption {
    /// The tracer that it belongs to: `trace_options` has it only while that is current. `None` for the
    /// others.
    pub fn tracer(self) -> Option<&'static Tracer> {
        TRACERS.iter().copied().find(|tracer| tracer.options.contains(&self))
    }
}

/// The tracer of a new instance.
impl Default for &Tracer {
    fn default() -> Self {
        &nop::NOP
    }
}

impl Instance {
    /// The current tracer of this instance. Cost: reading a small file.
    pub fn tracer(&self) -> &'static Tracer {
        self.preferences().tracer
    }

    /// Whether calls of functions are recorded.
    pub(crate) fn traces_functions(&self) -> bool {
        !self.preferences().events_of_functions().is_empty()
    }

    /// Switches an option that says how latency tracers record functions. Traced processes follow, as in
    /// [`Instance::set_tracer`]. Where another kind of records is made from now on, what was measured and
    /// recorded before is dropped, as in the kernel.
    pub(super) fn set_latency_functions(&self, option: TraceOption, on: bool) -> Result<(), Error> {
        let lock = self.session.lock_settings()?;
        let before = self.preferences();
        let mut preferences = before;
        preferences.set(option, on);
        self.prefer_locked(preferences)?;
        let is_remade = option == TraceOption::DisplayGraph && before.is_on(option) != on;
        self.switch_functions([before.events_of_functions(), preferences.events_of_functions()], &lock);
        if is_remade && preferences.tracer.measures_latency() {
            self.measure_latency(&preferences);
            self.buffer().clear();
        }
        Ok(())
    }

    /// Records functions by other events than before.
    fn switch_functions(&self, [ended, begun]: [&[u16]; 2], lock: &Lock) {
        if ended == begun {
            return;
        }
        ended.iter().for_each(|event| self.control().enable(*event, self.index, false));
        begun.iter().for_each(|event| self.control().enable(*event, self.index, true));
        self.session.call_for_functions(lock);
    }

    /// Makes a tracer the current one of this instance. Traced processes follow:
    /// see [`crate::Session::await_functions`]. Refused where options of it are on that can't be together,
    /// and for one that measures latencies while another instance has one.
    pub fn set_tracer(&self, tracer: &'static Tracer) -> Result<(), Error> {
        let lock = self.session.lock_settings()?;
        let before = self.preferences();
        if *tracer == *before.tracer {
            return Ok(());
        }
        tracer.check(|option| self.option(option))?;
        if tracer.measures_latency() {
            self.prepare_latency(&lock)?;
        }
        let mut preferences = before;
        preferences.tracer = tracer;
        self.choose_latency_options(&mut preferences, before.tracer);
        self.prefer_locked(preferences)?;
        self.control().set_instance_flags(self.index, IN_SECTIONS, tracer.measures_latency());
        self.switch_functions([before.events_of_functions(), preferences.events_of_functions()], &lock);
        if before.tracer.measures_latency() || tracer.measures_latency() {
            self.measure_latency(&preferences);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};
    use events::ftrace::{FUNCGRAPH_ENTRY_ID, FUNCTION_ID};

    #[test]
    fn events_of_tracers_are_on_with_them_alone() {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, instances: 2, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        session.enable(&crate::FilteredSelection::default()).unwrap();
        let top = session.session().make_top().unwrap().unwrap();
        let on = |instance: &Instance| {
            [FUNCTION_ID, FUNCGRAPH_ENTRY_ID].map(|id| instance.control().is_enabled(id, instance.index))
        };
        assert_eq!((on(&session), on(&top)), ([false; 2], [false; 2]));
        top.set_tracer(&FUNCTION_GRAPH).unwrap();
        assert_eq!((on(&session), on(&top)), ([false; 2], [false, true]));
        let in_sections = || session.control().instance_flags(session.index) & IN_SECTIONS != 0;
        let choose = |name: &str| session.set_tracer(Tracer::named(name).unwrap()).unwrap();
        choose("irqsoff");
        assert_eq!((on(&session), in_sections()), ([true, false], true));
        session.set_option(TraceOption::FunctionTrace, false).unwrap();
        assert_eq!((on(&session), in_sections()), ([false; 2], true));
        choose("preemptoff");
        assert_eq!(on(&session), [false; 2]);
        session.set_option(TraceOption::FunctionTrace, true).unwrap();
        assert_eq!((on(&session), in_sections()), ([true, false], true));
        choose("wakeup");
        assert_eq!((on(&session), in_sections()), ([true, false], true));
        let ends_as_graph = || session.control().measured_sections().is_graph();
        session.set_max_latency(5).unwrap();
        session.set_option(TraceOption::DisplayGraph, true).unwrap();
        assert_eq!((on(&session), ends_as_graph(), session.max_latency()), ([false, true], true, 0));
        session.set_option(TraceOption::FunctionTrace, false).unwrap();
        assert_eq!((on(&session), ends_as_graph()), ([false; 2], true));
        choose("preemptoff");
        session.set_option(TraceOption::FunctionTrace, true).unwrap();
        assert_eq!((on(&session), ends_as_graph()), ([false, true], true));
        session.set_max_latency(5).unwrap();
        session.set_option(TraceOption::DisplayGraph, true).unwrap();
        assert_eq!(session.max_latency(), 5, "nothing has changed");
        choose("function");
        assert_eq!((on(&session), in_sections()), ([true, false], false));
        session.set_option(TraceOption::DisplayGraph, false).unwrap();
        assert_eq!((on(&session), session.max_latency()), ([true, false], 5));
        session.set_option(TraceOption::FunctionTrace, false).unwrap();
        assert_eq!((on(&session), in_sections()), ([true, false], false));
    }
}
