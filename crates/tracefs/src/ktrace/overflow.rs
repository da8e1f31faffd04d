//! `ktrace/overflow`: events that were overwritten.

use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads how many events of the buffer were overwritten before anybody had consumed them, on all CPUs and in
/// all lanes.
#[derive(Clone, Default)]
struct Overflow;

pub(super) const LISTED: Listed =
    Listed::of::<Overflow>("overflow", "how many events were overwritten before they were read");

impl TextFile for Overflow {
    const MODE: u32 = 0o444;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", array.instance().buffer().overruns()))
    }
}
