//! `buffer_total_size_kb`: how large all buffers are together.

use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use std::sync::Arc;

/// Reads KB: the sum of `per_cpu/cpuN/buffer_size_kb`.
#[derive(Debug, Clone)]
struct BufferTotalSize;

pub(super) const LISTED: Listed = Listed {
    name: "buffer_total_size_kb",
    help: "KB of buffer of all CPUs together",
    make: || Arc::new(BufferTotalSize),
};

impl TextFile for BufferTotalSize {
    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, array: &TraceArray) -> Result<Vec<u8>, Errno> {
        let instance = array.instance();
        let cpus = 0..instance.buffer().geometry().cpus;
        Ok(format!("{}\n", cpus.map(|cpu| instance.buffer_kb(cpu)).sum::<u64>()).into_bytes())
    }
}
