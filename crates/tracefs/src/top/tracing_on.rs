//! `tracing_on`: the switch that anyone may flip.

use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads 0 or 1. Takes a number: 0 stops recording, any other goes on with it. Nothing is lost or cleared. A
/// recording that is stopped at the top level goes on when that becomes an instance of its own.
#[derive(Clone, Default)]
struct TracingOn;

pub(super) const LISTED: Listed =
    Listed::of::<TracingOn>("tracing_on", "0 stops recording into the buffer, 1 goes on with it");

impl TextFile for TracingOn {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(if array.instance().buffer().is_tracing() { "1\n".to_string() } else { "0\n".to_string() })
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let (on, instance) = (number::parse(bytes)? != 0, array.instance());
        if on && *array.pauses() == 0 {
            // A reader that was killed while it had stopped recording, see `pause`.
            instance.resume_recording();
        }
        if array.is_top() {
            instance.set_tracing_at_top(on);
        } else {
            instance.buffer().set_tracing(on);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn while_it_is_off_nothing_is_recorded() {
        let (_directory, tree) = tree();
        write(&tree, "tracing_on", "0").unwrap();
        assert_eq!(read(&tree, "tracing_on"), "0\n");
        assert_eq!(write(&tree, "trace_marker", "lost"), Err(Errno::BADF));
        write(&tree, "tracing_on", "2").unwrap();
        assert_eq!(read(&tree, "tracing_on"), "1\n");
        write(&tree, "trace_marker", "kept").unwrap();
        assert!(read(&tree, "trace").ends_with(": kept\n"));
    }
}
