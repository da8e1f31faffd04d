//! `tracing_max_latency`: the longest time that a latency tracer has measured.

use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads and takes microseconds: only what is longer than that is kept from now on. A latency tracer begins
/// with 0; others leave what it has measured.
#[derive(Clone, Default)]
struct TracingMaxLatency;

pub(super) const LISTED: Listed = Listed::of::<TracingMaxLatency>(
    "tracing_max_latency",
    "in microseconds: the longest that a latency tracer has measured; 0 begins again",
);

/// What it is kept in.
const NANOSECONDS: u64 = 1000;

impl TextFile for TracingMaxLatency {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", array.instance().max_latency() / NANOSECONDS))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        // The kernel's product has no more than 64 bits either.
        let nanoseconds = number::parse(bytes)?.wrapping_mul(NANOSECONDS);
        array.instance().set_max_latency(nanoseconds).map_err(errno)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    const MAXIMUM: &str = "tracing_max_latency";

    #[test]
    fn it_is_in_microseconds_and_begins_with_0() {
        let (_directory, tree) = tree();
        write(&tree, MAXIMUM, "5").unwrap();
        assert_eq!((read(&tree, MAXIMUM).as_str(), tree.instance().max_latency()), ("5\n", 5000));
        for bad in ["", "x", "-1", " 3"] {
            assert_eq!(write(&tree, MAXIMUM, bad), Err(Errno::INVAL), "{bad:?}");
        }
        assert_eq!(write(&tree, MAXIMUM, "99999999999999999999"), Err(Errno::RANGE));
        write(&tree, MAXIMUM, "18446744073709551615").unwrap();
        assert_eq!(read(&tree, MAXIMUM), "18446744073709550\n");
        write(&tree, "current_tracer", "irqsoff").unwrap();
        assert_eq!(read(&tree, MAXIMUM), "0\n");
        write(&tree, MAXIMUM, "7").unwrap();
        write(&tree, "current_tracer", "nop").unwrap();
        assert_eq!(read(&tree, MAXIMUM), "7\n");
    }
}
