//! `buffer_size_kb` and `buffer_total_size_kb`: how large the buffer of a CPU is, and all together.

use crate::control_file::Change;
use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads KB for each CPU, without the pages' headers: of one CPU, or of those that have memory, X where they
/// differ. 0 for a CPU that the session had no leave to run on when it was made. Takes a number of KB, which
/// becomes whole pages, two at least, and drops the events that are there. EINVAL for 0, ENOMEM for more
/// than there is space for, EBUSY where all that space is in use for snapshots.
///
/// Source: `tracing_entries_read` and `tracing_entries_write` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Clone, Default)]
pub(crate) struct BufferSize {
    pub(crate) cpu: Option<u32>,
}

pub(super) const LISTED: Listed = Listed::of::<BufferSize>("buffer_size_kb", "KB of buffer for each CPU");

impl TextFile for BufferSize {
    fn takes_away(&self, change: Change<'_>) -> bool {
        change.is_written()
    }

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        if let Some(cpu) = self.cpu {
            return Ok(format!("{}\n", array.instance().buffer_kb(cpu)));
        }
        let mut sizes: Vec<u64> = sizes(array).filter(|size| *size > 0).collect();
        sizes.dedup();
        Ok(match sizes[..] {
            [] => "0\n".to_string(),
            [size] => format!("{size}\n"),
            _ => "X\n".to_string(),
        })
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        match number::parse(bytes)? {
            0 => Err(Errno::INVAL),
            kb => array.instance().resize(self.cpu, kb).map_err(errno),
        }
    }
}

/// Reads KB: the sum of `per_cpu/cpuN/buffer_size_kb`.
#[derive(Clone, Default)]
struct BufferTotalSize;

pub(super) const TOTAL: Listed =
    Listed::of::<BufferTotalSize>("buffer_total_size_kb", "KB of buffer of all CPUs together");

impl TextFile for BufferTotalSize {
    const MODE: u32 = 0o440;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", sizes(array).sum::<u64>()))
    }
}

/// KB of each CPU.
fn sizes(array: &TraceArray) -> impl Iterator<Item = u64> {
    let instance = array.instance();
    (0..instance.buffer().geometry().cpus).map(|cpu| instance.buffer_kb(cpu))
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn a_page_holds_a_little_less_than_its_size() {
        let (_directory, tree) = tree();
        assert_eq!(read(&tree, "buffer_size_kb"), "63\n", "16 pages");
    }

    #[test]
    fn sizes_are_rounded_up_and_can_differ() {
        let (_directory, tree) = tree();
        for (kb, read_back) in [("1", "7\n"), ("8", "11\n"), ("64", "67\n")] {
            write(&tree, "buffer_size_kb", kb).unwrap();
            assert_eq!(read(&tree, "buffer_size_kb"), read_back);
        }
        write(&tree, "per_cpu/cpu0/buffer_size_kb", "8").unwrap();
        assert_eq!(read(&tree, "per_cpu/cpu0/buffer_size_kb"), "11\n");
        let cpus = tree.instance().buffer().geometry().cpus;
        assert!(cpus == 1 || ["X\n", "11\n"].contains(&read(&tree, "buffer_size_kb").as_str()));
        write(&tree, "trace_marker", "works").unwrap();
        assert!(read(&tree, "trace").contains(": works\n"));
    }

    #[test]
    fn what_can_not_be_changes_nothing() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker", "still here").unwrap();
        assert_eq!(write(&tree, "buffer_size_kb", "0"), Err(Errno::INVAL));
        assert_eq!(write(&tree, "buffer_size_kb", "many"), Err(Errno::INVAL));
        for kb in ["1000000", "18446744073709551615"] {
            assert_eq!(write(&tree, "buffer_size_kb", kb), Err(Errno::NOMEM), "{kb}");
        }
        assert!(read(&tree, "trace").contains(": still here\n"));
        write(&tree, "snapshot", "1").unwrap();
        assert_eq!(write(&tree, "buffer_size_kb", "32"), Err(Errno::BUSY));
    }
}
