//! `available_tracers`: what `current_tracer` takes.

use crate::file::{Control, Text};
use crate::listed::Listed;
use crate::tree::Tree;
use rustix::io::Errno;
use session::TRACERS;

/// Reads the names of [`TRACERS`].
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
        let names: Vec<&str> = TRACERS.iter().map(|tracer| tracer.name).collect();
        Ok(format!("{}\n", names.join(" ")).into_bytes())
    }
}
