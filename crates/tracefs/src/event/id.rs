//! `id`: the number that an event has in its records.

use crate::event::Name;
use crate::file::Control;
use crate::tree::Tree;
use rustix::io::Errno;

/// What `common_type` is in the event's records.
#[derive(Debug, Clone)]
pub(crate) struct Id(pub(crate) Name);

impl Control for Id {
    const KEEPS_INSTANCE: bool = false;

    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, _tree: &Tree) -> Result<Vec<u8>, Errno> {
        Ok(format!("{}\n", self.0.id).into_bytes())
    }
}
