//! `buffer_percent`: how full a buffer is when poll(2) tells its readers.

use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use std::sync::Arc;

/// Reads and takes a number from 0 to 100. 0 tells readers of any event.
#[derive(Debug, Clone)]
struct BufferPercent;

pub(super) const LISTED: Listed = Listed {
    name: "buffer_percent",
    help: "how full a CPU's buffer is when its readers are woken",
    make: || Arc::new(BufferPercent),
};

impl TextFile for BufferPercent {
    fn mode(&self) -> u32 {
        0o640
    }

    fn show(&self, array: &TraceArray) -> Result<Vec<u8>, Errno> {
        Ok(format!("{}\n", array.instance().preferences().buffer_percent).into_bytes())
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<usize, Errno> {
        let percent = number::parse(bytes)?;
        if percent > 100 {
            return Err(Errno::INVAL);
        }
        let change = array.instance().prefer(|preferred| preferred.buffer_percent = percent as u32);
        change.map_err(errno)?;
        Ok(bytes.len())
    }
}
