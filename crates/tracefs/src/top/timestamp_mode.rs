//! `timestamp_mode`: how times stand in pages.

use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads the two modes with the one in use in brackets: as differences.
#[derive(Clone, Default)]
struct TimestampMode;

pub(super) const LISTED: Listed =
    Listed::of::<TimestampMode>("timestamp_mode", "how times stand in pages: as differences");

impl TextFile for TimestampMode {
    const MODE: u32 = 0o440;
    const IS_KEPT: bool = true;

    fn show(&self, _array: &TraceArray) -> Result<String, Errno> {
        Ok("[delta] absolute\n".to_string())
    }
}
