//! `trace_marker_raw`: bytes of programs among the events.

use crate::control_file::{ControlFile, Opened};
use crate::listed::Listed;
use crate::marking::mark;
use crate::trace_array::TraceArray;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, MOST_RAW};
use std::sync::Arc;

/// Each write is an event `ftrace:raw_data`: a number of 4 bytes, and bytes. EINVAL for fewer than 4, and for
/// more than fit an event: nothing is cut off. Else as `trace_marker`.
///
/// Source: `tracing_mark_raw_write` in `kernel/trace/trace.c` of Linux 6.18.
struct TraceMarkerRaw;

pub(super) const LISTED: Listed = Listed {
    name: "trace_marker_raw",
    help: "what is written here is an event: a number of 4 bytes, and bytes",
    make: || Arc::new(TraceMarkerRaw),
};

/// Bytes of the number.
const NUMBER: usize = 4;

impl ControlFile for TraceMarkerRaw {
    fn mode(&self) -> u32 {
        0o220
    }

    fn is_stream(&self) -> bool {
        true
    }

    fn open(&self, array: &TraceArray, _flags: OFlags) -> Result<Box<dyn Opened>, Errno> {
        Ok(Box::new(OpenRawMarker { array: array.clone() }))
    }
}

struct OpenRawMarker {
    array: TraceArray,
}

impl Opened for OpenRawMarker {
    fn write(&mut self, author: Author, bytes: &[u8]) -> Result<usize, Errno> {
        if !(NUMBER..=MOST_RAW).contains(&bytes.len()) {
            return Err(Errno::INVAL);
        }
        mark(&self.array, |marker| marker.write_raw(author, bytes))?;
        Ok(bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn a_number_and_bytes() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker_raw", "\x39\x30\0\0abcd").unwrap();
        assert!(read(&tree, "trace").ends_with(": # 3039 buf: 61 62 63 64\n"), "{}", read(&tree, "trace"));
        for bad in ["123".to_string(), String::new(), "x".repeat(5000)] {
            assert_eq!(write(&tree, "trace_marker_raw", &bad), Err(Errno::INVAL));
        }
    }
}
