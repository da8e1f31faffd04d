//! Where markers go.

use crate::trace_array::TraceArray;
use ring_buffer::NotWritten;
use rustix::io::Errno;
use session::{Marker, TraceOption};

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
pub(crate) fn mark<T>(
    array: &TraceArray,
    write: impl Fn(&Marker) -> Result<T, NotWritten>,
) -> Result<T, Errno> {
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
    use crate::instances::tests::tree;
    use crate::top::tests::{read, write};
    use rustix::io::Errno;

    #[test]
    fn instances_get_copies_if_they_want_them() {
        let (_directory, tree) = tree();
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
        let (_directory, tree) = tree();
        tree.make_directory("instances/one").unwrap();
        write(&tree, "options/copy_trace_marker", "0").unwrap();
        assert_eq!(write(&tree, "trace_marker", "text"), Err(Errno::NODEV));
        write(&tree, "instances/one/options/copy_trace_marker", "1").unwrap();
        write(&tree, "trace_marker", "text").unwrap();
        assert!(!read(&tree, "trace").contains("text"));
        assert!(read(&tree, "instances/one/trace").contains("text"));
    }
}
