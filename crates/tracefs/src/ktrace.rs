//! `ktrace`: tracepoints with formats, by the tree of the tracer that they are named after. Its modes and
//! texts are that tracer's.

mod buffers;
mod enabled;
mod events;
mod info;
mod overflow;
mod reset;
mod switch;
mod tracepoint;

use crate::listed::{self, Listed};
use crate::node::{Directory, Node};
use crate::trace_array::TraceArray;
use buffers::BuffersDirectory;
use events::KtraceEventsDirectory;
use std::sync::Arc;

/// The directory.
pub(crate) struct KtraceDirectory;

const FILES: &[Listed] = &[enabled::LISTED, info::LISTED, overflow::LISTED, reset::LISTED];

/// The directory with a file for each CPU.
const BUFFERS: &str = "buffers";

/// The directory with a file for each tracepoint.
const EVENTS: &str = "events";

impl Directory for KtraceDirectory {
    fn mode(&self) -> u32 {
        0o755
    }

    fn names(&self, _array: &TraceArray) -> Vec<String> {
        listed::names(FILES).into_iter().chain([BUFFERS, EVENTS].map(str::to_string)).collect()
    }

    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node> {
        match name {
            BUFFERS => Some(Node::directory(array, Arc::new(BuffersDirectory))),
            EVENTS => Some(Node::directory(array, Arc::new(KtraceEventsDirectory))),
            name => listed::entry(FILES, array, name),
        }
    }
}
