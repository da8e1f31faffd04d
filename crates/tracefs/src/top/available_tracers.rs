//! `available_tracers`: what `current_tracer` takes.

use crate::file::{Control, Text};
use crate::listed::Listed;
use crate::tree::Tree;
use rustix::io::Errno;

/// Reads their names. There is one: `nop`, which leaves recording to the events.
#[derive(Debug, Clone)]
struct AvailableTracers;

pub(super) const LISTED: Listed = Listed {
    name: "available_tracers",
    help: "the tracers that current_tracer takes",
    make: || Box::new(AvailableTracers),
};

impl Control for AvailableTracers {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, _tree: &Tree) -> Result<Vec<u8>, Errno> {
        Ok(b"nop\n".to_vec())
    }
}
