//! `buffer_total_size_kb`: how large all buffers are together.

use crate::file::Control;
use crate::listed::Listed;
use crate::tree::Tree;
use rustix::io::Errno;

/// Reads KB: the sum of `per_cpu/cpuN/buffer_size_kb`.
#[derive(Debug, Clone)]
struct BufferTotalSize;

pub(super) const LISTED: Listed = Listed {
    name: "buffer_total_size_kb",
    help: "KB of buffer of all CPUs together",
    make: || Box::new(BufferTotalSize),
};

impl Control for BufferTotalSize {
    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, tree: &Tree) -> Result<Vec<u8>, Errno> {
        let session = tree.session();
        let cpus = 0..session.buffer().geometry().cpus;
        Ok(format!("{}\n", cpus.map(|cpu| session.buffer_kb(cpu)).sum::<u64>()).into_bytes())
    }
}
