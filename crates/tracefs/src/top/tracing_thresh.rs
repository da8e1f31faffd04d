//! `tracing_thresh`: how long calls take that the tracer `function_graph` records, and sections that latency
//! tracers keep.

use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads and takes microseconds; 0 for all calls. With others only the ends of calls are recorded that took
/// as long. Latency tracers keep the trace of the last section that was as long, not of the longest.
#[derive(Clone, Default)]
struct TracingThresh;

pub(super) const LISTED: Listed = Listed::of::<TracingThresh>(
    "tracing_thresh",
    "in microseconds: function_graph and latency tracers keep only what takes as long; 0 for all",
);

/// What it is kept in.
const NANOSECONDS: u64 = 1000;

impl TextFile for TracingThresh {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", array.instance().threshold() / NANOSECONDS))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        // The kernel's product has no more than 64 bits either.
        let nanoseconds = number::parse(bytes)?.wrapping_mul(NANOSECONDS);
        array.instance().set_threshold(nanoseconds).map_err(errno)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    const THRESHOLD: &str = "tracing_thresh";

    #[test]
    fn it_is_in_microseconds() {
        let (_directory, tree) = tree();
        write(&tree, THRESHOLD, "20000").unwrap();
        assert_eq!((read(&tree, THRESHOLD).as_str(), tree.instance().threshold()), ("20000\n", 20_000_000));
        assert_eq!(write(&tree, THRESHOLD, "1us"), Err(Errno::INVAL));
        write(&tree, THRESHOLD, "18446744073709551615").unwrap();
        assert_eq!(read(&tree, THRESHOLD), "18446744073709550\n");
    }
}
