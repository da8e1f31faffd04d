//! `available_events`: what can be enabled.

use crate::catalog;
use crate::file::{Control, Text};
use crate::listed::Listed;
use crate::tree::Tree;
use rustix::io::Errno;

/// Reads `SYSTEM:EVENT`, a line for each.
#[derive(Debug, Clone)]
struct AvailableEvents;

pub(super) const LISTED: Listed = Listed {
    name: "available_events",
    help: "the events that set_event takes",
    make: || Box::new(AvailableEvents),
};

impl Control for AvailableEvents {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, tree: &Tree) -> Result<Vec<u8>, Errno> {
        let lines =
            catalog::switchable(tree).into_iter().map(|name| format!("{}:{}\n", name.system, name.event));
        Ok(lines.collect::<String>().into_bytes())
    }
}
