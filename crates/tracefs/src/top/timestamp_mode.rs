//! `timestamp_mode`: how times stand in pages.

use crate::file::{Control, Text};
use crate::listed::Listed;
use crate::tree::Tree;
use rustix::io::Errno;

/// Reads the two modes with the one in use in brackets: as differences.
#[derive(Debug, Clone)]
struct TimestampMode;

pub(super) const LISTED: Listed = Listed {
    name: "timestamp_mode",
    help: "how times stand in pages: as differences",
    make: || Box::new(TimestampMode),
};

impl Control for TimestampMode {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, _tree: &Tree) -> Result<Vec<u8>, Errno> {
        Ok(b"[delta] absolute\n".to_vec())
    }
}
