//! `trace_marker` and `trace_marker_raw`: texts and bytes of programs among the events.

use crate::control_file::{ControlFile, Opened};
use crate::listed::Listed;
use crate::trace_array::TraceArray;
use ring_buffer::NotWritten;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, MOST_RAW, Marker, TraceOption};
use std::sync::Arc;

pub(super) const LISTED: Listed = Listed {
    name: "trace_marker",
    help: "what is written here is an event",
    make: || Arc::new(MarkerFile(write_text)),
};

pub(super) const RAW: Listed = Listed {
    name: "trace_marker_raw",
    help: "what is written here is an event: a number of 4 bytes, and bytes",
    make: || Arc::new(MarkerFile(write_raw)),
};

/// A file each write to which is an event.
struct MarkerFile(WriteMarker);

/// Writes a marker, and says how many bytes were taken.
type WriteMarker = fn(&TraceArray, Author, &[u8]) -> Result<usize, Errno>;

impl ControlFile for MarkerFile {
    fn mode(&self) -> u32 {
        0o220
    }

    fn is_stream(&self) -> bool {
        true
    }

    fn open(&self, array: &TraceArray, _flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        Ok(Box::new(OpenMarker { write: self.0, array: array.clone() }))
    }
}

struct OpenMarker {
    write: WriteMarker,
    array: TraceArray,
}

impl Opened for OpenMarker {
    fn write(&mut self, author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        (self.write)(&self.array, author, bytes)
    }
}

/// Bytes of the number.
const NUMBER: usize = 4;

/// Each write is an event `ftrace:print`, with the writer's TID, in the buffer of the CPU that the writer was
/// on. Of a longer text than fits an event as much is taken as does: 4054 bytes. EBADF when nothing is
/// recorded, EINVAL when the option `markers` is off, ENODEV when nobody has `copy_trace_marker`.
///
/// Source: `tracing_mark_write` in `kernel/trace/trace.c` of Linux 6.18.
fn write_text(array: &TraceArray, author: Author, bytes: &[u8]) -> Result<usize, Errno> {
    mark(array, |marker| marker.write_text(author, bytes))
}

/// Each write is an event `ftrace:raw_data`: a number of 4 bytes, and bytes. EINVAL for fewer than 4, and for
/// more than fit an event: nothing is cut off. Else as `trace_marker`.
///
/// Source: `tracing_mark_raw_write` in `kernel/trace/trace.c` of Linux 6.18.
fn write_raw(array: &TraceArray, author: Author, bytes: &[u8]) -> Result<usize, Errno> {
    if !(NUMBER..=MOST_RAW).contains(&bytes.len()) {
        return Err(Errno::INVAL);
    }
    mark(array, |marker| marker.write_raw(author, bytes))?;
    Ok(bytes.len())
}

/// Writes a marker to all that are to have it: what is written to an instance's file stays in it; what is
/// written to the session's own goes to every instance with the option `copy_trace_marker`, and to the
/// session's buffer if that has it. The first that can't be written is the last.
///
/// # Errors
///
/// EINVAL where the option `markers` is off, ENODEV where nobody is to have it, EBADF where nothing is
/// recorded.
///
/// Source: `tracing_mark_write` in `kernel/trace/trace.c` of Linux 6.18.
fn mark<T>(array: &TraceArray, write: impl Fn(&Marker) -> Result<T, NotWritten>) -> Result<T, Errno> {
    if !array.instance().option(TraceOption::Markers) {
        return Err(Errno::INVAL);
    }
    let write = |array: &TraceArray| write(array.marker()?).map_err(|_| Errno::BADF);
    if !array.is_top() {
        return write(array);
    }
    let mut written = Err(Errno::NODEV);
    for name in array.instance().session().instances_with_marker_copies() {
        if let Some(array) = array.named(&name) {
            written = Ok(write(&array)?);
        }
    }
    if array.instance().option(TraceOption::CopyTraceMarker) {
        written = Ok(write(array)?);
    }
    written
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, tree_for, write};
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

    #[test]
    fn a_number_and_bytes() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker_raw", "\x39\x30\0\0abcd").unwrap();
        assert!(read(&tree, "trace").ends_with(": # 3039 buf: 61 62 63 64\n"), "{}", read(&tree, "trace"));
        for bad in ["123".to_string(), String::new(), "x".repeat(5000)] {
            assert_eq!(write(&tree, "trace_marker_raw", &bad), Err(Errno::INVAL));
        }
    }

    #[test]
    fn instances_get_copies_if_they_want_them() {
        let (_directory, tree) = tree_for(1, 2);
        tree.make_directory("instances/one").unwrap();
        tree.make_directory("instances/other").unwrap();
        write(&tree, "trace_marker", "before").unwrap();
        write(&tree, "instances/one/options/copy_trace_marker", "1").unwrap();
        write(&tree, "trace_marker", "text").unwrap();
        write(&tree, "trace_marker_raw", "\u{1}\0\0\0abcd").unwrap();
        write(&tree, "instances/one/trace_marker", "own").unwrap();
        let lines = |path| {
            let text = read(&tree, path);
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            lines.map(|line| line.split(": ").last().unwrap_or_default().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(lines("trace"), ["before", "text", "61 62 63 64"]);
        assert_eq!(lines("instances/one/trace"), ["text", "61 62 63 64", "own"]);
        assert_eq!(lines("instances/other/trace"), [""; 0]);
    }

    #[test]
    fn the_session_itself_can_be_left_out() {
        let (_directory, tree) = tree_for(1, 2);
        tree.make_directory("instances/one").unwrap();
        write(&tree, "options/copy_trace_marker", "0").unwrap();
        assert_eq!(write(&tree, "trace_marker", "text"), Err(Errno::NODEV));
        write(&tree, "instances/one/options/copy_trace_marker", "1").unwrap();
        write(&tree, "trace_marker", "text").unwrap();
        assert!(!read(&tree, "trace").contains("text"));
        assert!(read(&tree, "instances/one/trace").contains("text"));
    }
}
