//! `buffer_percent`: how full a buffer is when poll(2) reports it to its readers.

use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads and takes a number from 0 to 100. With 0, any event is reported.
#[derive(Clone, Default)]
struct BufferPercent;

pub(super) const LISTED: Listed =
    Listed::of::<BufferPercent>("buffer_percent", "how full a CPU's buffer is when its readers are woken");

impl TextFile for BufferPercent {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", array.instance().preferences().buffer_percent))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let percent = number::parse(bytes)?;
        if percent > 100 {
            return Err(Errno::INVAL);
        }
        let change = array.instance().prefer(|preferred| preferred.buffer_percent = percent as u32);
        change.map_err(errno)
    }
}
