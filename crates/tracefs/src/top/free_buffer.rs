//! `free_buffer`: memory is freed when its writer ends, however it ends.

use crate::control_file::{Change, ControlFile, Opened};
use crate::listed::Listed;
use crate::trace_array::TraceArray;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, TraceOption};

/// Closing it, after writing or not, makes the buffers as small as can be; with the option
/// `disable_on_free` it stops recording, too. What is written is not looked at.
///
/// Source: `tracing_free_buffer_release` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Default)]
struct FreeBuffer;

pub(super) const LISTED: Listed =
    Listed::of::<FreeBuffer>("free_buffer", "closing it makes the buffers as small as can be");

impl ControlFile for FreeBuffer {
    fn mode(&self) -> u32 {
        0o200
    }

    fn is_stream(&self) -> bool {
        true
    }

    fn takes_away(&self, change: Change<'_>) -> bool {
        matches!(change, Change::Opened(_))
    }

    fn open(&self, array: &TraceArray, _flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        Ok(Box::new(OpenFreeBuffer { array: array.clone() }))
    }
}

struct OpenFreeBuffer {
    array: TraceArray,
}

impl Opened for OpenFreeBuffer {
    fn write(&mut self, _author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        Ok(bytes.len())
    }
}

impl Drop for OpenFreeBuffer {
    fn drop(&mut self) {
        let instance = self.array.instance();
        if instance.option(TraceOption::DisableOnFree) {
            instance.buffer().set_tracing(false);
        }
        // close(2) can't report that no space was left.
        let _ = instance.resize(None, 1);
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::Author;

    #[test]
    fn closing_frees() {
        let (_directory, tree) = tree();
        let mut file = tree.open("free_buffer", OFlags::RDWR).unwrap();
        assert_eq!(file.write(Author::current(), b"anything"), Ok(8));
        assert_eq!(file.read(1), Err(Errno::INVAL));
        assert_eq!(read(&tree, "buffer_size_kb"), "63\n");
        drop(file);
        assert_eq!(read(&tree, "buffer_size_kb"), "7\n");
        assert_eq!(read(&tree, "tracing_on"), "1\n");
        write(&tree, "options/disable_on_free", "1").unwrap();
        drop(tree.open("free_buffer", OFlags::WRONLY).unwrap());
        assert_eq!(read(&tree, "tracing_on"), "0\n");
    }
}
