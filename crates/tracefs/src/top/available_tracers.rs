//! `available_tracers`: what `current_tracer` takes.

use crate::listed::Listed;
use crate::text_file::{Text, TextFile};
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::TRACERS;
use std::sync::Arc;

/// Reads the names of [`TRACERS`].
#[derive(Debug, Clone)]
struct AvailableTracers;

pub(super) const LISTED: Listed = Listed {
    name: "available_tracers",
    help: "the tracers that current_tracer takes",
    make: || Arc::new(AvailableTracers),
};

impl TextFile for AvailableTracers {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, _array: &TraceArray) -> Result<Vec<u8>, Errno> {
        let names: Vec<&str> = TRACERS.iter().map(|tracer| tracer.name).collect();
        Ok(format!("{}\n", names.join(" ")).into_bytes())
    }
}
