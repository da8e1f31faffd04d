//! A tracepoint with a format.

use crate::catalog::EventName;
use crate::group::{self, Group};
use crate::trace_array::TraceArray;
use abi::site::FORMAT_SYSTEM;
use rustix::io::Errno;

/// A tracepoint with a format.
pub(super) struct FormatTracepoint {
    /// Its event's id.
    pub(super) id: u16,
    /// Its name.
    pub(super) name: String,
    /// Its format.
    pub(super) format: String,
}

/// Bytes that a description takes at most.
const LONGEST: usize = 8192;

impl FormatTracepoint {
    /// All that there have been, in the order of their ids.
    pub(super) fn all(array: &TraceArray) -> Vec<FormatTracepoint> {
        let catalog = array.catalog();
        catalog.events_of(FORMAT_SYSTEM).filter_map(|event| FormatTracepoint::of(array, event)).collect()
    }

    /// The one of this name.
    pub(super) fn named(array: &TraceArray, name: &str) -> Option<FormatTracepoint> {
        FormatTracepoint::of(array, array.catalog().event(FORMAT_SYSTEM, name)?)
    }

    fn of(array: &TraceArray, event: &EventName) -> Option<FormatTracepoint> {
        let mut buffer = vec![0; LONGEST];
        let format = array.instance().control().declaration(event.id, &mut buffer)?.to_string();
        Some(FormatTracepoint { id: event.id, name: event.event.clone(), format })
    }

    /// Whether a process has it.
    pub(super) fn is_used(&self, array: &TraceArray) -> bool {
        array.instance().is_tracepoint_used(self.id)
    }

    /// Whether it is enabled: never where no process has it.
    pub(super) fn is_enabled(&self, array: &TraceArray) -> bool {
        self.is_used(array) && group::is_enabled(array, &self.event())
    }

    /// Enables or disables it.
    pub(super) fn enable(&self, array: &TraceArray, on: bool) -> Result<(), Errno> {
        Group::Event(self.event()).set(array, on)
    }

    fn event(&self) -> EventName {
        EventName { id: self.id, system: FORMAT_SYSTEM.to_string(), event: self.name.clone() }
    }
}
