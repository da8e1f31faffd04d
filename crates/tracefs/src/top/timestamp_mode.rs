//! `timestamp_mode`: how times stand in pages.

use crate::listed::Listed;
use crate::text_file::{Text, TextFile};
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use std::sync::Arc;

/// Reads the two modes with the one in use in brackets: as differences.
#[derive(Debug, Clone)]
struct TimestampMode;

pub(super) const LISTED: Listed = Listed {
    name: "timestamp_mode",
    help: "how times stand in pages: as differences",
    make: || Arc::new(TimestampMode),
};

impl TextFile for TimestampMode {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, _array: &TraceArray) -> Result<Vec<u8>, Errno> {
        Ok(b"[delta] absolute\n".to_vec())
    }
}
