//! Tracers: what an instance records apart from events, one at a time.
//!
//! Each is one struct in a file of its own and a line in [`TRACERS`]; `available_tracers`, `current_tracer`,
//! README and the headers of texts are made from those.

mod function;
mod function_graph;
mod nop;

pub use function::FUNCTION;
pub use function_graph::FUNCTION_GRAPH;

use super::TraceOption;
use crate::{Error, Instance};

/// A tracer.
#[derive(Debug, PartialEq, Eq)]
pub struct Tracer {
    /// Its name: what `current_tracer` reads and takes.
    pub name: &'static str,
    /// What it records, for README.
    pub help: &'static str,
    /// The options that are its own, in the kernel's order: `trace_options` has them while it is current.
    pub options: &'static [TraceOption],
    /// The event that it writes when a function is called, if it does.
    pub(crate) call: Option<u16>,
}

/// Those that can be chosen, in the order of `available_tracers`.
pub const TRACERS: &[&Tracer] = &[&FUNCTION, &nop::NOP];

/// All of them, those included of which nothing is recorded yet.
const ALL: &[&Tracer] = &[&FUNCTION_GRAPH, &FUNCTION, &nop::NOP];

impl Tracer {
    /// The tracer of this name, whether it can be chosen or not.
    pub(super) fn known(name: &str) -> Option<&'static Tracer> {
        ALL.iter().copied().find(|tracer| tracer.name == name)
    }

    /// The tracer of this name, if it can be chosen.
    pub fn named(name: &str) -> Option<&'static Tracer> {
        TRACERS.iter().copied().find(|tracer| tracer.name == name)
    }
}

impl Tracer {
    /// Whether it traces functions.
    pub fn traces_functions(&self) -> bool {
        self.call.is_some()
    }
}

impl TraceOption {
    /// The tracer that it belongs to: `trace_options` has it only while that is current. `None` for the
    /// others.
    pub fn tracer(self) -> Option<&'static Tracer> {
        ALL.iter().copied().find(|tracer| tracer.options.contains(&self))
    }

    /// Whether there is such an option: it belongs to no tracer, or to one that can be chosen.
    pub fn is_known(self) -> bool {
        self.tracer().is_none_or(|tracer| TRACERS.contains(&tracer))
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

    /// Makes a tracer the current one of this instance. Traced processes follow:
    /// see [`crate::Session::await_functions`].
    pub fn set_tracer(&self, tracer: &'static Tracer) -> Result<(), Error> {
        let lock = self.session.lock_settings()?;
        let before = self.tracer();
        if tracer == before {
            return Ok(());
        }
        let mut preferences = self.preferences();
        preferences.tracer = tracer;
        self.prefer_locked(preferences)?;
        for (tracer, on) in [(before, false), (tracer, true)] {
            if let Some(call) = tracer.call {
                self.control().enable(call, self.index, on);
            }
        }
        if before.traces_functions() || tracer.traces_functions() {
            self.session.call_for_functions(&lock);
        }
        Ok(())
    }
}
