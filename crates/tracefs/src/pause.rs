//! Recording that stops while somebody reads: the option `pause-on-trace`.

use crate::trace_array::TraceArray;
use session::TraceOption;

/// As long as one exists, nothing is recorded; what `tracing_on` says stays. A reader that is killed with one
/// leaves recording stopped; writing 1 to `tracing_on` goes on.
pub(crate) struct Pause(TraceArray);

impl Pause {
    /// One, if the option asks for it.
    pub(crate) fn if_wanted(array: &TraceArray) -> Option<Pause> {
        array.instance().option(TraceOption::PauseOnTrace).then(|| {
            let mut pauses = array.pauses();
            *pauses += 1;
            array.instance().buffer().set_recording(false);
            drop(pauses);
            Pause(array.clone())
        })
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        let mut pauses = self.0.pauses();
        *pauses -= 1;
        if *pauses == 0 {
            self.0.instance().resume_recording();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use crate::tree::Tree;
    use rustix::fs::OFlags;
    use rustix::io::Errno;

    #[test]
    fn nothing_is_recorded_while_anybody_has_trace_open() {
        let (_directory, tree) = tree();
        let open = || tree.open("trace", OFlags::RDONLY).unwrap();
        let before = open();
        write(&tree, "trace_marker", "one").unwrap();
        write(&tree, "options/pause-on-trace", "1").unwrap();
        let (first, second) = (open(), tree.open("per_cpu/cpu0/trace", OFlags::RDONLY).unwrap());
        assert_eq!(write(&tree, "trace_marker", "two"), Err(Errno::BADF));
        assert_eq!(read(&tree, "tracing_on"), "1\n");
        drop((before, first));
        assert_eq!(write(&tree, "trace_marker", "two"), Err(Errno::BADF));
        drop(second);
        write(&tree, "trace_marker", "three").unwrap();
        let text = read(&tree, "trace");
        assert!(text.contains(": one\n") && !text.contains("two") && text.ends_with(": three\n"));
    }

    #[test]
    fn tracing_on_goes_on_where_a_reader_was_killed() {
        let (_directory, tree) = tree();
        write(&tree, "options/pause-on-trace", "1").unwrap();
        // As of another process.
        let other = Tree::new(tree.instance().again().unwrap());
        std::mem::forget(other.open("trace", OFlags::RDONLY).unwrap());
        assert_eq!(write(&tree, "trace_marker", "x"), Err(Errno::BADF));
        write(&tree, "tracing_on", "1").unwrap();
        write(&tree, "trace_marker", "x").unwrap();
    }
}
