//! `trace_marker`: texts of programs among the events.

use crate::control_file::{ControlFile, Opened};
use crate::listed::Listed;
use crate::marking::mark;
use crate::trace_array::TraceArray;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::Author;
use std::sync::Arc;

/// Each write is an event `ftrace:print`, with the writer's TID, in the buffer of the CPU that the writer was
/// on. Of a longer text than fits an event as much is taken as does: 4054 bytes. EBADF when nothing is
/// recorded, EINVAL when the option `markers` is off, ENODEV when nobody has `copy_trace_marker`.
///
/// Source: `tracing_mark_write` in `kernel/trace/trace.c` of Linux 6.18.
struct TraceMarker;

pub(super) const LISTED: Listed =
    Listed { name: "trace_marker", help: "what is written here is an event", make: || Arc::new(TraceMarker) };

impl ControlFile for TraceMarker {
    fn mode(&self) -> u32 {
        0o220
    }

    fn is_stream(&self) -> bool {
        true
    }

    fn open(&self, array: &TraceArray, _flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        Ok(Box::new(OpenMarker { array: array.clone() }))
    }
}

struct OpenMarker {
    array: TraceArray,
}

impl Opened for OpenMarker {
    fn write(&mut self, author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        mark(&self.array, |marker| marker.write_text(author, bytes))
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::Author;

    #[test]
    fn texts_end_with_a_line_end_and_long_ones_are_several() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker", "with an end\n").unwrap();
        write(&tree, "trace_marker", "").unwrap();
        write(&tree, "trace_marker", &"x".repeat(5000)).unwrap();
        let text = read(&tree, "trace");
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        assert!(lines.next().unwrap().ends_with(": tracing_mark_write: with an end"));
        assert!(lines.next().unwrap().ends_with(": tracing_mark_write: "));
        let long: Vec<usize> = lines.map(|line| line.matches('x').count()).collect();
        assert_eq!((long.len(), long.iter().sum::<usize>()), (2, 5000));
    }

    #[test]
    fn options_and_masks_refuse() {
        let (_directory, tree) = tree();
        write(&tree, "options/markers", "0").unwrap();
        assert_eq!(write(&tree, "trace_marker", "x"), Err(Errno::INVAL));
        assert_eq!(write(&tree, "trace_marker_raw", "12345"), Err(Errno::INVAL));
        write(&tree, "options/markers", "1").unwrap();
        write(&tree, "tracing_cpumask", "0").unwrap();
        assert_eq!(write(&tree, "trace_marker", "x"), Err(Errno::BADF));
        let mut file = tree.open("trace_marker", OFlags::RDWR).unwrap();
        assert_eq!(file.read(1), Err(Errno::INVAL));
        assert_eq!(file.seek(0), Err(Errno::SPIPE));
        assert_eq!(tree.open("trace_marker", OFlags::WRONLY).unwrap().read(1), Err(Errno::BADF));
        let mut file = tree.open("trace_marker", OFlags::RDONLY).unwrap();
        assert_eq!(file.write(Author::current(), b"x"), Err(Errno::BADF));
    }
}
