//! `available_events`: what can be enabled.

use crate::catalog::EventName;
use crate::listed::Listed;
use crate::text_file::{Text, TextFile};
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use std::sync::Arc;

/// Reads `SYSTEM:EVENT`, a line for each.
#[derive(Debug, Clone)]
struct AvailableEvents;

pub(super) const LISTED: Listed = Listed {
    name: "available_events",
    help: "the events that set_event takes",
    make: || Arc::new(AvailableEvents),
};

impl TextFile for AvailableEvents {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, array: &TraceArray) -> Result<Vec<u8>, Errno> {
        Ok(array.catalog().switchable().map(EventName::line).collect::<String>().into_bytes())
    }
}
