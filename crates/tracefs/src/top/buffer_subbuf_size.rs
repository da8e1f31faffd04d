//! `buffer_subbuf_size_kb`: how large a page of the buffers is.

use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads KB. Takes a number of KB up to 512, which becomes the next power of two pages of memory: what that
/// is already. Pages keep the size that the session was made with, so others are ENOMEM.
///
/// Source: `buffer_subbuf_size_write` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Clone, Default)]
struct BufferSubbufSize;

pub(super) const LISTED: Listed =
    Listed::of::<BufferSubbufSize>("buffer_subbuf_size_kb", "KB of a page of the buffers");

/// The largest that the kernel knows.
const MOST_KB: u64 = 512;

/// The smallest: a page of memory.
const LEAST_KB: u64 = 4;

fn kilobytes(array: &TraceArray) -> u64 {
    array.instance().buffer().geometry().page_size / 1024
}

impl TextFile for BufferSubbufSize {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", kilobytes(array)))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        match number::parse(bytes)? {
            0 => Err(Errno::INVAL),
            kb if kb > MOST_KB => Err(Errno::INVAL),
            kb if kb.next_power_of_two().max(LEAST_KB) != kilobytes(array) => Err(Errno::NOMEM),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn only_what_it_is_can_be_chosen() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker", "still here").unwrap();
        for same in ["1", "3", "4\n"] {
            write(&tree, "buffer_subbuf_size_kb", same).unwrap();
        }
        assert_eq!(write(&tree, "buffer_subbuf_size_kb", "5"), Err(Errno::NOMEM));
        for bad in ["0", "513", "x"] {
            assert_eq!(write(&tree, "buffer_subbuf_size_kb", bad), Err(Errno::INVAL), "{bad}");
        }
        assert_eq!(read(&tree, "buffer_subbuf_size_kb"), "4\n");
        assert!(read(&tree, "trace").contains("still here"));
    }
}
