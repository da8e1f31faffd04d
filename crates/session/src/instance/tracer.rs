//! Tracers: what an instance records apart from events, one at a time.
//!
//! Each is one struct in a file of its own and a line in [`TRACERS`]; `available_tracers`, `current_tracer`,
//! README and the headers of texts are made from those.

mod nop;

use crate::{Error, Instance};

/// A tracer.
#[derive(Debug, PartialEq, Eq)]
pub struct Tracer {
    /// Its name: what `current_tracer` reads and takes.
    pub name: &'static str,
    /// What it records, for README.
    pub help: &'static str,
}

/// All of them, in the order of `available_tracers`.
pub const TRACERS: &[&Tracer] = &[&nop::NOP];

impl Tracer {
    /// The tracer of this name.
    pub fn named(name: &str) -> Option<&'static Tracer> {
        TRACERS.iter().copied().find(|tracer| tracer.name == name)
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

    /// Makes a tracer the current one of this instance.
    pub fn set_tracer(&self, tracer: &'static Tracer) -> Result<(), Error> {
        if tracer == self.tracer() {
            return Ok(());
        }
        self.prefer(|preferred| preferred.tracer = tracer)
    }
}
