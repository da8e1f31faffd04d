//! `ktrace/enabled`: the switch for all tracepoints with formats.

use super::switch;
use crate::errno::errno;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads 0 or 1. Takes a number: 0 stops all tracepoints with formats in all instances, any other lets them
/// go on. Each keeps whether it is enabled.
#[derive(Clone, Default)]
struct Enabled;

pub(super) const LISTED: Listed = Listed::of::<Enabled>(
    "enabled",
    "0 stops all tracepoints with formats; each keeps whether it is enabled",
);

impl TextFile for Enabled {
    const MODE: u32 = 0o664;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(switch::text(!array.instance().control().are_tracepoints_stopped()))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let on = switch::parse(bytes)?;
        array.instance().stop_tracepoints(!on).map_err(errno)
    }
}
