//! `tracing_enabled`: whether the buffer is recorded into, apart from `tracing_on`.

use crate::control_file::Change;
use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads 0 or 1. Takes a number: 0 disables recording, any other enables it again, but only where this file
/// has disabled it. EBUSY where a reader has (`pause-on-trace`), and for a buffer that was found damaged.
/// `tracing_on` is another switch, and records nothing as long as this one is 0.
///
/// Source: the kernel had it from 2008 to 2011.
#[derive(Clone, Default)]
struct TracingEnabled;

pub(super) const LISTED: Listed = Listed::of::<TracingEnabled>(
    "tracing_enabled",
    "0 disables recording, whatever tracing_on says; 1 enables it again, unless something is wrong",
);

impl TextFile for TracingEnabled {
    fn takes_away(&self, change: Change<'_>) -> bool {
        change.is_written()
    }

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", u32::from(array.instance().is_recording_enabled())))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        array.instance().enable_recording(number::parse(bytes)? != 0).map_err(errno)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;

    const ENABLED: &str = "instances/flight/tracing_enabled";

    #[test]
    fn it_is_another_switch_than_tracing_on() {
        let (_directory, tree) = tree();
        let mark = |text: &str| write(&tree, "instances/flight/trace_marker", text);
        write(&tree, ENABLED, "0").unwrap();
        assert_eq!((read(&tree, ENABLED).as_str(), mark("lost")), ("0\n", Err(Errno::BADF)));
        write(&tree, "instances/flight/tracing_on", "1").unwrap();
        assert_eq!((read(&tree, ENABLED).as_str(), mark("lost")), ("0\n", Err(Errno::BADF)));
        write(&tree, ENABLED, "1").unwrap();
        assert_eq!((read(&tree, ENABLED).as_str(), mark("kept")), ("1\n", Ok(())));
        assert_eq!(write(&tree, ENABLED, "x"), Err(Errno::INVAL));
    }

    #[test]
    fn what_something_else_has_disabled_stays_so() {
        let (_directory, tree) = tree();
        write(&tree, "instances/flight/options/pause-on-trace", "1").unwrap();
        let reader = tree.open("instances/flight/trace", OFlags::RDONLY).unwrap();
        assert_eq!(read(&tree, ENABLED), "0\n");
        assert_eq!(write(&tree, ENABLED, "1"), Err(Errno::BUSY));
        write(&tree, ENABLED, "0").unwrap();
        drop(reader);
        assert_eq!(read(&tree, ENABLED), "0\n", "this file has disabled it, too");
        write(&tree, ENABLED, "1").unwrap();
        assert_eq!(read(&tree, ENABLED), "1\n");
    }
}
